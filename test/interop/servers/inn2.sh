#!/bin/bash
# INN 2 on the loopback address: a private instance below WORKDIR.
#
#   usage: inn2.sh WORKDIR PORT
#
#   PORT    nnrpd, reading and posting without a password; STARTTLS
#   PORT+1  innd itself: transit mode, hands over to nnrpd on MODE READER
#   PORT+2  nnrpd with implicit TLS (NNTPS)
#   PORT+3  nnrpd, AUTHINFO USER/PASS needed for everything: alice / secret
#
# Groups: test.alpha (articles 1-40, 40 cancelled), test.beta (11 articles),
# test.moderated (1 article), test.empty, sparse.alpha (articles 1-20, of which 1, 10, 19 and 20 are left).
# Debian packages: inn2 openssl
# Must be started as root; runs as "news".
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

news=$(program INN_HOME /usr/lib/news)
as_news=(setpriv --reuid=news --regid=news --clear-groups)

needs "$news/bin/innd" "$news/bin/rnews" openssl
needs_root
begin 4 "$@"

mkdir -p etc db log run filter tmp spool/{articles,overview,incoming/{tmp,bad},outgoing,archive,innfeed}
source "$here/articles.sh"
for i in {1..20}; do
	article sparse.alpha "sparse$i" "Article $i of the sparse group" '' "This is article $i.\n"
done

# "news" may not be able to search the directories that lead to the unpacked programs.
cp -R "$news" home
bin=$dir/home/bin
export LD_LIBRARY_PATH=$dir/home

# --- configuration ---------------------------------------------------------
certificate etc
cat >etc/inn.conf <<CONF
mta: "/bin/true %s"
mailcmd: /bin/true
organization: "A test site"
ovmethod: tradindexed
hismethod: hisv6
pathhost: news.example.net
domain: example.net
server: 127.0.0.1
runasuser: news
runasgroup: news
pathnews: $dir/home
pathbin: $bin
pathetc: $dir/etc
pathdb: $dir/db
pathlog: $dir/log
pathrun: $dir/run
pathfilter: $dir/filter
patharchive: $dir/spool/archive
patharticles: $dir/spool/articles
pathincoming: $dir/spool/incoming
pathoutgoing: $dir/spool/outgoing
pathoverview: $dir/spool/overview
pathspool: $dir/spool
pathtmp: $dir/tmp
bindaddress: 127.0.0.1
port: $((port + 1))
artcutoff: 0
allownewnews: true
docancels: none
enableoverview: true
extraoverviewadvertised: [ Newsgroups ]
extraoverviewhidden: [ ]
nnrpdauthsender: false
nnrpdloadlimit: 0
pgpverify: false
doinnwatch: false
tlscapath: $dir/etc
tlscafile: ""
tlscertfile: $dir/etc/cert.pem
tlskeyfile: $dir/etc/key.pem
CONF
cat >etc/storage.conf <<'CONF'
method tradspool {
    newsgroups: *
    class: 0
}
CONF
cat >etc/incoming.conf <<'CONF'
streaming: true
max-connections: 8
peer ME {
    hostname: "localhost, 127.0.0.1"
}
CONF
echo 'ME:!*::' >etc/newsfeeds
echo '/remember/:never' >etc/expire.ctl
echo '*:A:1:never:never' >>etc/expire.ctl
echo 'all:*:*:drop' >etc/control.ctl
: >etc/moderators
: >etc/nocem.ctl
: >etc/passwd.nntp
cat >etc/readers.conf <<'CONF'
auth all {
    hosts: "*"
    default: "anyone"
}
access all {
    users: "anyone"
    newsgroups: "*"
    access: "RPNA"
}
CONF
echo "alice:$(openssl passwd -6 secret)" >etc/users
cat >etc/readers-auth.conf <<CONF
auth file {
    hosts: "*"
    auth: "ckpasswd -f $dir/etc/users"
}
access users {
    users: "alice"
    newsgroups: "*"
    access: "RPNA"
}
CONF
cat >db/active <<'ACTIVE'
control 0000000000 0000000001 n
control.cancel 0000000000 0000000001 n
junk 0000000000 0000000001 n
sparse.alpha 0000000000 0000000001 y
test.alpha 0000000000 0000000001 y
test.beta 0000000000 0000000001 y
test.empty 0000000000 0000000001 y
test.moderated 0000000000 0000000001 m
ACTIVE
printf '%s\t%s\n' test.alpha 'First test group.' test.beta 'Second test group.' \
	test.empty 'A group without articles.' \
	test.moderated 'A moderated group. (Moderated)' >db/newsgroups
cat >db/active.times <<'TIMES'
test.alpha 981173106 ann@example.net
test.beta 981173106 ann@example.net
test.empty 1577836800 ann@example.net
test.moderated 1577836800 ann@example.net
TIMES
echo 'Message of the day.' >etc/motd.nnrpd
chown -R news:news "$dir"
export INNCONF=$dir/etc/inn.conf
"${as_news[@]}" touch db/history
"${as_news[@]}" "$bin/makedbz" -i -o -s 10000 -f "$dir/db/history" >log/makedbz.out 2>&1

# --- start -----------------------------------------------------------------
start() { # port, command
	run "log/start.$1" "${as_news[@]}" "${@:2}"
	wait_port "$1"
}
start $((port + 1)) "$bin/innd" -f -N -u -P $((port + 1))
for a in "${order[@]}"; do
	printf '#! rnews %d\n' "$(wc -c <"$a")"
	cat "$a"
done | "${as_news[@]}" "$bin/rnews" -v -h localhost >log/rnews.out 2>&1
"${as_news[@]}" "$bin/ctlinnd" -s -t 10 flush '' >>log/ctlinnd.out 2>&1 || :
for id in cancelled sparse{2..9} sparse{11..18}; do
	"${as_news[@]}" "$bin/ctlinnd" -s -t 10 cancel "<$id@example.net>" >>log/ctlinnd.out 2>&1
done
start "$port" "$bin/nnrpd" -D -f -n -b 127.0.0.1 -p "$port"
start $((port + 2)) "$bin/nnrpd" -D -f -n -S -b 127.0.0.1 -p $((port + 2))
start $((port + 3)) "$bin/nnrpd" -D -f -n -b 127.0.0.1 -p $((port + 3)) -c readers-auth.conf

echo "nntp://127.0.0.1:$port/test.alpha/1"
echo "news://127.0.0.1:$port/alpha1@example.net"
echo "nntp://127.0.0.1:$((port + 1))/test.alpha/1 (after MODE READER)"
echo "nntps://127.0.0.1:$((port + 2))/test.beta/1"
echo "nntp://alice:secret@127.0.0.1:$((port + 3))/test.alpha/31"
