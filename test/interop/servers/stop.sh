#!/bin/bash
# Stops what NAME.sh started, and nothing else.
#
#   usage: stop.sh WORKDIR NAME
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stop_server "${1:?work directory}" "${2:?name of the server}"
