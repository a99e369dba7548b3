#!/bin/sh
# Keep a copy of a tree up to date: for cron.
# usage: mirror.sh URL FOLDER
set -eu

# What is unchanged is not asked for again, and a run that was killed goes on. What the server no longer has is deleted,
# but only if all its folders could be listed. Messages go to standard error: cron sends them if something fails.
retrieve mirror --delete --quota 10G --silent --show-error "$1" "$2"
