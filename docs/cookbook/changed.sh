#!/bin/sh
# Fetch a file only if it has changed, and then do something with it: for cron.
# usage: changed.sh URL FILE COMMAND...
set -eu

url=$1 file=$2
shift 2
before=$(cksum "$file" 2>/dev/null || true)
if [ -e "$file" ]; then
  retrieve -sS -z "$file" -o "$file" "$url"
else
  retrieve -sS -o "$file" "$url"
fi
[ "$(cksum "$file")" = "$before" ] || "$@" "$file"
