#!/bin/bash
# Redis, for queues, on the loopback address.
#
#   usage: redis.sh WORKDIR PORT
#
#   PORT    without a login
#
# WORKDIR/start starts it again with its data.
#
# Debian packages: redis-server redis-tools
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

redis=$(program REDIS_SERVER /usr/bin/redis-server)

needs "$redis"
begin 1 "$@"

cat >redis.conf <<CONF
bind 127.0.0.1
port $port
dir $dir
maxmemory-policy noeviction
appendonly yes
appendfsync always
save ""
CONF
printf '#!/bin/sh\nexec %q %q\n' "$redis" "$dir/redis.conf" >start
chmod 755 start
run redis.log ./start
wait_port "$port"

echo "redis://127.0.0.1:$port"
