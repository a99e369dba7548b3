#!/bin/bash
# The IMAP server of GNU Mailutils on the loopback address, for alice with the password secret.
#
#   usage: imap4d.sh WORKDIR PORT
#
#   PORT    IMAP over the mailbox file WORKDIR/mail/alice
#
# Debian package: mailutils-imap4d
# Must be started as root: its processes change their user.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Its libraries and their plug-ins have fixed paths, so it is installed.
needs /usr/sbin/imap4d openssl "$system_lib/libnss_wrapper.so"
needs_root
begin 1 "$@"

mkdir -p mail home
printf 'From bob@example.net Sat Feb  3 04:05:06 2001\nFrom: Bob <bob@example.net>\nSubject: Hello\nMessage-ID: <1@example.net>\n\nHello.\n.dot\n\nFrom ann@example.net Sun Feb  4 04:05:06 2001\nFrom: Ann <ann@example.net>\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Type: application/octet-stream; name=a.bin\nContent-Transfer-Encoding: base64\n\nAAEC\n--b--\n\n' >mail/alice
chown -R nobody mail home
chmod 600 mail/alice
cp /etc/passwd passwd
cp /etc/group group
echo "alice:$(openssl passwd -6 secret):$(id -u nobody):$(id -g nobody)::$dir/home:/bin/sh" >>passwd
cat >imap4d.conf <<CONF
logging { syslog no; };
auth {
  authentication clear;
  authentication generic;
  authentication system;
  authorization clear;
  authorization system;
};
mailbox { mailbox-pattern "$dir/mail/\${user}"; };
server 127.0.0.1:$port { tls-mode no; };
pidfile $dir/own.pid;
CONF
run imap4d.log env LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$dir/passwd" NSS_WRAPPER_GROUP="$dir/group" \
	/usr/sbin/imap4d --no-site-config --config-file="$dir/imap4d.conf" --daemon --foreground
wait_port "$port"

echo "imap://alice@127.0.0.1:$port/"
