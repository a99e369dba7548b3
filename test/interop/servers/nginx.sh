#!/bin/bash
# nginx on the loopback address.
#
#   usage: nginx.sh WORKDIR PORT
#
#   PORT    HTTP/1.1
#   PORT+1  HTTPS, HTTP/1.1 and HTTP/2; the certificate is of the CA in ca.pem
#   PORT+2  HTTP/1.1 on ::1, where the machine has it
#   PORT+4  HTTPS, HTTP/1.1 alone
#   PORT+5  HTTPS, for clients with a certificate of that CA: client.pem, client-key.pem; stranger.pem is none
#   PORT+6  HTTP/1.1 that closes each connection after its second request
#
# /files/      static files with a listing, ranges, ETag, Last-Modified; huge.txt is of 20 MiB
# /gzip/       the same, compressed on request (chunked then)
# /packed/     packed.txt alone, compressed on request from a packed.txt.gz that is there already (gzip_static)
# /forbidden/  the same, without a listing
# /auth/       basic authentication, alice / secret
# /slow/       2 kB a second        /delayed/  one request a second, others wait
# /redirect/301 .. 308, /chain/5 (five steps), /loop, /to-https, /relative
# /status/NNN  an answer of that status     /echo  the request as text
# /cookie, /nolength (HTTP/1.0 style, no Content-Length)
# access.log has a line a request: port, connection, protocol, method, URI, status, what was compressed, range, If-Range.
# Debian packages: nginx-light (or nginx) openssl
# Root is given up for "nobody".
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

nginx=$(program NGINX /usr/sbin/nginx)

needs "$nginx" openssl
begin 7 "$@"

mkdir -p tmp root/packed

# --- seed content ----------------------------------------------------------
http_seed root/files
for _ in {1..20}; do cat root/files/big.txt; done | awk '{ printf "%07d%s\n", NR, substr($0, 8) }' >root/files/huge.txt
mebibyte >root/packed/packed.txt
gzip -9n <root/packed/packed.txt >root/packed/packed.txt.gz
date_all root

# --- configuration ---------------------------------------------------------
signed_certificate
echo "alice:$(openssl passwd -6 secret)" >users
{
	cat <<-CONF
	daemon off;
	worker_processes 1;
	pid $dir/nginx.master.pid;
	error_log $dir/error.log info;
	$( ((EUID)) || echo 'user nobody nogroup;')
	events { worker_connections 256; }
	http {
	    types { text/plain txt; text/html html; application/octet-stream bin; }
	    default_type application/octet-stream;
	    log_format short '\$server_port \$connection \$server_protocol \$request_method \$request_uri \$status "\$sent_http_content_encoding" "\$http_range" "\$http_if_range"';
	    access_log $dir/access.log short;
	    client_body_temp_path $dir/tmp/body;
	    proxy_temp_path $dir/tmp/proxy;
	    fastcgi_temp_path $dir/tmp/fastcgi;
	    uwsgi_temp_path $dir/tmp/uwsgi;
	    scgi_temp_path $dir/tmp/scgi;
	    limit_req_zone \$server_port zone=one:1m rate=1r/s;
	    absolute_redirect on;
	    server_tokens off;
	    charset utf-8;
	CONF
	listens=("127.0.0.1:$port" "127.0.0.1:$((port + 1)) ssl http2")
	! has_ipv6 || listens+=("[::1]:$((port + 2))")
	listens+=("127.0.0.1:$((port + 4)) ssl" "127.0.0.1:$((port + 5)) ssl http2" "127.0.0.1:$((port + 6))")
	for listen in "${listens[@]}"; do
		cat <<-CONF
	    server {
	        listen $listen;
	        server_name localhost;
	        root $dir/root;
	        ssl_certificate $dir/cert.pem;
	        ssl_certificate_key $dir/key.pem;
		CONF
		case $listen in
		*:$((port + 1))\ *) echo '        ssl_protocols TLSv1.2 TLSv1.3;' ;;
		*:$((port + 5))\ *) echo "        ssl_client_certificate $dir/ca.pem; ssl_verify_client on;" ;;
		*:$((port + 6))) echo '        keepalive_requests 2;' ;;
		esac
		cat <<-CONF
	        location = / { return 302 /files/; }
	        location /files/ { autoindex on; }
	        location /gzip/ {
	            alias $dir/root/files/;
	            gzip on;
	            gzip_min_length 1;
	            gzip_http_version 1.0;
	            gzip_types text/plain;
	        }
	        location /packed/ { gzip_static on; }
	        location /forbidden/ { alias $dir/root/files/; }
	        location /auth/ {
	            alias $dir/root/files/;
	            auth_basic "a test realm";
	            auth_basic_user_file $dir/users;
	        }
	        location /slow/ { alias $dir/root/files/; limit_rate 2k; }
	        location /delayed/ { alias $dir/root/files/; limit_req zone=one burst=5; }
	        location /nolength/ {
	            alias $dir/root/files/;
	            ssi on;
	            ssi_types *;
	            chunked_transfer_encoding off;
	        }
		CONF
		for code in 301 302 303 307 308; do
			echo "        location = /redirect/$code { return $code /files/hello.txt; }"
		done
		for i in 1 2 3 4 5; do
			echo "        location = /chain/$i { return 302 $( ((i > 1)) && echo "/chain/$((i - 1))" || echo /files/hello.txt); }"
		done
		for code in 200 400 401 403 404 405 406 410 416 418 429 451 500 501 502 503 504 505; do
			echo "        location = /status/$code { default_type text/plain; return $code 'Status $code.'; }"
		done
		cat <<-CONF
	        location = /status/204 { return 204; }
	        location = /loop { return 302 /loop; }
	        location = /relative { absolute_redirect off; return 302 files/hello.txt; }
	        location = /to-https { return 301 https://127.0.0.1:$((port + 1))/files/hello.txt; }
	        location = /to-echo { return 302 https://127.0.0.1:$((port + 1))/echo; }
	        location = /to-verified { return 302 https://127.0.0.1:$((port + 5))/echo; }
	        location = /to-other { return 302 ftp://127.0.0.1/; }
	        location = /cookie {
	            default_type text/plain;
	            add_header Set-Cookie "seen=yes; Path=/";
	            return 200 "cookie: \$http_cookie\n";
	        }
	        location = /echo {
	            default_type text/plain;
	            return 200 "\$request\nHost: \$http_host\nUser-Agent: \$http_user_agent\nAccept: \$http_accept\nAccept-Encoding: \$http_accept_encoding\nAuthorization: \$http_authorization\nCookie: \$http_cookie\nReferer: \$http_referer\nVia: \$http_via\nProtocol: \$ssl_protocol\nHTTP: \$server_protocol\nClient: \$ssl_client_s_dn\n";
	        }
	    }
		CONF
	done
	echo '}'
} >nginx.conf

# --- start -----------------------------------------------------------------
run nginx.out "$nginx" -p "$dir/" -e "$dir/error.log" -c "$dir/nginx.conf"
wait_port "$port"
for p in 1 4 5 6; do wait_port $((port + p)); done

echo "http://127.0.0.1:$port/files/hello.txt"
echo "https://127.0.0.1:$((port + 1))/files/hello.txt"
! has_ipv6 || echo "http://[::1]:$((port + 2))/files/hello.txt"
echo "http://alice:secret@127.0.0.1:$port/auth/hello.txt"
