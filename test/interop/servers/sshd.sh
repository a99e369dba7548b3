#!/bin/bash
# OpenSSH's sshd with its SFTP server on the loopback address, for the user who runs this.
#
#   usage: sshd.sh WORKDIR PORT
#
#   PORT    logs in with the key WORKDIR/client; its files are those of this machine, the seed is WORKDIR/files; a third
#           login that begins while two are under way is refused; WORKDIR/sshd.log has a line for each login
#
# Debian packages: openssh-server openssh-sftp-server openssh-client
# Must be started as root: sshd separates its privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sshd=$(program SSHD /usr/sbin/sshd)
sftp_server=$(program SFTP_SERVER /usr/lib/openssh/sftp-server)

needs "$sshd" "$sftp_server" ssh-keygen "$system_lib/libnss_wrapper.so"
needs_root
begin 1 "$@"

mkdir -p /run/sshd
ssh_seed
[[ -e host ]] || ssh-keygen -q -t ed25519 -N '' -f host
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
MaxStartups 2
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
