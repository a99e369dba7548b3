#!/bin/bash
# Runs a server for as long as somebody holds this script's standard input open.
#
#   usage: hold.sh NAME PORT
#
# Prints the work directory, a line for each URL of the server, and "ready". At the end of its input, which
# comes also when the holder dies, it stops the server and removes the directory.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

server=${1:?name of the server}
work=$(mktemp -d)
chmod 755 "$work" # the daemons that give up root must be able to search it
trap 'stop_server "$work" "$server"; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP
echo "$work"
"$here/$server.sh" "$work" "${2:?port}" </dev/null
echo ready
read -r -d '' || :
