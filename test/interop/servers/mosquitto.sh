#!/bin/bash
# Mosquitto, an MQTT broker, on the loopback address.
#
#   usage: mosquitto.sh WORKDIR PORT
#
#   PORT    for guests
#
# Debian packages: mosquitto libdlt2
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mosquitto=$(program MOSQUITTO /usr/sbin/mosquitto)

needs "$mosquitto"
begin 1 "$@"

cat >mosquitto.conf <<CONF
listener $port 127.0.0.1
allow_anonymous true
persistence false
user $(id -un)
CONF
run mosquitto.log "$mosquitto" -c "$dir/mosquitto.conf"
wait_port "$port"

echo "mqtt://127.0.0.1:$port/"
