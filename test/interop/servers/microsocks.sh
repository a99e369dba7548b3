#!/bin/bash
# microsocks, a SOCKS 5 proxy, on the loopback address.
#
#   usage: microsocks.sh WORKDIR PORT
#
#   PORT    no password
#   PORT+1  user name and password: alice / secret
#
# Debian package: microsocks
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

microsocks=$(program MICROSOCKS /usr/bin/microsocks)

needs "$microsocks"
begin 2 "$@"

run microsocks.log "$microsocks" -i 127.0.0.1 -p "$port"
wait_port "$port"
run microsocks-login.log "$microsocks" -i 127.0.0.1 -p $((port + 1)) -u alice -P secret
wait_port $((port + 1))

echo "socks5://127.0.0.1:$port"
echo "socks5://alice:secret@127.0.0.1:$((port + 1))"
