# Functions that the start scripts share; each sources this file first.
#
#   NAME.sh WORKDIR PORT   starts the server, waits until it answers, prints URLs
#   NAME.sh --installed    starts nothing; exit status 69 and a reason where it could not start
#
# WORKDIR/NAME.pid holds one pid a line, each the leader of a process group of its own, and
# WORKDIR/NAME.ports the ports; stop.sh reads both.
set -euo pipefail

name=${0##*/}
name=${name%.sh}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
unpacked=$here/../.cache/unpacked # install.sh unpacks Debian packages there
[[ ! -d $unpacked ]] || unpacked=$(realpath "$unpacked")
npm_modules=$(realpath -m "$here/../.cache/npm/node_modules") # and npm's here
system_lib=/usr/lib/$(uname -m)-linux-gnu

fail() {
	echo "$name: $*" >&2
	exit 1
}

# program VARIABLE PATH: the path given in the environment, else the unpacked file, else the system's.
program() {
	local own=${!1:-}
	if [[ -n $own ]]; then
		echo "$own"
	elif [[ -e $unpacked$2 ]]; then
		echo "$unpacked$2"
	else
		echo "$2"
	fi
}

# needs FILE-OR-COMMAND...: all must be there for the server to start.
needs() {
	local file
	for file in "$@"; do
		[[ -e $file ]] || command -v "$file" >/dev/null || {
			echo "$name is not installed ($file is missing): test/interop/install.sh installs it" >&2
			exit 69
		}
	done
}

needs_root() {
	((EUID == 0)) || {
		echo "$name must be started by root" >&2
		exit 69
	}
}

# begin COUNT "$@": reads the script's arguments; the server will use COUNT ports from PORT on.
# Sets dir, port and ports, and changes to WORKDIR. Ends here where only --installed was asked.
begin() {
	[[ ${2:-} != --installed ]] || exit 0
	[[ $# -eq 3 ]] || fail "usage: $name.sh WORKDIR PORT"
	dir=$(realpath -m "$2")
	port=$3
	local i
	ports=()
	for ((i = 0; i < $1; i++)); do
		! answers $((port + i)) || fail "port $((port + i)) is taken"
		ports+=($((port + i)))
	done
	# The daemons that give up root read their files as somebody else, hence the open modes.
	umask 022
	mkdir -p "$dir"
	chmod 755 "$dir"
	cd "$dir"
	: >"$name.pid"
	echo "${ports[*]}" >"$name.ports"
	trap 'status=$?; ((status == 0)) || stop_server "$dir" "$name"; exit $status' EXIT
}

has_ipv6() { grep -q '^0\{31\}1 ' /proc/net/if_inet6 2>/dev/null; }

answers() { (exec 3<>"/dev/tcp/${2:-127.0.0.1}/$1") 2>/dev/null; }

# run LOG COMMAND...: starts COMMAND in a session of its own and notes its pid.
run() {
	setsid "${@:2}" >"$1" 2>&1 </dev/null &
	started=$! log=$1
	echo "$started" >>"$name.pid"
}

# wait_port PORT [ADDRESS]: until what was run last answers there. No event tells of another process's
# listen(), so this asks again and again, for at most ten seconds.
wait_port() {
	local i
	for ((i = 0; i < 500; i++)); do
		if answers "$@"; then return; fi
		alive "$started" || fail "ended before it answered on port $1: $(tail -n 3 "$log")"
		sleep 0.02
	done
	fail "nothing answers on port $1: $(tail -n 3 "$log")"
}

# alive PID: whether it runs. A zombie does not: where pid 1 reaps nobody, a stopped daemon stays one.
alive() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	[[ ${stat##*) } != [ZX]* ]]
}

# group_alive PID: whether any process of the group led by PID runs; the leader may be gone before its children.
group_alive() {
	local stat rest
	for stat in /proc/[0-9]*/stat; do
		{ read -r rest <"$stat"; } 2>/dev/null || continue
		rest=${rest##*) } # state, parent, process group, ...
		set -- "$1" $rest
		[[ $4 != "$1" || $2 == [ZX] ]] || return 0
	done
	return 1
}

# stop_server WORKDIR NAME: ends the process groups that NAME.sh started, and returns when none is left.
stop_server() {
	local pids ports port pid i left
	[[ -s $1/$2.pid ]] || return 0
	mapfile -t pids <"$1/$2.pid"
	read -r -a ports <"$1/$2.ports"
	for pid in "${pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || :; done
	for ((i = 0; i < 500; i++)); do
		left=
		for pid in "${pids[@]}"; do
			if group_alive "$pid"; then left=1; fi
		done
		[[ -n $left ]] || return 0
		# innd sleeps on after SIGTERM until a connection wakes its main loop.
		for port in "${ports[@]}"; do answers "$port" || :; done
		sleep 0.02
	done
	# hercules and imap4d sometimes hang after SIGTERM; nothing of them is left either way.
	for pid in "${pids[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || :; done
}

# certificate [DIR]: a self-signed one for localhost, DIR/cert.pem and DIR/key.pem.
certificate() {
	local to=${1:-.}
	[[ -f $to/cert.pem ]] || openssl req -x509 -newkey rsa:2048 -nodes -days 3650 \
		-subj /CN=localhost \
		-addext 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1' \
		-keyout "$to/key.pem" -out "$to/cert.pem" 2>/dev/null
	chmod 600 "$to/key.pem"
}

# signed_certificate: cert.pem and key.pem for localhost, client.pem and client-key.pem for "alice", both of one CA, ca.pem;
# and stranger.pem and stranger-key.pem, of nobody's.
signed_certificate() {
	local who key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
	[[ ! -f cert.pem ]] || return 0
	{
		openssl req -x509 "${key[@]}" -days 3650 -subj '/CN=a test CA' -keyout ca-key.pem -out ca.pem
		openssl req -x509 "${key[@]}" -days 3650 -subj /CN=mallory -keyout stranger-key.pem -out stranger.pem
		for who in localhost alice; do
			openssl req "${key[@]}" -subj "/CN=$who" -keyout "$who.key" -out "$who.csr"
			openssl x509 -req -in "$who.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 3650 -out "$who.crt" \
				-extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1')
		done
	} 2>openssl.log || fail "openssl: $(tail -n 3 openssl.log)"
	mv localhost.crt cert.pem
	mv localhost.key key.pem
	mv alice.crt client.pem
	mv alice.key client-key.pem
	chmod 600 ./*key.pem
}

all_octets() {
	local i
	for ((i = 0; i < 256; i++)); do printf "\\x$(printf %02x "$i")"; done
}

# One mebibyte of numbered lines: a piece lost, doubled or moved shows at once.
mebibyte() { awk 'BEGIN { for (i = 0; i < 65536; i++) printf "%015d\n", i }'; }

# http_seed DIR: what every HTTP server offers.
http_seed() {
	mkdir -p "$1/sub"
	printf 'Hello, world.\nSecond line.\n' >"$1/hello.txt"
	: >"$1/empty.txt"
	all_octets >"$1/bytes.bin"
	mebibyte >"$1/big.txt"
	printf '<!DOCTYPE html><title>A page</title><p>Hello. <a href="hello.txt">text</a>\n' >"$1/page.html"
	printf 'spaces\n' >"$1/name with spaces.txt"
	printf 'umlaut\n' >"$1/"$'gr\xc3\xbc\xc3\x9fe.txt'
	printf 'percent\n' >"$1/100%25#?.txt"
	printf 'markup\n' >"$1/a&lt;<b>\"'.txt"
	printf 'sub\n' >"$1/sub/file.txt"
}

# date_all DIR: the one modification time that the tests expect.
date_all() { find "$1" -exec touch -h -d '2001-02-03 04:05:06 UTC' {} +; }

# ssh_seed: files/ for every SSH server, of which 300 in files/many, and the key pair `client`.
ssh_seed() {
	local at
	mkdir -p files/sub files/odd files/many
	printf 'Hello.\n' >files/hello.txt
	head -c 3000001 /dev/urandom >files/big.bin
	: >files/empty
	printf 'x' >'files/name with blanks %41'
	printf 'umlaut\n' >$'files/gr\303\274\303\237e.txt'
	printf 'Latin-1\n' >$'files/odd/caf\351'
	printf 'two lines\n' >$'files/odd/a\nb'
	ln -sfn hello.txt files/link
	for ((at = 0; at < 300; at++)); do printf 'file %d\n' "$at" >"files/many/$at.txt"; done
	TZ=UTC touch -d '2001-02-03 04:05:06' files/hello.txt
	[[ -e client ]] || ssh-keygen -q -t ed25519 -N '' -f client
}

# The files of every FTP server, below root/.
ftp_seed() {
	mkdir -p root/pub/sub/deep root/many
	# 200 files of 0 to 40 KB, no two alike.
	(cd root/many && awk 'BEGIN {
		for (n = 0; n < 200; n++) {
			file = sprintf("%03d.txt", n)
			printf "" >file
			for (line = 0; line < n * 8; line++) printf "file %03d, line %06d\n", n, line >file
			close(file)
		}
	}')
	printf 'Hello, world.\nSecond line.\n' >root/pub/hello.txt
	printf 'one\r\ntwo\r\nthree\r\n' >root/pub/crlf.txt
	printf 'no newline at the end' >root/pub/noeol.txt
	: >root/pub/empty.txt
	all_octets >root/pub/bytes.bin
	mebibyte >root/pub/big.bin
	printf 'spaces\n' >'root/pub/name with spaces.txt'
	printf 'umlaut\n' >$'root/pub/gr\xc3\xbc\xc3\x9fe.txt'
	printf 'percent\n' >'root/pub/100%25#?.txt'
	printf 'deep\n' >root/pub/sub/deep/file.txt
	printf 'hidden\n' >root/pub/.hidden
	ln -sf hello.txt root/pub/link.txt
	date_all root
}
