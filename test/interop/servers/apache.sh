#!/bin/bash
# Apache httpd on the loopback address.
#
#   usage: apache.sh WORKDIR PORT
#
#   PORT    HTTP/1.1
#   PORT+1  HTTPS, certificate of its own CA (ca.pem), HTTP/1.1 and HTTP/2
#
# /files/   static files with a FancyIndexing listing      /table/  the same listing as an HTML table
# /plain/   the same as a bare list of links               /hidden/ no listing: 403
# /basic/   basic authentication, alice / secret
# /digest/  digest authentication (MD5, qop=auth), alice / secret; /digest/sub/ is another realm's: bob / hidden
# Debian packages: apache2-bin openssl
# Root is given up for "nobody".
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

apache=$(program APACHE /usr/sbin/apache2)
modules=$(program APACHE_MODULES /usr/lib/apache2/modules)

needs "$apache" "$modules/mod_auth_digest.so" openssl
begin 2 "$@"

# --- seed content ----------------------------------------------------------
http_seed root/files
date_all root

# --- configuration ---------------------------------------------------------
signed_certificate
# digest USER REALM PASSWORD: a line as htdigest makes it.
digest() { echo "$1:$2:$(printf %s "$1:$2:$3" | openssl md5 -r | cut -d' ' -f1)"; }
digest alice 'a digest realm' secret >digests
digest bob 'another realm' hidden >other-digests
echo "alice:$(openssl passwd -apr1 secret)" >users
cat >httpd.conf <<CONF
ServerRoot $dir
ServerName localhost
PidFile $dir/httpd.pid
DefaultRuntimeDir $dir
ErrorLog $dir/error.log
LogFormat "%{local}p %H %m %U%q %>s" short
CONF
{
	for module in mpm_event authn_core authn_file authz_core authz_user auth_basic auth_digest dir autoindex alias mime \
		ssl http2 socache_shmcb; do
		[[ ! -e $modules/mod_$module.so ]] || echo "LoadModule ${module}_module $modules/mod_$module.so"
	done
	cat <<-CONF
	$( ((EUID)) || printf 'User nobody\nGroup nogroup')
	CustomLog $dir/access.log short
	Listen 127.0.0.1:$port
	Listen 127.0.0.1:$((port + 1))
	DocumentRoot $dir/root
	StartServers 1
	ServerLimit 2
	ThreadsPerChild 25
	MaxRequestWorkers 50
	TypesConfig /dev/null
	AddType text/plain .txt
	AddType text/html .html
	AddType application/octet-stream .bin
	IndexIgnore ..
	<Directory $dir/root>
	    Options +Indexes
	    Require all granted
	    IndexOptions FancyIndexing NameWidth=* Charset=UTF-8
	</Directory>
	Alias /table $dir/root/files
	<Location /table>
	    IndexOptions +HTMLTable
	</Location>
	Alias /plain $dir/root/files
	<Location /plain>
	    IndexOptions -FancyIndexing
	</Location>
	Alias /hidden $dir/root/files
	<Location /hidden>
	    Options -Indexes
	</Location>
	Alias /basic $dir/root/files
	<Location /basic>
	    AuthType Basic
	    AuthName "a test realm"
	    AuthBasicProvider file
	    AuthUserFile $dir/users
	    Require valid-user
	</Location>
	Alias /digest $dir/root/files
	<Location /digest>
	    AuthType Digest
	    AuthName "a digest realm"
	    AuthDigestProvider file
	    AuthUserFile $dir/digests
	    Require valid-user
	</Location>
	<Location /digest/sub>
	    AuthName "another realm"
	    AuthUserFile $dir/other-digests
	</Location>
	<VirtualHost 127.0.0.1:$((port + 1))>
	    SSLEngine on
	    SSLCertificateFile $dir/cert.pem
	    SSLCertificateKeyFile $dir/key.pem
	    Protocols h2 http/1.1
	</VirtualHost>
	CONF
} >>httpd.conf

# --- start -----------------------------------------------------------------
run httpd.out "$apache" -D FOREGROUND -f "$dir/httpd.conf"
wait_port "$port"
wait_port $((port + 1))

echo "http://127.0.0.1:$port/files/"
echo "https://127.0.0.1:$((port + 1))/files/"
echo "http://alice:secret@127.0.0.1:$port/digest/hello.txt"
