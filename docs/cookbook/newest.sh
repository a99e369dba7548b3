#!/bin/sh
# Download the newest file of a folder: an FTP directory, or a web server's index.
# usage: newest.sh FOLDER-URL
set -eu

# A listing is one JSON object a line, in the same form for every protocol.
url=$(retrieve ls --json "$1" | jq -r 'select(.kind == "file") | "\(.modified // "") \(.url)"' | sort | tail -n 1)
retrieve -O "${url#* }"
