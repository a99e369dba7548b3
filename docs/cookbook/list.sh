#!/bin/sh
# Download a list of URLs into a folder, and keep a list of those that failed.
# usage: list.sh URLS FOLDER
set -eu

# URLS is a file with one URL a line; failed.txt is one, too, for the next run.
mkdir -p "$2"
: >failed.txt
while read -r url; do
  # A file that is there stays: -O overwrites nothing.
  [ -e "$2/${url##*/}" ] || retrieve -sS -O --output-dir "$2" "$url" || echo "$url" >>failed.txt
done <"$1"
count=$(wc -l <failed.txt)
echo "$count failed"
[ "$count" -eq 0 ]
