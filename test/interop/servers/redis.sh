#!/bin/bash
# Redis, for queues, on the loopback address.
#
#   usage: redis.sh WORKDIR PORT
#
#   PORT    without a login, or alice / secret
#   PORT+1  the same within TLS; the certificate, cert.pem, is self-signed
#
# WORKDIR/start starts it again with its data.
#
# Debian packages: redis-server redis-tools
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

redis=$(program REDIS_SERVER /usr/bin/redis-server)

needs "$redis" openssl
begin 2 "$@"
certificate

cat >redis.conf <<CONF
bind 127.0.0.1
port $port
tls-port $((port + 1))
tls-cert-file $dir/cert.pem
tls-key-file $dir/key.pem
tls-ca-cert-file $dir/cert.pem
tls-auth-clients no
user alice on >secret ~* &* +@all
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
