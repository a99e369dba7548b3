#!/bin/bash
# sn (a small news server) behind socat on the loopback address.
#
#   usage: sn.sh WORKDIR PORT
#
#   PORT    reading and posting, no password, no TLS, RFC 977 commands + XOVER
#
# Groups: test.alpha (articles 10-49; sn begins at 10), test.beta, test.moderated, test.empty.
# Debian packages: sn socat
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

bin=$(program SN_BIN /usr/sbin)
# The package installs the server as snntpd.bin, with snntpd a wrapper for it.
snntpd=$bin/snntpd.bin
[[ -x $snntpd ]] || snntpd=$bin/snntpd

needs "$snntpd" "$bin/snstore" socat
begin 1 "$@"

mkdir -p spool log
source "$here/articles.sh"

# --- spool -----------------------------------------------------------------
export SNROOT=$dir/spool
for g in test.alpha test.beta test.moderated test.empty; do
	"$bin/snnewgroup" "$g" 2>>log/snnewgroup.out
done
echo 'First test group.' >spool/test.alpha/.info
echo 'Second test group.' >spool/test.beta/.info
# Wire format: CRLF, doubled dots, a lone dot after each article.
for a in "${order[@]}"; do
	sed -e 's/^\./../' -e 's/$/\r/' "$a"
	printf '.\r\n'
done | "$bin/snstore" 2>log/snstore.out

# --- start -----------------------------------------------------------------
run log/sn.log env POSTING_OK= socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:$snntpd,nofork"
wait_port "$port"

echo "nntp://127.0.0.1:$port/test.alpha/10"
echo "news://127.0.0.1:$port/alpha1@example.net"
