"""Answers every call of ONC RPC at a local socket with "true", as a portmapper does that registers a port (RFC 1833).

usage: registrar.py SOCKET
"""

import os
import socket
import struct
import sys
import threading


def exactly(connection, count):
    octets = b""
    while len(octets) < count:
        more = connection.recv(count - len(octets))
        if not more:
            raise EOFError
        octets += more
    return octets


def serve(connection):
    try:
        while True:
            (mark,) = struct.unpack(">I", exactly(connection, 4))
            call = exactly(connection, mark & 0x7FFFFFFF)
            # xid, REPLY, MSG_ACCEPTED, no verifier, SUCCESS, true.
            answer = call[:4] + struct.pack(">6I", 1, 0, 0, 0, 0, 1)
            connection.sendall(struct.pack(">I", 0x80000000 | len(answer)) + answer)
    except EOFError:
        connection.close()


server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
server.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
server.listen(16)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
