#!/bin/bash
# The test server of YAZ on the loopback address: a term that begins with digits fixes the number of hits.
#
#   usage: yaz-ztest.sh WORKDIR PORT
#
# Debian packages: yaz
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ztest=$(program YAZ_ZTEST /usr/bin/yaz-ztest)

needs "$ztest" yaz-client
begin 1 "$@"

run yaz-ztest.log "$ztest" "tcp:127.0.0.1:$port"
wait_port "$port"

echo "z39.50r://127.0.0.1:$port/Default?1abc"
