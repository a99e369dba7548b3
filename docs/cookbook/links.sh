#!/bin/sh
# Check the links of a text: print each that is broken, with the reason.
# usage: links.sh FILE
set -eu

broken=0
for url in $(retrieve extract "$1"); do
  # -I asks for no body; errors go to standard error, which says what is wrong.
  reason=$(retrieve -sS -I --retry 0 -m 20 "$url" 2>&1 >/dev/null) || {
    broken=$((broken + 1))
    echo "$reason"
  }
done
echo "$broken broken" >&2
[ "$broken" -eq 0 ]
