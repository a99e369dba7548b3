#!/bin/bash
# A Redis Cluster of three, for queues, on the loopback address.
#
#   usage: redis-cluster.sh WORKDIR PORT
#
#   PORT, PORT+1, PORT+2    without a login, or alice / secret; each has a third of the slots
#   PORT+3 to PORT+5        the same within TLS; the certificate, cert.pem, is self-signed
#   PORT-10000 to PORT-9998 what they say to each other
#
# Debian packages: redis-server redis-tools
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

redis=$(program REDIS_SERVER /usr/bin/redis-server)
client=$(program REDIS_CLI /usr/bin/redis-cli)

needs "$redis" "$client" openssl
begin 6 "$@"
certificate

nodes=()
for at in 0 1 2; do
	node=$((port + at))
	mkdir -p "$dir/$node"
	run "redis-$node.log" "$redis" --bind 127.0.0.1 --port "$node" --dir "$dir/$node" --maxmemory-policy noeviction \
		--tls-port $((node + 3)) --tls-cert-file "$dir/cert.pem" --tls-key-file "$dir/key.pem" \
		--tls-ca-cert-file "$dir/cert.pem" --tls-auth-clients no --tls-cluster yes --user alice on '>secret' '~*' '&*' +@all \
		--save '' --appendonly no --cluster-enabled yes --cluster-port $((node - 10000)) --cluster-node-timeout 2000
	wait_port "$node"
	nodes+=("127.0.0.1:$node")
done
"$client" --cluster create "${nodes[@]}" --cluster-yes >create.log 2>&1 || fail "$(tail -n 3 create.log)"
# Each node learns of the others' slots by itself.
for node in "${nodes[@]}"; do
	for ((i = 0; i < 500; i++)); do
		if "$client" -p "${node#*:}" cluster info | grep -q '^cluster_state:ok'; then continue 2; fi
		sleep 0.02
	done
	fail "no cluster: $("$client" -p "${node#*:}" cluster info | head -n 1)"
done

echo "redis://127.0.0.1:$port"
