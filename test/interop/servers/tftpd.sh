#!/bin/bash
# tftpd-hpa on the loopback address, over UDP.
#
#   usage: tftpd.sh WORKDIR PORT
#
#   PORT    root/: plain.txt, empty.txt, bytes.bin (256 octets), big.bin (a mebibyte)
#
# Debian package: tftpd-hpa
# Must be started as root (in.tftpd changes its root).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tftpd=$(program TFTPD /usr/sbin/in.tftpd)

needs "$tftpd"
needs_root
begin 1 "$@"

mkdir -p root
printf 'Plain text.\nSecond line.\n' >root/plain.txt
: >root/empty.txt
for ((i = 0; i < 256; i++)); do printf "\\x$(printf %x "$i")"; done >root/bytes.bin
for ((i = 0; i < 4096; i++)); do cat root/bytes.bin; done >root/big.bin
chmod -R a+r root
run tftpd.log "$tftpd" --listen --foreground --address "127.0.0.1:$port" --secure --user nobody "$dir/root"
# Nothing answers over TCP: the socket is there once the kernel lists it.
for ((i = 0; i < 500; i++)); do
	! grep -qi ":$(printf %04X "$port") " /proc/net/udp || break
	alive "$started" || fail "ended at once: $(tail -n 3 tftpd.log)"
	sleep 0.02
done

echo "tftp://127.0.0.1:$port/plain.txt"
