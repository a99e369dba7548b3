#!/bin/bash
# pure-ftpd on the loopback address.
#
#   usage: pure-ftpd.sh WORKDIR PORT
#
#   PORT    plain FTP, AUTH TLS optional
#   PORT+1  AUTH TLS mandatory for control and data connections
#
# Users: anonymous (read only) and alice / secret (PureDB file, no system
# account).  Anonymous FTP needs a passwd entry called "ftp"; it is supplied by
# nss_wrapper, so none has to exist on the system.
# There is no implicit TLS in pure-ftpd.
# Debian packages: pure-ftpd libnss-wrapper openssl
# Must be started as root.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pureftpd=$(program PURE_FTPD /usr/sbin/pure-ftpd)
purepw=$(program PURE_PW /usr/bin/pure-pw)

needs "$pureftpd" "$purepw" "$system_lib/libnss_wrapper.so" openssl
needs_root
begin 2 "$@"

ftp_seed

# --- certificate and users -------------------------------------------------
certificate
cat key.pem cert.pem >both.pem
chmod 600 key.pem both.pem
# A SHA-512 hash: the argon2 hash that "pure-pw useradd" makes takes the server
# seconds for every login.
printf 'alice:%s:65534:65534::%s/./::::::::::::\n' \
	"$(openssl passwd -6 secret)" "$dir/root" >users
"$purepw" mkdb users.pdb -f users
{
	grep -v '^ftp:' /etc/passwd
	echo "ftp:x:65534:65534::$dir/root:/usr/sbin/nologin"
} >passwd
cp /etc/group group
chmod 644 passwd group

# --- start -----------------------------------------------------------------
# nss_wrapper goes on the command line of env, not into the environment of
# this shell, so that it reaches the server alone.
start() { # port, further options
	run "start.$1.out" env LD_PRELOAD="$system_lib/libnss_wrapper.so" \
		NSS_WRAPPER_PASSWD="$dir/passwd" NSS_WRAPPER_GROUP="$dir/group" \
		"$pureftpd" -4 -S "127.0.0.1,$1" -l "puredb:$dir/users.pdb" \
		-g "$dir/daemon.$1.pid" -H -u 1 -i -D -f none \
		-2 "$dir/both.pem" "${@:2}"
	wait_port "$1"
}
start "$port" -Y 1
start $((port + 1)) -Y 3

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$((port + 1))/pub/hello.txt (AUTH TLS)"
