#!/bin/bash
# The fingerd of BSD behind socat on the loopback address, with a program of ours in place of finger(1).
#
#   usage: fingerd.sh WORKDIR PORT
#
#   PORT    fingerd: "ann" has a plan, "none" is unknown, the empty query lists users
#
# Debian packages: fingerd socat
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

fingerd=$(program FINGERD /usr/sbin/in.fingerd)

needs "$fingerd" socat
begin 1 "$@"

cat >finger <<'SH'
#!/bin/sh
# What finger(1) would print; fingerd gives it the words of the query.
for user; do :; done
case ${user:-} in
ann) printf 'Login: ann\nName: Ann Author\nPlan:\nGr\303\274\303\237e, and a bell: \007\n' ;;
'' | -* | --) printf 'Login  Name\nann    Ann Author\n' ;;
*) echo "finger: $user: no such user." ;;
esac
SH
chmod 755 finger
printf '#!/bin/sh\nexec %q -p %q\n' "$fingerd" "$dir/finger" >session
chmod 755 session

run fingerd.log socat "TCP4-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" "EXEC:$dir/session,nofork"
wait_port "$port"

echo "finger://127.0.0.1:$port/ann"
