#!/bin/bash
# Records the pages beside it: what servers write for one small directory. Needs no root.
#
#   usage: record.sh UNPACKED
#
#   UNPACKED  where nginx, apache2-bin, libapr1, libaprutil1, lighttpd and caddy of Debian are unpacked (apt-get download, dpkg -x)
set -euo pipefail

pages=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
unpacked=$(realpath "$1")
work=$(mktemp -d)
port=18790
trap 'rm -rf "$work"' EXIT

# --- the directory ---------------------------------------------------------
mkdir -p "$work/root/files/sub dir" "$work/root/files/.well-known" "$work/bin"
cd "$work/root/files"
printf 'Hello.\n' >hello.txt
: >empty.txt
truncate -s 1234567 big.iso
printf '1' >"$(printf 'a-very-long-name-that-%.0s' 1 2 3 4)ends.tar.gz"
printf 'umlaut\n' >$'gr\xc3\xbc\xc3\x9fe.txt'
printf 'latin\n' >$'caf\xe9.txt'
printf 'percent\n' >'100%25#?.txt'
printf 'mark\n' >"<b>&\"'.txt"
printf 'colon\n' >'a:b.txt'
printf 'back\n' >'back\slash.txt'
find . -exec touch -h -d '2001-02-03 04:05:06 UTC' {} +
export TZ=UTC

# record FILE PATH [HEADER]...: what the server answers, once it does
record() {
	local file=$1 path=$2
	shift 2
	for _ in {1..100}; do
		curl -sS --fail "${@/#/-H}" -o "$pages/$file" "http://127.0.0.1:$port$path" 2>"$work/why" && return
		sleep 0.1
	done
	cat "$work/why" "$work"/*.log >&2
	exit 1
}

# serving COMMAND...: until `stop`
serving() { "$@" >>"$work/out.log" 2>&1 & server=$!; }
stop() { kill "$server"; wait "$server" || :; }

# --- nginx -----------------------------------------------------------------
cat >"$work/nginx.conf" <<CONF
daemon off; pid $work/nginx.pid; error_log $work/error.log;
$( ((EUID)) || echo 'user root;')
events {}
http {
    access_log off;
    client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
    server {
        listen 127.0.0.1:$port;
        root $work/root;
        location /files/ { autoindex on; }
        location /json/ { alias $work/root/files/; autoindex on; autoindex_format json; }
        location /rough/ { alias $work/root/files/; autoindex on; autoindex_exact_size off; }
    }
}
CONF
serving "$unpacked/usr/sbin/nginx" -c "$work/nginx.conf" -p "$work"
record nginx.html /files/
record nginx-rough.html /rough/
record nginx.json /json/
stop

# --- Apache ----------------------------------------------------------------
modules=$unpacked/usr/lib/apache2/modules
cat >"$work/apache.conf" <<CONF
ServerRoot $work
ServerName localhost
Listen 127.0.0.1:$port
PidFile $work/apache.pid
ErrorLog $work/error.log
$( ((EUID)) || printf 'User nobody\nGroup nogroup\n')
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule autoindex_module $modules/mod_autoindex.so
LoadModule alias_module $modules/mod_alias.so
LoadModule mime_module $modules/mod_mime.so
TypesConfig /dev/null
DocumentRoot $work/root
Alias /fancy $work/root/files
Alias /table $work/root/files
Alias /xhtml $work/root/files
<Directory $work/root>
    Options +Indexes
    Require all granted
</Directory>
<Location /fancy>
    IndexOptions FancyIndexing
    AddIcon /icons/text.gif .txt
    AddDescription "An image" big.iso
</Location>
<Location /table>
    IndexOptions FancyIndexing HTMLTable VersionSort NameWidth=*
    AddIcon /icons/text.gif .txt
</Location>
<Location /xhtml>
    IndexOptions FancyIndexing XHTML SuppressColumnSorting
</Location>
CONF
chmod -R a+rX "$work"
LD_LIBRARY_PATH=$(echo "$unpacked"/usr/lib/*-linux-gnu) serving "$unpacked/usr/sbin/apache2" -f "$work/apache.conf" -DFOREGROUND
record apache-list.html /files/
record apache-pre.html /fancy/
record apache-table.html /table/
record apache-xhtml.html /xhtml/
stop

# --- lighttpd --------------------------------------------------------------
cat >"$work/lighttpd.conf" <<CONF
server.document-root = "$work/root"
server.port = $port
server.bind = "127.0.0.1"
server.modules = ("mod_dirlisting")
dir-listing.activate = "enable"
dir-listing.encoding = "utf-8"
CONF
serving "$unpacked/usr/sbin/lighttpd" -D -f "$work/lighttpd.conf" -m "$unpacked/usr/lib/lighttpd"
record lighttpd.html /files/
stop

# --- Caddy -----------------------------------------------------------------
export HOME=$work
serving "$unpacked/usr/bin/caddy" file-server --browse --root "$work/root" --listen "127.0.0.1:$port"
record caddy.html /files/
record caddy.json /files/ 'Accept: application/json'
stop

# --- Python ----------------------------------------------------------------
serving python3 -m http.server --bind 127.0.0.1 --directory "$work/root" "$port"
record python.html /files/
stop
