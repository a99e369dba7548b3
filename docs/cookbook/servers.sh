#!/bin/sh
# Test a client of yours, in any language, against local servers that misbehave.
# usage: servers.sh CLIENT
set -eu

# CLIENT is a program that takes a URL and prints the body. The servers run on free ports while the command runs; the
# exit status is that of the command.
retrieve serve http ftp -- sh -eu -c '
  "$0" "${RETRIEVE_HTTP_URL}readme.txt" >/dev/null
  "$0" "${RETRIEVE_FTP_URL}readme.txt" >/dev/null
  echo "both are read"
' "$1"
# A body that ends ten octets early: a good client says so.
retrieve serve http --fault shortBody=10 -- sh -eu -c '
  if "$0" "${RETRIEVE_HTTP_URL}readme.txt" >/dev/null 2>&1; then
    echo "a body that ended early went unnoticed" >&2
    exit 1
  fi
  echo "a short body is noticed"
' "$1"
