#!/bin/sh
# Fetch a URL that somebody else gives, without becoming a way into your network.
# usage: untrusted.sh URL FILE
set -eu

# The scheme first: explain contacts nothing.
scheme=$(retrieve explain --json "$1" | jq -r .scheme)
case $scheme in
  http | https | ftp) ;;
  *) echo "the scheme $scheme is not allowed" >&2 && exit 1 ;;
esac
# Public addresses only, also after redirects; at most 10 MiB, in at most a minute.
retrieve --public-only --max-filesize 10M -m 60 -o "$2" "$1"
