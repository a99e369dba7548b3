#!/bin/bash
# pygopherd on the loopback address.
#
#   usage: pygopherd.sh WORKDIR PORT
#
#   PORT    gopher and Gopher+; the same port also answers TLS (gophers) and
#           HTTP, Gemini and Spartan requests
#
# Offers menus, text, binary, mailbox folders, a search item (type 7), Gopher+
# attributes with an abstract and an ASK block.
# Debian packages: pygopherd python3-simpletal openssl
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pygopherd=$(program PYGOPHERD /usr/sbin/pygopherd)
shipped=$(program PYGOPHERD_CONF /etc/pygopherd/pygopherd.conf)
modules=/usr/lib/python3/dist-packages

needs "$pygopherd" "$shipped" "$modules/simpletal" openssl
begin 1 "$@"

mkdir -p root/{names,docs/deep,bin-files,search}

# --- seed content ----------------------------------------------------------
printf 'Plain text.\nSecond line.\n' >root/docs/plain.txt
printf '.\n..\n.leading dot\nlast line\n' >root/docs/dots.txt
printf 'gr\xc3\xbc\xc3\x9fe, caf\xc3\xa9, \xe2\x82\xac\n' >root/docs/utf8.txt
printf 'gr\xfc\xdfe, caf\xe9\n' >root/docs/latin1.txt
printf '<html><head><title>A page</title></head><body>Hello.</body></html>\n' >root/docs/page.html
: >root/docs/empty.txt
printf 'utf8\n' >$'root/names/gr\xc3\xbc\xc3\x9fe.txt'
printf 'latin1\n' >$'root/names/caf\xe9.txt'
printf 'reserved\n' >'root/names/a b#c%25.txt'
printf 'deep\n' >root/docs/deep/file.txt
all_octets >root/bin-files/bytes.bin
mebibyte >root/bin-files/big.txt
base64 -d >root/bin-files/dot.gif <<<R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
{
	for i in 1 2; do
		printf 'From ann@example.net Sat Feb  3 04:05:06 2001\n'
		printf 'From: ann@example.net\nSubject: Message %d\nDate: Sat, 03 Feb 2001 04:05:06 +0000\n\nBody %d.\n\n' "$i" "$i"
	done
} >root/docs/folder.mbox
# Gopher+ attributes: files next to the document.
printf 'The abstract of the plain text.\nIt has two lines.\n' >root/docs/plain.txt.abstract
printf 'plain text keywords\n' >root/docs/plain.txt.keywords
printf 'Ask: Your name?\tnobody\nChoose: Colour?\tred\tgreen\n' >root/docs/plain.txt.ask
printf 'The abstract of the directory.\n' >root/docs/.abstract
mkdir -p root/docs/.cap
printf 'Name=A name from .cap\nNumb=1\n' >root/docs/.cap/dots.txt
cat >root/docs/.Links <<LINKS
Name=An item of another server
Type=1
Path=/elsewhere
Host=gopher.example.net
Port=70
LINKS
# A search program, and a menu that offers it.
cat >root/search/query.sh <<'SH'
#!/bin/sh
echo "You asked for: $SEARCHREQUEST"
SH
chmod 755 root/search/query.sh
cat >root/gophermap <<MAP
Welcome to a test server.

0Plain text	/docs/plain.txt
1Documents	/docs
1Binary files	/bin-files
7Search	/search/query.sh
hA page	URL:http://www.example.net/
1Another server	/	gopher.example.net	70
8A telnet session	guest	telnet.example.net	23
MAP
date_all root

# --- configuration ---------------------------------------------------------
certificate
cat >pygopherd.conf <<CONF
[pygopherd]
detach = no
interface = 127.0.0.1
port = $port
servername = 127.0.0.1
servertype = ForkingTCPServer
timeout = 60
abstract_headers = on
abstract_entries = always
tracebacks = no
usechroot = no
root = $dir/root
mimetypes = /etc/pygopherd/mime.types:/etc/mime.types
encoding = list(mimetypes.encodings_map.items())
enable_tls = yes
tls_certfile = $dir/cert.pem
tls_keyfile = $dir/key.pem
[logger]
logmethod = file
priority = LOG_INFO
facility = LOG_LOCAL3
[handlers.HandlerMultiplexer]
handlers = [url.HTMLURLHandler, gophermap.BuckGophermapHandler, scriptexec.ExecHandler, UMN.UMNDirHandler, html.HTMLFileTitleHandler, mbox.MBoxMessageHandler, mbox.MBoxFolderHandler, file.FileHandler]
[handlers.dir.DirHandler]
ignorepatt = /\.cap$|/\.cache|/gophermap$|\.abstract$|\.keywords$|\.ask$|~$
cachetime = 0
cachefile = .cache.pygopherd.dir
[handlers.UMN.UMNDirHandler]
extstrip = none
[protocols.ProtocolMultiplexer]
protocols = [wap.WAPProtocol, gemini.GeminiProtocol, http.HTTPProtocol, http.HTTPSProtocol, spartan.SpartanProtocol, gopherp.GopherPlusProtocol, gopherp.SecureGopherPlusProtocol, rfc1436.GopherProtocol, rfc1436.SecureGopherProtocol]
[protocols.gopherp.GopherPlusProtocol]
admin = Ann Admin <ann@example.net>
[protocols.http.HTTPProtocol]
iconmapping = {}
[protocols.wap.WAPProtocol]
waptop = /wap
CONF
# The remaining options as in the file of the package.
sed -n '/^\[GopherEntry\]/,/^\[handlers.Handler/{/^\[handlers/!p}' \
	"$shipped" >>pygopherd.conf
sed -n '/^\[handlers.file.Comp/,/^\[handlers.dir/{/^\[handlers.dir/!p}
	/^\[handlers.ZIP/,/^\[protocols.Prot/{/^\[protocols.Prot/!p}' \
	"$shipped" >>pygopherd.conf

# --- start -----------------------------------------------------------------
run pygopherd.log env PYTHONPATH="$unpacked$modules" /usr/bin/python3 "$pygopherd" "$dir/pygopherd.conf"
wait_port "$port"

echo "gopher://127.0.0.1:$port/"
echo "gopher://127.0.0.1:$port/0/docs/plain.txt"
echo "gopher://127.0.0.1:$port/1/docs"
echo "gopher://127.0.0.1:$port/9/bin-files/bytes.bin"
echo "gopher://127.0.0.1:$port/7/search/query.sh%09word"
echo "gophers://127.0.0.1:$port/0/docs/plain.txt"
