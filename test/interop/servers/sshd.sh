#!/bin/bash
# OpenSSH's sshd with its SFTP server on the loopback address, for the user who runs this.
#
#   usage: sshd.sh WORKDIR PORT
#
#   PORT    logs in with the key WORKDIR/client; its files are those of this machine, the seed is WORKDIR/files
#
# Debian packages: openssh-server openssh-sftp-server openssh-client
# Must be started as root: sshd separates its privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sshd=$(program SSHD /usr/sbin/sshd)
sftp_server=$(program SFTP_SERVER /usr/lib/openssh/sftp-server)

needs "$sshd" "$sftp_server" ssh-keygen "$system_lib/libnss_wrapper.so"
needs_root
begin 1 "$@"

mkdir -p files/sub /run/sshd
printf 'Hello.\n' >files/hello.txt
head -c 3000001 /dev/urandom >files/big.bin
: >files/empty
printf 'x' >'files/name with blanks %41'
printf 'umlaut\n' >$'files/gr\303\274\303\237e.txt'
ln -sfn hello.txt files/link
TZ=UTC touch -d '2001-02-03 04:05:06' files/hello.txt
[[ -e host ]] || ssh-keygen -q -t ed25519 -N '' -f host
[[ -e client ]] || ssh-keygen -q -t ed25519 -N '' -f client
cp client.pub authorized
chmod 600 authorized
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 host.pub)" >known_hosts

cat >sshd_config <<CONF
ListenAddress 127.0.0.1:$port
HostKey $dir/host
PidFile none
AuthorizedKeysFile $dir/authorized
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
Subsystem sftp $sftp_server
CONF
sshd=$(realpath "$sshd")
# sshd wants a user of its own, which only the installed package makes.
cp /etc/passwd passwd
cp /etc/group group
grep -q '^sshd:' passwd || echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >>passwd
run sshd.log env LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$dir/passwd" NSS_WRAPPER_GROUP="$dir/group" \
	"$sshd" -D -e -f "$dir/sshd_config"
wait_port "$port"

echo "sftp://127.0.0.1:$port$dir/files/"
