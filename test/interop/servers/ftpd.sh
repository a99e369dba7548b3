#!/bin/bash
# ftpd (nodeftpd, an FTP server library of npm) on the loopback address.
#
#   usage: ftpd.sh WORKDIR PORT
#
#   PORT    plain FTP
#
# Users: anonymous and alice / secret.
# npm package: ftpd
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node "$npm_modules/ftpd"
begin 1 "$@"

ftp_seed

cat >server.cjs <<'JS'
const net = require('node:net')
const [modules, root, port] = process.argv.slice(2)

// It would offer its data ports on every address.
const { listen } = net.Server.prototype
net.Server.prototype.listen = function (at, ...rest) {
  return typeof rest[0] === 'string' ? listen.call(this, at, ...rest) : listen.call(this, at, '127.0.0.1', ...rest)
}

const { FtpServer } = require(`${modules}/ftpd`)
const reads = ['USER', 'PASS', 'CWD', 'CDUP', 'PWD', 'TYPE', 'EPSV', 'PASV', 'RETR', 'SIZE', 'MDTM', 'LIST', 'NLST']
const server = new FtpServer('127.0.0.1', {
  getInitialCwd: () => '/',
  getRoot: () => root,
  allowedCommands: [...reads, 'FEAT', 'NOOP', 'QUIT', 'SYST', 'STAT', 'OPTS'],
  logLevel: -1,
})
server.on('client:connected', (connection) => {
  let user
  connection.on('command:user', (name, success) => {
    user = name
    success()
  })
  connection.on('command:pass', (password, success, failure) => {
    if (user === 'anonymous' || (user === 'alice' && password === 'secret')) success(user)
    else failure()
  })
})
server.listen(Number(port))
JS

run ftpd.log node server.cjs "$npm_modules" "$dir/root" "$port"
wait_port "$port"

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
