#!/bin/bash
# Mosquitto, an MQTT broker, on the loopback address.
#
#   usage: mosquitto.sh WORKDIR PORT
#
#   PORT    for guests
#   PORT+1  wants a login: alice / secret reads pub/#, and bob / secret writes it; nobody reads private/#
#   PORT+2  as PORT, with TLS from the first octet
#
# Debian packages: mosquitto libdlt2
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mosquitto=$(program MOSQUITTO /usr/sbin/mosquitto)
passwd=$(program MOSQUITTO_PASSWD /usr/bin/mosquitto_passwd)

needs "$mosquitto" "$passwd" openssl
begin 3 "$@"

certificate
printf 'alice:secret\nbob:secret\n' >passwords
"$passwd" -U passwords
printf 'user alice\ntopic read pub/#\n\nuser bob\ntopic readwrite pub/#\n' >rights
chmod 600 passwords rights
cat >mosquitto.conf <<CONF
per_listener_settings true
user $(id -un)

listener $port 127.0.0.1
allow_anonymous true

listener $((port + 1)) 127.0.0.1
allow_anonymous false
password_file $dir/passwords
acl_file $dir/rights

listener $((port + 2)) 127.0.0.1
allow_anonymous true
certfile $dir/cert.pem
keyfile $dir/key.pem
CONF
run mosquitto.log "$mosquitto" -c "$dir/mosquitto.conf"
for ((i = 0; i < 3; i++)); do wait_port $((port + i)); done

echo "mqtt://127.0.0.1:$port/"
echo "mqtt://alice:secret@127.0.0.1:$((port + 1))/pub/%23"
echo "mqtts://127.0.0.1:$((port + 2))/"
