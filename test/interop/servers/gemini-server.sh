#!/bin/bash
# gemini-server (a server library of npm) on the loopback address, with a self-signed certificate.
#
#   usage: gemini-server.sh WORKDIR PORT
#
#   PORT    root/: index.gmi, plain.txt, bytes.bin, docs/; /moved redirects to /plain.txt, /ask wants an answer,
#           /secret one that is not shown, /certificate a certificate
#
# npm package: gemini-server
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node openssl "$npm_modules/gemini-server"
begin 1 "$@"

certificate
mkdir -p root/docs
printf '# A page\n\n=> plain.txt Gr\303\274\303\237e\n=> /docs\n' >root/index.gmi
printf 'Plain text.\nSecond line.\n' >root/plain.txt
printf '# Docs\n' >root/docs/index.gmi
all_octets >root/bytes.bin

cat >server.cjs <<'JS'
const { readFileSync } = require('node:fs')
const { Server } = require('node:net')
const [modules, dir, port] = process.argv.slice(2)
const gemini = require(`${modules}/gemini-server`).default

// The library listens on all addresses.
const { listen } = Server.prototype
Server.prototype.listen = function (number, callback) {
  return listen.call(this, number, '127.0.0.1', callback)
}
const app = gemini({ cert: readFileSync(`${dir}/cert.pem`), key: readFileSync(`${dir}/key.pem`) })
app.on('/moved', gemini.redirect('/plain.txt'))
app.on('/ask', (request, response) => {
  if (request.query) response.data(`You said ${request.query}.`)
  else response.input('Say something')
})
app.on('/secret', (_request, response) => response.input('A password', true))
app.on('/certificate', gemini.requireCert, (_request, response) => response.data('Known.'))
app.use('/', gemini.serveStatic(`${dir}/root`))
app.listen(Number(port))
JS
run gemini-server.log node server.cjs "$npm_modules" "$dir" "$port"
wait_port "$port"

echo "gemini://127.0.0.1:$port/"
