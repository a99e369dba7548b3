#!/bin/bash
# Hercules, an emulator of IBM mainframes, on the loopback address: without an operating system, each 3270 terminal
# that connects sees its logo.
#
#   usage: hercules.sh WORKDIR PORT
#
#   PORT    the console port with eight terminals; it speaks TN3270 without TN3270E
#
# Debian package: hercules
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hercules=$(program HERCULES /usr/bin/hercules)

needs "$hercules"
begin 1 "$@"

cat >hercules.cnf <<EOF
CPUSERIAL 000611
CPUMODEL 3090
MAINSIZE 2
NUMCPU 1
CNSLPORT 127.0.0.1:$port
ARCHMODE S/370
$(for ((i = 0; i < 8; i++)); do printf '00C%d 3270\n' "$i"; done)
EOF
modules=()
if [[ $hercules == "$unpacked"/* ]]; then
	export LD_LIBRARY_PATH=$unpacked/usr/lib/hercules:$unpacked$system_lib
	modules=(-p "$unpacked/usr/lib/hercules")
fi
run hercules.log "$hercules" -d -f hercules.cnf "${modules[@]}"
wait_port "$port"

echo "tn3270://127.0.0.1:$port/"
