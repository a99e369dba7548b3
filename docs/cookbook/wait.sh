#!/bin/sh
# Wait until a server answers, then go on: for deployments and containers.
# usage: wait.sh URL SECONDS
set -eu

end=$(($(date +%s) + $2))
# Success is an answer below 400. --retry 0: this loop does the waiting.
until retrieve -s --retry 0 -m 5 -o /dev/null "$1"; do
  if [ "$(date +%s)" -ge "$end" ]; then
    echo "$1 did not answer within $2 seconds" >&2
    exit 1
  fi
  sleep 0.2
done
