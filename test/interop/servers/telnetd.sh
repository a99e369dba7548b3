#!/bin/bash
# inetutils-telnetd behind socat on the loopback address, giving a harmless
# program instead of a login.
#
#   usage: telnetd.sh WORKDIR PORT
#
#   PORT    telnetd with its option negotiation; the program prints a banner and
#           answers "hello", "date", "env", "bytes" and "quit"
#   PORT+1  a plain TCP banner without any negotiation, then end of file
#
# Debian packages: inetutils-telnetd socat
# Must be started as root (telnetd opens a pty and writes utmp).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

telnetd=$(program TELNETD /usr/sbin/telnetd)

needs "$telnetd" socat
needs_root
begin 2 "$@"

cat >program <<'SH'
#!/bin/sh
# The conversation partner; reads commands until "quit" or end of file.
echo 'Welcome to a test service.'
printf 'command> '
while read -r line; do
	case $line in
	hello*) echo 'Hello to you.' ;;
	date*) echo 'Sat Feb  3 04:05:06 UTC 2001' ;;
	env*) echo "TERM=$TERM"; stty size ;;
	bytes*) printf 'high \377 \376 bytes, caf\303\251\n' ;;
	# When its program ends, telnetd drops what it has not read yet.
	quit*) echo 'Goodbye.'; sleep 0.5; exit 0 ;;
	*) echo 'What?' ;;
	esac
	printf 'command> '
done
SH
printf '#!/bin/sh\nexec %q -h -E %q\n' "$telnetd" "$dir/program" >session
printf '#!/bin/sh\nprintf "A plain banner.\\r\\nSecond line.\\r\\n"\n' >banner
chmod 755 program session banner

run telnetd.log socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:$dir/session,nofork"
wait_port "$port"
run banner.log socat "TCP4-LISTEN:$((port + 1)),bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:$dir/banner"
wait_port $((port + 1))

echo "telnet://127.0.0.1:$port/"
echo "telnet://127.0.0.1:$((port + 1))/"
