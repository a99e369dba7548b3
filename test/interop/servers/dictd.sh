#!/bin/bash
# dictd with a dictionary of the chemical elements, on the loopback address.
#
#   usage: dictd.sh WORKDIR PORT
#
#   PORT    dictd; the databases elements and small, the latter of three words
#   PORT+1  the same, to which only the user alice with the password secret has access
#
# Debian packages: dictd dict-elements
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

dictd=$(program DICTD /usr/sbin/dictd)
elements=$(program DICT_ELEMENTS /usr/share/dictd/elements.index)

needs "$dictd" "$elements"
begin 2 "$@"

# The index has offset and length in base 64; these texts are shorter than 64 octets each, and the first begins at 0.
printf 'dots\n.\n..\n' >small.dict
printf 'url\n  Gr\303\274\303\237e.\n' >>small.dict
printf 'dots\tA\tK\nurl\tK\tP\n' >small.index

databases() {
	cat <<CONF
database elements { data "${elements%.index}.dict.dz" index "$elements" }
database small { data "$dir/small.dict" index "$dir/small.index" name "Small (\\"words\\")" info "00-database-info" }
CONF
}
{
	echo "global { listen_to 127.0.0.1 port $port }"
	databases
} >open.conf
{
	echo "global { listen_to 127.0.0.1 port $((port + 1)) }"
	echo 'access { authonly * }'
	databases
	echo 'user alice secret'
} >closed.conf

start() { # CONF PORT
	run "$1.log" "$dictd" -d nodetach --config "$dir/$1.conf" --pid-file "$dir/$1.pidfile"
	wait_port "$2"
}
start open "$port"
start closed $((port + 1))

echo "dict://127.0.0.1:$port/d:gold"
echo "dict://alice;AUTH@127.0.0.1:$((port + 1))/d:gold"
