#!/bin/bash
# aedes (an MQTT broker of npm) on the loopback address.
#
#   usage: aedes.sh WORKDIR PORT
#
#   PORT    for guests
#   PORT+1  wants a login: alice / secret, who may not subscribe to private/#
#
# npm package: aedes
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node "$npm_modules/aedes"
begin 2 "$@"

cat >server.mjs <<'JS'
import { createServer } from 'node:net'
const [modules, port] = process.argv.slice(2)
const { Aedes } = await import(`${modules}/aedes/aedes.js`)

const guests = await Aedes.createBroker()
const members = await Aedes.createBroker({
  authenticate: (_client, user, password, done) => {
    if (user === 'alice' && String(password) === 'secret') return done(null, true)
    done(Object.assign(new Error('no'), { returnCode: user === undefined ? 5 : 4 }), false)
  },
  authorizeSubscribe: (_client, subscription, done) =>
    done(null, subscription.topic.startsWith('private') ? null : subscription),
})
createServer(guests.handle).listen(Number(port), '127.0.0.1')
createServer(members.handle).listen(Number(port) + 1, '127.0.0.1')
JS
run aedes.log node server.mjs "$npm_modules" "$port"
for ((i = 0; i < 2; i++)); do wait_port $((port + i)); done

echo "mqtt://127.0.0.1:$port/"
echo "mqtt://alice:secret@127.0.0.1:$((port + 1))/pub/%23"
