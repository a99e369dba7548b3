#!/bin/sh
# Download a list of URLs into a folder, and keep a list of those that failed.
# usage: list.sh URLS FOLDER
set -eu

# URLS is a file with one URL a line; failed.txt is one, too, for the next run, with the reasons. Five are retrieved at
# a time, and files that are there already are left out.
retrieve --from "$1" -O --output-dir "$2" --create-dirs --skip-existing --failed failed.txt
