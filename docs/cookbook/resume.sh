#!/bin/sh
# Download a large file over a bad line, in as many tries as it takes.
# usage: resume.sh URL FILE
set -eu

# retrieve tries again by itself, and -C - goes on where the last run ended, if it is still the same version. This loop
# adds patience: it goes on after 10 seconds, but only for failures that may pass (see docs/exit-codes.md).
until retrieve -C - -o "$2" --speed-time 60 --speed-limit 1000 "$1"; do
  case $? in
    6 | 7 | 18 | 28 | 35 | 56) echo "trying again in ${WAIT:-10} seconds" >&2 ;;
    *) exit 1 ;;
  esac
  sleep "${WAIT:-10}"
done
