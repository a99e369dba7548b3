#!/bin/bash
# pyftpdlib (Python's FTP server library) on the loopback address.
#
#   usage: pyftpdlib.sh WORKDIR PORT
#
#   PORT    plain FTP, AUTH TLS optional
#   PORT+1  implicit TLS (ftps)
#   PORT+2  AUTH TLS mandatory for login and data
#   PORT+3  plain FTP on ::1 (IPv6, EPSV only), where the machine has it
#
# Users: anonymous (read only) and alice / secret.
# Debian packages: python3-pyftpdlib python3-openssl openssl
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=$(program PYTHON3 /usr/bin/python3)
modules=${PYTHON_MODULES:-/usr/lib/python3/dist-packages}

needs "$modules/pyftpdlib" "$modules/OpenSSL" "$python" openssl
begin 4 "$@"

ftp_seed

# --- certificate -----------------------------------------------------------
certificate
cat key.pem cert.pem >both.pem

# --- server ----------------------------------------------------------------
cat >server.py <<'PY'
import os, sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler, TLS_FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.servers import FTPServer

root, pem, port = sys.argv[1], sys.argv[2], int(sys.argv[3])

authorizer = DummyAuthorizer()
authorizer.add_anonymous(root)
authorizer.add_user('alice', 'secret', root, perm='elr')

class Common:
    authorizer = authorizer
    banner = 'pyftpdlib test server ready.'
    use_gmt_times = True

class Plain(Common, FTPHandler):
    pass

class Explicit(Common, TLS_FTPHandler):
    certfile = pem

class Mandatory(Explicit):
    tls_control_required = True
    tls_data_required = True

class Implicit(Explicit):
    def handle(self):
        self.secure_connection(self.ssl_context)

    def handle_ssl_established(self):
        self._prot = True  # data connections are protected from the start
        TLS_FTPHandler.handle(self)

    def ftp_AUTH(self, arg):
        self.respond('550 not supported here, the connection is secured.')

loop = IOLoop()
FTPServer(('127.0.0.1', port), Explicit, loop)
FTPServer(('127.0.0.1', port + 1), Implicit, loop)
FTPServer(('127.0.0.1', port + 2), Mandatory, loop)
if sys.argv[4]:
    FTPServer(('::1', port + 3), Plain, loop)
loop.loop()
PY

# --- start -----------------------------------------------------------------
run pyftpdlib.log "$python" server.py "$dir/root" "$dir/both.pem" "$port" "$(! has_ipv6 || echo ::1)"
for p in "$port" $((port + 1)) $((port + 2)); do wait_port "$p"; done
! has_ipv6 || wait_port $((port + 3)) ::1

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
echo "ftps://127.0.0.1:$((port + 1))/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$((port + 2))/pub/hello.txt (AUTH TLS)"
! has_ipv6 || echo "ftp://[::1]:$((port + 3))/pub/hello.txt"
