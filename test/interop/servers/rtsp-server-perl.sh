#!/bin/bash
# rtsp-server-perl on the loopback address, with a stream that a client of ours has announced.
#
#   usage: rtsp-server-perl.sh WORKDIR PORT
#
#   PORT    clients: /stream has a description, /none is unknown
#   PORT+1  sources: who holds the connection on which a stream was announced keeps it there
#
# Debian packages: rtsp-server-perl librtsp-server-perl libanyevent-perl libmoose-perl libmoosex-getopt-perl
# libnamespace-autoclean-perl liburi-perl
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

server=$(program RTSP_SERVER /usr/bin/rtsp-server-perl)
modules=$(program RTSP_MODULES /usr/share/perl5/RTSP)

needs perl "$server" "$modules"
perl -MAnyEvent -MMooseX::Getopt -Mnamespace::autoclean -MURI -e 1 2>/dev/null || {
	echo "$name is not installed (a module of perl is missing): test/interop/install.sh installs it" >&2
	exit 69
}
begin 2 "$@"

printf 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=Gr\303\274\303\237e\r\nt=0 0\r\nm=audio 0 RTP/AVP 0\r\na=control:streamid=0\r\n' >stream.sdp
run rtsp.log env PERL5LIB="${modules%/*}" perl "$server" --client_listen_address 127.0.0.1 \
	--source_listen_address 127.0.0.1 --clientport "$port" --serverport "$((port + 1))"
wait_port "$port"
wait_port "$((port + 1))"

# The source: it announces the stream, says when the server has taken it, and keeps the connection.
cat >source.pl <<'PL'
use strict;
use IO::Socket::INET;
my ($port, $file) = @ARGV;
my $description = do { local $/; open my $in, '<:raw', $file or die $!; <$in> };
my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die $!;
print $socket "ANNOUNCE rtsp://127.0.0.1:$port/stream RTSP/1.0\r\nCSeq: 1\r\nContent-Type: application/sdp\r\n",
	'Content-Length: ', length $description, "\r\n\r\n", $description;
$socket->flush;
(readline($socket) // '') =~ /^RTSP\/1\.0 200 / or die 'not announced';
open my $done, '>', 'announced' or die $!;
close $done;
1 while defined readline $socket;
PL
run source.log perl source.pl "$((port + 1))" stream.sdp
for ((i = 0; i < 500; i++)); do
	[[ ! -e announced ]] || break
	alive "$started" || fail "the stream was not announced: $(tail -n 3 source.log)"
	sleep 0.02
done
[[ -e announced ]] || fail "the stream was not announced"

echo "rtsp://127.0.0.1:$port/stream"
