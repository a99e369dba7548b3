#!/bin/sh
# Download a file, and use it only if its SHA-256 is right.
# usage: verified.sh URL SHA256 FILE
set -eu

# FILE gets its name only when it is complete and right.
retrieve --max-filesize 1G --checksum "sha256:$2" -o "$3" "$1"
