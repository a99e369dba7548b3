#!/bin/bash
# simple-ftpd (an FTP server library of npm) on the loopback address.
#
#   usage: simple-ftpd.sh WORKDIR PORT
#
#   PORT    plain FTP
#
# Users: anonymous (read only) and alice / secret.
# npm packages: simple-ftpd, and chalk, which it needs and does not name
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node "$npm_modules/simple-ftpd" "$npm_modules/chalk"
begin 1 "$@"

ftp_seed

cat >server.cjs <<'JS'
const fs = require('node:fs')
const [modules, root, port] = process.argv.slice(2)
const ftpd = require(`${modules}/simple-ftpd`)

// It leaves some of its promises to nobody.
process.on('unhandledRejection', () => {})

ftpd({ host: '127.0.0.1', port: Number(port), root }, (session) => {
  session.on('pass', (user, password, done) => {
    const isKnown = user === 'anonymous' || (user === 'alice' && password === 'secret')
    done(isKnown ? null : new Error('wrong user or password'))
  })
  session.on('stat', fs.stat)
  session.on('readdir', fs.readdir)
  session.on('read', (path, start, done) => {
    const stream = fs.createReadStream(path, { start })
    stream.once('open', () => done(null, stream)).once('error', done)
  })
})
JS

run simple-ftpd.log node server.cjs "$npm_modules" "$dir/root" "$port"
wait_port "$port"

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
