#!/bin/bash
# ftp-srv (an FTP server library of npm) on the loopback address.
#
#   usage: ftp-srv.sh WORKDIR PORT
#
#   PORT    plain FTP
#
# Users: anonymous (read only) and alice / secret.
# npm package: ftp-srv
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node "$npm_modules/ftp-srv"
begin 1 "$@"

ftp_seed

cat >server.cjs <<'JS'
const [modules, root, port] = process.argv.slice(2)
const FtpServer = require(`${modules}/ftp-srv`)
const bunyan = require(`${modules}/bunyan`)

const server = new FtpServer({
  url: `ftp://127.0.0.1:${port}`,
  pasv_url: '127.0.0.1',
  anonymous: true,
  blacklist: ['STOR', 'APPE', 'STOU', 'DELE', 'MKD', 'RMD', 'RNFR', 'RNTO', 'SITE'],
  log: bunyan.createLogger({ name: 'ftp-srv', level: 'fatal' }),
})
server.on('login', ({ username, password }, resolve, reject) => {
  if (username === 'anonymous' || (username === 'alice' && password === 'secret')) resolve({ root })
  else reject(new Error('Wrong user or password'))
})
server.listen()
JS

run ftp-srv.log node server.cjs "$npm_modules" "$dir/root" "$port"
wait_port "$port"

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
