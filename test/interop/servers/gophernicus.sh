#!/bin/bash
# gophernicus behind socat on the loopback address (it is an inetd program).
#
#   usage: gophernicus.sh WORKDIR PORT
#
#   PORT    gopher
#   PORT+1  the same over TLS (gophers), the TLS being done by socat
#
# Offers menus, text, binary, a search item (type 7), /caps.txt,
# /server-status.  No Gopher+.
# Debian packages: gophernicus socat openssl
# Root is given up for "nobody".
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

gophernicus=$(program GOPHERNICUS /usr/sbin/gophernicus)

needs "$gophernicus" socat openssl
begin 2 "$@"

mkdir -p root/{names,docs/deep,bin-files,cgi-bin}

# --- seed content ----------------------------------------------------------
printf 'Plain text.\nSecond line.\n' >root/docs/plain.txt
printf '.\n..\n.leading dot\nlast line\n' >root/docs/dots.txt
printf 'gr\xc3\xbc\xc3\x9fe, caf\xc3\xa9, \xe2\x82\xac\n' >root/docs/utf8.txt
printf 'gr\xfc\xdfe, caf\xe9\n' >root/docs/latin1.txt
printf 'spaces\n' >'root/docs/name with spaces.txt'
printf '<html><head><title>A page</title></head><body>Hello.</body></html>\n' >root/docs/page.html
: >root/docs/empty.txt
printf 'utf8\n' >$'root/names/gr\xc3\xbc\xc3\x9fe.txt'
printf 'latin1\n' >$'root/names/caf\xe9.txt'
printf 'reserved\n' >'root/names/a b#c%25.txt'
printf 'deep\n' >root/docs/deep/file.txt
all_octets >root/bin-files/bytes.bin
mebibyte >root/bin-files/big.txt
base64 -d >root/bin-files/dot.gif <<<R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
cat >root/cgi-bin/query.sh <<'SH'
#!/bin/sh
echo "You asked for: $QUERY_STRING"
printf '0A result for %s\t/docs/plain.txt\t%s\t%s\n' "$QUERY_STRING" "$SERVER_NAME" "$SERVER_PORT"
SH
chmod 755 root/cgi-bin/query.sh
cat >root/gophermap <<MAP
Welcome to a test server.

0Plain text	/docs/plain.txt
1Documents	/docs
1Binary files	/bin-files
7Search	/cgi-bin/query.sh
hA page	URL:http://www.example.net/
1Another server	/	gopher.example.net	70
8A telnet session	guest	telnet.example.net	23
MAP
date_all root

# --- start -----------------------------------------------------------------
certificate

as=()
if ((EUID == 0)); then
	as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
	# nobody may not be able to search the directories that lead to the unpacked program.
	cp "$gophernicus" program
	gophernicus=$dir/program
fi
options=(-h 127.0.0.1 -r "$dir/root" -nv -nm -ns -nu -nd)
printf '#!/bin/sh\nexec %s\n' "$(printf '%q ' "${as[@]}" "$gophernicus" -p "$port" "${options[@]}")" >plain
printf '#!/bin/sh\nexec %s\n' "$(printf '%q ' "${as[@]}" "$gophernicus" -p $((port + 1)) "${options[@]}")" >tls
chmod 755 plain tls
run plain.log socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:$dir/plain,nofork"
wait_port "$port"
run tls.log socat "OPENSSL-LISTEN:$((port + 1)),bind=127.0.0.1,reuseaddr,fork,verify=0,cert=$dir/cert.pem,key=$dir/key.pem" \
	"EXEC:$dir/tls"
wait_port $((port + 1))

echo "gopher://127.0.0.1:$port/"
echo "gopher://127.0.0.1:$port/0/docs/plain.txt"
echo "gopher://127.0.0.1:$port/1/docs"
echo "gopher://127.0.0.1:$port/9/bin-files/bytes.bin"
echo "gopher://127.0.0.1:$port/7/cgi-bin/query.sh%09word"
echo "gophers://127.0.0.1:$((port + 1))/0/docs/plain.txt"
