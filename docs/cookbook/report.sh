#!/bin/sh
# Measure URLs: status, octets and seconds as CSV.
# usage: report.sh URL...
set -eu

echo 'url,status,octets,seconds'
for url; do
  # With --no-fail, a 404 is an answer like any other. 000 is no answer.
  retrieve -s --no-fail -m 20 -o /dev/null -w '%{url},%{http_code},%{size_download},%{time_total}\n' "$url" || true
done
