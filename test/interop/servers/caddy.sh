#!/bin/bash
# Caddy on the loopback address.
#
#   usage: caddy.sh WORKDIR PORT
#
#   PORT    HTTP/1.1
#   PORT+1  HTTPS, certificate of its own CA (ca.pem), HTTP/1.1 and HTTP/2
#
# /files/  static files with a listing (browse)   /packed/  the same, in zstd or gzip on request
# Debian packages: caddy openssl
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

caddy=$(program CADDY /usr/bin/caddy)

needs "$caddy" openssl
begin 2 "$@"

# --- seed content ----------------------------------------------------------
http_seed root/files
date_all root

# --- configuration ---------------------------------------------------------
signed_certificate
cat >Caddyfile <<CONF
{
	admin off
	auto_https off
	default_bind 127.0.0.1
	storage file_system $dir/storage
	servers {
		protocols h1 h2
	}
}
(content) {
	log {
		output file $dir/access.log
		format json
	}
	root * $dir/root
	handle_path /packed/* {
		root * $dir/root/files
		encode {
			gzip
			zstd
			minimum_length 1
		}
		file_server
	}
	file_server browse
}
http://127.0.0.1:$port {
	import content
}
https://127.0.0.1:$((port + 1)) {
	tls $dir/cert.pem $dir/key.pem
	import content
}
CONF

# --- start -----------------------------------------------------------------
# It writes to its home, if only an identifier.
export HOME=$dir XDG_DATA_HOME=$dir/data XDG_CONFIG_HOME=$dir/config
run caddy.out "$caddy" run --config Caddyfile --adapter caddyfile
wait_port "$port"
wait_port $((port + 1))

echo "http://127.0.0.1:$port/files/"
echo "https://127.0.0.1:$((port + 1))/files/"
