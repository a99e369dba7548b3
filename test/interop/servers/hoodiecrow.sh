#!/bin/bash
# hoodiecrow-imap (an IMAP server of npm, made for tests) on the loopback address, for alice with the password secret.
#
#   usage: hoodiecrow.sh WORKDIR PORT
#
#   PORT    INBOX with two messages
#
# npm package: hoodiecrow-imap
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node "$npm_modules/hoodiecrow-imap"
begin 1 "$@"

printf 'From: Bob <bob@example.net>\r\nSubject: Hello\r\n\r\nHello.\r\n.dot\r\n' >1.eml
printf 'Subject: Parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGr\303\274\303\237e\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--b--\r\n' >2.eml
cat >server.cjs <<'JS'
const { readFileSync } = require('node:fs')
const [modules, dir, port] = process.argv.slice(2)
const hoodiecrow = require(`${modules}/hoodiecrow-imap`)

// One octet a character, as it counts them.
const messages = ['1.eml', '2.eml'].map((file) => ({ raw: readFileSync(`${dir}/${file}`, 'latin1') }))
hoodiecrow({
  users: { alice: { password: 'secret' } },
  storage: { INBOX: { uidvalidity: 7, messages } },
}).listen(Number(port), '127.0.0.1')
JS
run hoodiecrow.log node server.cjs "$npm_modules" "$dir" "$port"
wait_port "$port"

echo "imap://alice:secret@127.0.0.1:$port/INBOX"
