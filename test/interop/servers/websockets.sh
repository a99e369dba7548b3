#!/bin/bash
# A server of python3-websockets on the loopback address.
#
#   usage: websockets.sh WORKDIR PORT
#
#   PORT    sends three texts and octets, then closes; /wait answers a ping after a message, /big sends 1 MB in one
#
# Debian packages: python3-websockets
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=$(program PYTHON /usr/bin/python3)
modules=${WEBSOCKETS:-/usr/lib/python3/dist-packages}/websockets

needs "$python" "$modules"
begin 1 "$@"

cat >server.py <<'PY'
import asyncio, sys
import websockets

async def serve(socket, path):
    if path == '/big':
        await socket.send('x' * 1_000_000)
    elif path == '/pieces':
        await socket.send(iter(['a', 'b', 'c']))
    elif path == '/wait':
        await (await socket.ping())
        await socket.send('after the pong')
    else:
        await socket.send('one')
        await socket.send('Gr\u00fc\u00dfe')
        await socket.send(bytes(range(256)))

async def main():
    async with websockets.serve(serve, '127.0.0.1', int(sys.argv[1])):
        await asyncio.Future()

asyncio.run(main())
PY
run websockets.log env PYTHONPATH="${modules%/*}" "$python" server.py "$port"
wait_port "$port"

echo "ws://127.0.0.1:$port/"
