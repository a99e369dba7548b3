#!/bin/bash
# proftpd on the loopback address.
#
#   usage: proftpd.sh WORKDIR PORT
#
#   PORT    plain FTP, AUTH TLS optional, no TLS session reuse demanded
#   PORT+1  implicit TLS (ftps), no session reuse demanded
#   PORT+2  AUTH TLS mandatory, data connections must resume the TLS session
#
# Users: anonymous (read only) and alice / secret (AuthUserFile, no system
# account).  MLSD/MLST, MODE Z, HASH/XMD5/XSHA1/XCRC and UTF8 are on.
# Debian packages: proftpd-core proftpd-mod-crypto openssl
# Must be started as root.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

proftpd=$(program PROFTPD /usr/sbin/proftpd)
modules=$(program PROFTPD_MODULES /usr/lib/proftpd)

needs "$proftpd" "$modules/mod_tls.so" openssl
needs_root
begin 3 "$@"

ftp_seed

printf 'Message of the directory.\n' >root/pub/sub/.message
touch -d '2001-02-03 04:05:06 UTC' root/pub/sub/.message root/pub/sub

# --- certificate and virtual user ------------------------------------------
certificate
printf 'alice:%s:65534:65534::%s:/bin/sh\nnobody:*:65534:65534::%s:/bin/sh\n' \
	"$(openssl passwd -6 secret)" "$dir/root" "$dir/root" >passwd
printf 'nogroup:x:65534:\n' >group
chmod 600 passwd group

# --- configuration ---------------------------------------------------------
listener() { # TLS directives, one per argument
	cat <<-CONF
	  AuthOrder mod_auth_file.c
	  AuthUserFile $dir/passwd
	  AuthGroupFile $dir/group
	  RequireValidShell off
	  DefaultRoot ~
	  UseFtpUsers off
	  DisplayLogin $dir/login.msg
	  DisplayChdir .message true
	  TLSEngine on
	  TLSProtocol TLSv1.2 TLSv1.3
	  TLSRSACertificateFile $dir/cert.pem
	  TLSRSACertificateKeyFile $dir/key.pem
	  TLSVerifyClient off
	  TLSLog $dir/tls.log
	  DeflateEngine on
	  <Anonymous $dir/root>
	    User nobody
	    Group nogroup
	    UserAlias anonymous nobody
	    UserAlias ftp nobody
	    AnonRequirePassword off
	    RequireValidShell off
	    <Limit WRITE>
	      DenyAll
	    </Limit>
	  </Anonymous>
	CONF
	printf '  %s\n' "$@"
}
printf 'Welcome, %%U, to a test server.\nThe time here is of no concern.\n' >login.msg
{
	cat <<-CONF
	ModulePath $modules
	LoadModule mod_tls.c
	LoadModule mod_deflate.c
	LoadModule mod_digest.c
	ServerType standalone
	ServerName "Test FTP"
	UseReverseDNS off
	UseIPv6 off
	User nobody
	Group nogroup
	SocketBindTight on
	DefaultAddress 127.0.0.1
	Port $port
	TimesGMT on
	ListOptions "-la"
	WtmpLog off
	DelayEngine off
	PidFile $dir/proftpd.pid
	ScoreboardFile $dir/scoreboard
	ControlsEngine off
	SystemLog $dir/proftpd.log
	TransferLog $dir/xferlog
	CONF
	listener 'TLSRequired off' 'TLSOptions NoSessionReuseRequired'
	echo '<VirtualHost 127.0.0.1>'
	echo "  Port $((port + 1))"
	echo '  ServerName "Test FTP, implicit TLS"'
	listener 'TLSRequired on' 'TLSOptions UseImplicitSSL NoSessionReuseRequired'
	echo '</VirtualHost>'
	echo '<VirtualHost 127.0.0.1>'
	echo "  Port $((port + 2))"
	echo '  ServerName "Test FTP, TLS with session reuse"'
	listener 'TLSRequired on'
	echo '</VirtualHost>'
} >proftpd.conf

# --- start -----------------------------------------------------------------
run proftpd.out "$proftpd" -n -c "$dir/proftpd.conf"
for p in "$port" $((port + 1)) $((port + 2)); do wait_port "$p"; done

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
echo "ftps://127.0.0.1:$((port + 1))/pub/hello.txt"
echo "ftp://127.0.0.1:$((port + 2))/pub/hello.txt (AUTH TLS, session reuse)"
