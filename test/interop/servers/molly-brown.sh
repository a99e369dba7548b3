#!/bin/bash
# Molly Brown, a Gemini server, on the loopback address, with a self-signed certificate.
#
#   usage: molly-brown.sh WORKDIR PORT
#
#   PORT    root/: index.gmi, plain.txt, bytes.bin, docs/; /moved redirects to /plain.txt
#
# Debian package: molly-brown
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

molly=$(program MOLLY_BROWN /usr/bin/molly-brown)

needs "$molly" openssl
begin 1 "$@"

certificate
mkdir -p root/docs
printf '# Molly\n\n=> plain.txt Gr\303\274\303\237e\n=> /docs\n' >root/index.gmi
printf 'Plain text.\nSecond line.\n' >root/plain.txt
printf '# Docs\n' >root/docs/index.gmi
for ((i = 0; i < 256; i++)); do printf "\\x$(printf %x "$i")"; done >root/bytes.bin
cat >molly.conf <<CONF
Port = $port
Hostname = "127.0.0.1"
CertPath = "$dir/cert.pem"
KeyPath = "$dir/key.pem"
DocBase = "$dir/root"
AccessLog = "$dir/access.log"
ErrorLog = "$dir/error.log"

[TempRedirects]
"^/moved$" = "/plain.txt"
CONF
run molly.log "$molly" -c "$dir/molly.conf"
wait_port "$port"

echo "gemini://127.0.0.1:$port/"
