#!/bin/sh
# Check the links of a text, a page or a list: a line for each, with the reason if it is dead.
# usage: links.sh FILE|URL
set -eu

# The exit status is 0 only if all are alive; links that have moved for good are shown with their new URL.
retrieve check --retry 0 -m 20 "$1"
