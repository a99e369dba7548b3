#!/bin/sh
# Save the newest articles of a newsgroup as one mailbox that mail programs read.
# usage: news.sh GROUP-URL COUNT MAILBOX
set -eu

# ls gives an article's URL; mbox wants a "From " line before each article, and ">From " for such lines within.
retrieve ls --json --limit "$2" "$1" | jq -r .url | while read -r url; do
  echo "From retrieve $(date -u '+%a %b %e %T %Y')"
  retrieve -sS "$url" | tr -d '\r' | sed 's/^>*From />&/'
  echo
done >"$3"
