#!/bin/bash
# Dovecot with POP3 and IMAP on the loopback address, for alice with the password secret.
#
#   usage: dovecot.sh WORKDIR PORT
#
#   PORT    POP3, with STLS      PORT+1  POP3 over TLS
#   PORT+2  IMAP, with STARTTLS  PORT+3  IMAP over TLS
#
# Debian packages: dovecot-core dovecot-pop3d dovecot-imapd
# Must be started as root: its processes change their user.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs /usr/sbin/dovecot /usr/lib/dovecot/pop3 /usr/lib/dovecot/imap openssl
needs_root
begin 4 "$@"
certificate

mail=$dir/mail
mkdir -p "$mail"/{cur,new,tmp} "$mail/.Archiv &AOQ-/cur" "$mail/.Archiv &AOQ-/new" "$mail/.Archiv &AOQ-/tmp"
printf 'From: Bob <bob@example.net>\nTo: alice@example.org\nSubject: Hello\nDate: Sat, 3 Feb 2001 04:05:06 +0000\nMessage-ID: <1@example.net>\n\nHello.\n.dot\n..\n' \
	>"$mail/cur/981173106.M1P1.host:2,S"
printf 'From: Ann <ann@example.net>\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\nDate: Sun, 4 Feb 2001 04:05:06 +0000\nMessage-ID: <2@example.net>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\nGr\303\274\303\237e\n--b\nContent-Type: application/octet-stream; name=a.bin\nContent-Transfer-Encoding: base64\n\nAAEC\n--b--\n' \
	>"$mail/cur/981259506.M2P1.host:2,"
cp "$mail/cur/981173106.M1P1.host:2,S" "$mail/.Archiv &AOQ-/cur/981173106.M1P1.host:2,"
# Mails as they come from old archives and from programs.
odd=$mail/.Odd
mkdir -p "$odd"/{cur,new,tmp}
printf 'From: J\303\274rgen <j@example.net>\nSubject: Gr\303\274\303\237e\nMessage-ID: <same@example.net>\n\n8-bit header\n' \
	>"$odd/cur/981173106.M1P1.host:2,"
printf 'Subject: caf\351\nMessage-ID: <same@example.net>\n\nLatin-1, and a bare CR\r in a line \000 NUL\n' \
	>"$odd/cur/981173107.M2P1.host:2,"
: >"$odd/cur/981173108.M3P1.host:2,"
{ awk 'BEGIN { for (i = 0; i < 3000; i++) printf "X-Long-%05d: %060d\n", i, i }' && printf '\nbehind a long header\n'; } \
	>"$odd/cur/981173109.M4P1.host:2,"
printf 'Subject: no body' >"$odd/cur/981173110.M5P1.host:2,"
printf '\nno header\n' >"$odd/cur/981173111.M6P1.host:2,"
printf 'Subject: CRLF\r\n\r\nlines\r\n.\r\n..\r\n' >"$odd/cur/981173112.M7P1.host:2,"
chown -R dovecot:dovecot "$mail"
echo "alice:{PLAIN}secret:$(id -u dovecot):$(id -g dovecot)::/nonexistent::" >users
chmod 644 users

cat >dovecot.conf <<CONF
base_dir = $dir/run
state_dir = $dir/run
log_path = $dir/mail.log
auth_mechanisms = plain
protocols = pop3 imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <$dir/cert.pem
ssl_key = <$dir/key.pem
disable_plaintext_auth = no
mail_location = maildir:$mail
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = $dir/users
}
userdb {
  driver = passwd-file
  args = $dir/users
}
service pop3-login {
  chroot =
  inet_listener pop3 {
    port = $port
  }
  inet_listener pop3s {
    port = $((port + 1))
    ssl = yes
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = $((port + 2))
  }
  inet_listener imaps {
    port = $((port + 3))
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
CONF
run dovecot.log /usr/sbin/dovecot -F -c "$dir/dovecot.conf"
wait_port "$port"
wait_port $((port + 2))

echo "pop3://alice@127.0.0.1:$port/"
echo "imap://alice@127.0.0.1:$((port + 2))/"
