#!/bin/bash
# Dropbear on the loopback address, with OpenSSH's SFTP server, for root.
#
#   usage: dropbear.sh WORKDIR PORT
#
#   PORT    has an ECDSA host key alone; logs in with the key WORKDIR/client; its files are those of this machine, the
#           seed is WORKDIR/files
#
# Debian packages: dropbear-bin openssh-sftp-server openssh-client
# Must be started as root: it logs root in.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

dropbear=$(program DROPBEAR /usr/sbin/dropbear)
dropbearkey=$(program DROPBEARKEY /usr/bin/dropbearkey)

# The path of the SFTP server is compiled into Dropbear.
needs "$dropbear" "$dropbearkey" /usr/lib/sftp-server ssh-keygen "$system_lib/libnss_wrapper.so"
needs_root
begin 1 "$@"

ssh_seed
[[ -e host ]] || "$dropbearkey" -t ecdsa -f host >host.log 2>&1
grep '^ecdsa-' host.log | cut -d' ' -f1,2 >host.pub
printf '[127.0.0.1]:%s %s\n' "$port" "$(<host.pub)" >known_hosts
# Its keys of root are those in root's home, which is one of ours here.
mkdir -p home/.ssh
cp client.pub home/.ssh/authorized_keys
chmod 700 home home/.ssh
chmod 600 home/.ssh/authorized_keys
sed "s|^\(root:[^:]*:[^:]*:[^:]*:[^:]*\):[^:]*:.*|\1:$dir/home:/bin/sh|" /etc/passwd >passwd
cp /etc/group group
run dropbear.log env LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$dir/passwd" NSS_WRAPPER_GROUP="$dir/group" \
	"$dropbear" -F -E -s -m -r host -p "127.0.0.1:$port" -P "$dir/dropbear.own"
wait_port "$port"

echo "sftp://root@127.0.0.1:$port$dir/files/"
