#!/bin/bash
# squid on the loopback address.
#
#   usage: squid.sh WORKDIR PORT
#
#   PORT    HTTP proxy, CONNECT to any port, also fetches ftp:// URLs; no password, no cache
#   PORT+1  the same, with basic authentication: alice / secret
#   PORT+2  the same as PORT, the proxy itself spoken to over TLS
#   PORT+4  the same, with digest authentication (MD5, qop=auth) alone: bob / hidden
#
# With $SQUID_PARENT, the port of another proxy here, all requests go to that one.
#
# Debian packages: squid squid-common squid-langpack openssl
# Root is given up for "nobody".
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

squid=$(program SQUID /usr/sbin/squid)
ncsa=$(program SQUID_NCSA_AUTH /usr/lib/squid/basic_ncsa_auth)
digest=$(program SQUID_DIGEST_AUTH /usr/lib/squid/digest_file_auth)
share=$(program SQUID_SHARE /usr/share/squid)
langpack=$(program SQUID_LANGPACK /usr/share/squid-langpack)

needs "$squid" "$ncsa" "$digest" "$share/mime.conf" "$langpack/templates" openssl
begin 5 "$@"

mkdir -p run
certificate
echo "alice:$(openssl passwd -apr1 secret)" >users
echo "bob:a test proxy:$(printf 'bob:a test proxy:hidden' | openssl md5 -r | cut -d' ' -f1)" >digests
cat >squid.conf <<CONF
http_port 127.0.0.1:$port
http_port 127.0.0.1:$((port + 1))
http_port 127.0.0.1:$((port + 4))
https_port 127.0.0.1:$((port + 2)) tls-cert=$dir/cert.pem tls-key=$dir/key.pem
pid_filename none
visible_hostname localhost
cache_effective_user nobody
cache_effective_group nogroup
mime_table $share/mime.conf
icon_directory $share/icons
error_directory $langpack/templates
cache deny all
cache_mem 8 MB
access_log stdio:$dir/run/access.log
cache_log $dir/run/cache.log
cache_store_log none
coredump_dir $dir/run
netdb_filename none
pinger_enable off
unlinkd_program /bin/true
shutdown_lifetime 0 seconds
max_filedescriptors 1024
auth_param basic program $ncsa $dir/users
auth_param basic realm a test proxy
auth_param digest program $digest -c $dir/digests
auth_param digest realm a test proxy
acl with_digest localport $((port + 4))
auth_schemes digest with_digest
auth_schemes basic all
acl with_password localport $((port + 1))
acl alice proxy_auth alice
acl bob proxy_auth bob
http_access deny with_password !alice
http_access deny with_digest !bob
http_access allow all
CONF
if [[ -n ${SQUID_PARENT:-} ]]; then
	cat >>squid.conf <<CONF
cache_peer 127.0.0.1 parent $SQUID_PARENT 0 no-query no-digest default
never_direct allow all
CONF
fi
if ((EUID == 0)); then chown -R nobody:nogroup run; fi

# --- start -----------------------------------------------------------------
run squid.out "$squid" -N -n "t$port" -f "$dir/squid.conf"
for p in "$port" $((port + 1)) $((port + 2)) $((port + 4)); do wait_port "$p"; done

echo "http://127.0.0.1:$port (HTTP proxy)"
echo "http://alice:secret@127.0.0.1:$((port + 1)) (HTTP proxy, password)"
echo "http://bob:hidden@127.0.0.1:$((port + 4)) (HTTP proxy, password by digest)"
echo "https://127.0.0.1:$((port + 2)) (HTTP proxy over TLS)"
