#!/bin/bash
# proftpd with mod_sftp, an SSH server of its own, on the loopback address, for the user who runs this.
#
#   usage: proftpd-sftp.sh WORKDIR PORT
#
#   PORT    has an ECDSA host key alone; logs in with the key WORKDIR/client; its files are those of this machine, the
#           seed is WORKDIR/files; WORKDIR/proftpd-sftp.log has a line for each login
#
# Debian packages: proftpd-core proftpd-mod-crypto openssh-client
# Must be started as root.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

proftpd=$(program PROFTPD /usr/sbin/proftpd)
modules=$(program PROFTPD_MODULES /usr/lib/proftpd)

needs "$proftpd" "$modules/mod_sftp.so" ssh-keygen
needs_root
begin 1 "$@"

ssh_seed
[[ -e host ]] || ssh-keygen -q -t ecdsa -m PEM -N '' -f host
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 host.pub)" >known_hosts
# It wants keys in the form of RFC 4716, and a user of a file of its own.
ssh-keygen -e -m RFC4716 -f client.pub >authorized
user=$(id -un)
printf '%s:*:%s:%s::%s:/bin/sh\n' "$user" "$(id -u)" "$(id -g)" "$dir/files" >passwd
printf '%s:x:%s:\n' "$(id -gn)" "$(id -g)" >group
chmod 600 passwd group authorized

cat >proftpd.conf <<CONF
ModulePath $modules
LoadModule mod_sftp.c
ServerType standalone
ServerName "Test SFTP"
UseReverseDNS off
UseIPv6 off
User $user
Group $(id -gn)
SocketBindTight on
DefaultAddress 127.0.0.1
Port $port
RootLogin on
WtmpLog off
PidFile $dir/proftpd.own
ScoreboardFile $dir/scoreboard
SystemLog $dir/system.log
AuthOrder mod_auth_file.c
AuthUserFile $dir/passwd
AuthGroupFile $dir/group
RequireValidShell off
UseFtpUsers off
SFTPEngine on
SFTPLog $dir/proftpd-sftp.log
SFTPHostKey $dir/host
SFTPAuthMethods publickey
SFTPAuthorizedUserKeys file:$dir/authorized
CONF
run proftpd.out "$proftpd" -n -q -c "$dir/proftpd.conf"
wait_port "$port"

echo "sftp://127.0.0.1:$port$dir/files/"
