#!/bin/sh
# Download a file, and use it only if its SHA-256 is right.
# usage: verified.sh URL SHA256 FILE
set -eu

# retrieve gives FILE.new its name only when it is complete; this script names it FILE only when it is right.
retrieve --max-filesize 1G -o "$3.new" "$1"
if echo "$2  $3.new" | sha256sum --check --status; then
  mv "$3.new" "$3"
else
  rm "$3.new"
  echo "$1 is not what it should be" >&2
  exit 1
fi
