#!/bin/bash
# tinyproxy on the loopback address.
#
#   usage: tinyproxy.sh WORKDIR PORT
#
#   PORT    HTTP proxy, CONNECT to any port, no password
#   PORT+1  the same, with basic authentication: alice / secret
#   PORT+2  the same as PORT, CONNECT to port 443 alone
#
# Debian package: tinyproxy-bin
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tinyproxy=$(program TINYPROXY /usr/bin/tinyproxy)

needs "$tinyproxy"
begin 3 "$@"

# listener PORT DIRECTIVE...: a tinyproxy of its own, for it knows one port.
listener() {
	{
		cat <<-CONF
		Port $1
		Listen 127.0.0.1
		Timeout 600
		LogFile "$dir/tinyproxy.$1.log"
		LogLevel Connect
		MaxClients 50
		ViaProxyName "tinyproxy"
		Allow 127.0.0.1
		CONF
		printf '%s\n' "${@:2}"
	} >"$1.conf"
	run "tinyproxy.$1.out" "$tinyproxy" -d -c "$dir/$1.conf"
	wait_port "$1"
}
listener "$port"
listener $((port + 1)) 'BasicAuth alice secret'
listener $((port + 2)) 'ConnectPort 443'

echo "http://127.0.0.1:$port (HTTP proxy)"
echo "http://alice:secret@127.0.0.1:$((port + 1)) (HTTP proxy, password)"
echo "http://127.0.0.1:$((port + 2)) (HTTP proxy, tunnels to port 443 alone)"
