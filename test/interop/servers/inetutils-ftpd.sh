#!/bin/bash
# inetutils-ftpd behind socat on the loopback address (it has no option for a
# port of its own and wants to be started by inetd).
#
#   usage: inetutils-ftpd.sh WORKDIR PORT
#
#   PORT    plain FTP; no TLS, no MLSD
#
# Users: anonymous (read only, needs a passwd entry "ftp", supplied by
# nss_wrapper) and alice / secret (also from nss_wrapper: passwd + shadow).
# Debian packages: inetutils-ftpd socat libnss-wrapper openssl
# Must be started as root.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ftpd=$(program INETUTILS_FTPD /usr/sbin/ftpd)

needs "$ftpd" "$system_lib/libnss_wrapper.so" socat openssl
needs_root
begin 1 "$@"

ftp_seed

# --- users -----------------------------------------------------------------
{
	grep -Ev '^(ftp|alice):' /etc/passwd
	echo "ftp:x:65534:65534::$dir/root:/bin/sh"
	echo "alice:x:65534:65534::$dir/root:/bin/sh"
} >passwd
cp /etc/group group
echo "alice:$(openssl passwd -6 secret):19000:0:99999:7:::" >shadow
chmod 644 passwd group
chmod 600 shadow

# --- start -----------------------------------------------------------------
cat >session <<-SH
#!/bin/sh
LD_PRELOAD=$system_lib/libnss_wrapper.so
NSS_WRAPPER_PASSWD=$dir/passwd
NSS_WRAPPER_GROUP=$dir/group
NSS_WRAPPER_SHADOW=$dir/shadow
export LD_PRELOAD NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP NSS_WRAPPER_SHADOW
exec $ftpd -l
SH
chmod 755 session
run inetutils-ftpd.log socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:$dir/session,nofork"
wait_port "$port"

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/%2F${dir#/}/root/pub/hello.txt"
