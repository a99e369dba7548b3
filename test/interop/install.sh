#!/bin/bash
# Puts the real servers that the interop tests run against on this machine, from Debian's packages and npm's.
#
#   usage: install.sh            (as root)
#
# The servers are not installed but unpacked, below .cache/unpacked: several of them conflict as packages
# (proftpd, vsftpd, pure-ftpd; inn2, sn), and an installed one would be started, now or at the next boot,
# and would bring an inetd or a mail server along. Only the libraries they need and a few tools are
# installed. Those of npm go below .cache/npm. Run again, it looks whether all is there and ends.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
unpacked=$here/.cache/unpacked
system_lib=/usr/lib/$(uname -m)-linux-gnu

servers=(nginx proftpd-core proftpd-mod-crypto pygopherd inn2 inn2-inews sn inetutils-telnetd
	vsftpd pure-ftpd inetutils-ftpd gophernicus microsocks tinyproxy-bin squid squid-common squid-langpack
	apache2-bin caddy fingerd slapd openssh-server dropbear-bin mosquitto dictd dict-elements molly-brown
	tftpd-hpa hercules nfs-ganesha nfs-ganesha-vfs rtsp-server-perl librtsp-server-perl redis-server redis-tools)
# Not a server, but what pnpm bench nntp compares with; as a package it would ask for a server and pull from it every day.
clients=(slrnpull)
# No server either: help pages of GNOME, which help: and ghelp: URLs name.
documents=(gnome-user-docs)
# The paths of Dovecot and imap4d are fixed, and so is that of the SFTP server in Dropbear: they are installed, like the
# libraries of other servers.
# Programs for people are installed as usual: chromium resolves URLs with @retriever/core, curl runs the lines of
# test/differential, ldapsearch asks slapd and s3270 hercules beside us, the
# clients of clients.test.ts ask the servers of @retriever/servers, and xdg-open, gio and telnet get the URLs of handoff.test.ts.
tools=(ldap-utils socat openssl libpam-wrapper libnss-wrapper python3-pyftpdlib python3-openssl chromium curl
	openssh-client openssh-sftp-server dovecot-pop3d dovecot-imapd mailutils-imap4d libdlt2 python3-websockets xdg-utils libglib2.0-bin inetutils-telnet
	man-db info s3270 libnfs-utils yaz idzebra-2.0-utils idzebra-2.0-common libidzebra-2.0-mod-grs-marc
	mosquitto-clients dict tftp-hpa lftp wget lynx w3m
	libanyevent-perl libmoose-perl libmoosex-getopt-perl libnamespace-autoclean-perl liburi-perl)
# Servers of npm for FTP, MQTT, Gemini, LDAP and IMAP; chalk is a library that simple-ftpd needs and does not name.
npm_servers=(ftp-srv@4.6.3 ftpd@0.2.16 simple-ftpd@0.0.4 chalk@4.1.2 aedes@1.2.0 gemini-server@2.1.1 ldapjs@3.0.7
	hoodiecrow-imap@2.1.0)
npm=$here/.cache/npm

# missing: the servers that cannot be started as things are, with the reason, one a line.
missing() {
	local script
	for script in "$here"/servers/*.sh; do
		case ${script##*/} in lib.sh | articles.sh | hold.sh | stop.sh) continue ;; esac
		"$script" --installed 2>&1 || :
	done
	[[ -x /usr/bin/curl ]] || echo "curl is not installed"
	[[ -x /usr/bin/man && -x /usr/bin/mandb ]] || echo "man-db is not installed"
	command -v s3270 >/dev/null || echo "s3270 is not installed"
	[[ -x /usr/bin/info ]] || echo "info is not installed"
	[[ -d $unpacked/usr/share/help/C/gnome-help ]] || echo "gnome-user-docs is not unpacked"
	local client
	for client in telnet ldapsearch mosquitto_sub yaz-client dict tftp nfs-cat lftp wget lynx w3m python3; do
		command -v "$client" >/dev/null || echo "$client is not installed"
	done
	[[ -x /usr/bin/chromium ]] || echo "chromium is not installed"
	[[ -x /usr/bin/xdg-open ]] || echo "xdg-open is not installed"
	[[ -x /usr/bin/gio ]] || echo "gio is not installed"
}

if ((EUID != 0)); then
	echo "install.sh must be run by root: apt-get installs libraries. Try: sudo $0" >&2
	exit 1
fi
if [[ -z $(missing) && -f $unpacked/packages ]]; then
	echo "All is installed:"
	cat "$unpacked/packages"
	exit 0
fi
command -v apt-get >/dev/null || {
	echo "install.sh needs Debian's or Ubuntu's apt-get" >&2
	exit 1
}

# --- no service of a library's package or tool may start ---------------------
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
	printf '#!/bin/sh\nexit 101\n' >"$policy"
	chmod 755 "$policy"
	trap 'rm -f "$policy"' EXIT
fi

# --- download and unpack -------------------------------------------------------
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
debs=$here/.cache/debs
rm -rf "$debs" "$unpacked" "$unpacked.new"
mkdir -p "$debs" "$unpacked.new"
# apt's own user may not be able to write here; it says so, and then downloads as root.
(cd "$debs" && apt-get download -qq -o APT::Sandbox::User=root "${servers[@]}" "${clients[@]}" "${documents[@]}")
for deb in "$debs"/*.deb; do
	dpkg-deb -x "$deb" "$unpacked.new"
	dpkg-deb -W --showformat='  ${Package} ${Version}\n' "$deb" >>"$unpacked.new/packages"
done

# --- the libraries they name as dependencies ---------------------------------
# Of "a | b" the first; without daemons, MTA and the like, which the servers as run here never call.
mapfile -t libraries < <(
	for deb in "$debs"/*.deb; do dpkg-deb -f "$deb" Pre-Depends Depends; done |
		sed -e 's/^[A-Za-z-]*: //' -e 's/, */\n/g' | sed 's/[ :|(].*//' |
		grep -E '^(lib.*|zlib1g|perl|python3|python3-simpletal|lua-bitop|lua-cjson|netbase|mime-support)$' |
		grep -Ev -- '-perl$|^libpam-runtime$' | sort -u
)
# --no-remove: rather fail than take something away from whoever's machine this is.
apt-get install -qq -y --no-install-recommends --no-remove "${libraries[@]}" "${tools[@]}" >"$here/.cache/apt.log" 2>&1 || {
	tail -n 20 "$here/.cache/apt.log" >&2
	exit 1
}
dpkg-query -W -f '  ${Package} ${Version}\n' python3-pyftpdlib socat openssl chromium >>"$unpacked.new/packages"
mv "$unpacked.new" "$unpacked"
rm -rf "$debs"

# --- servers of npm ------------------------------------------------------------
rm -rf "$npm"
mkdir -p "$npm"
echo '{ "private": true }' >"$npm/package.json"
npm install --prefix "$npm" --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
	"${npm_servers[@]}" >"$here/.cache/npm.log" 2>&1 || {
	tail -n 20 "$here/.cache/npm.log" >&2
	exit 1
}
printf '  %s (npm)\n' "${npm_servers[@]}" >>"$unpacked/packages"

left=$(missing)
if [[ -n $left ]]; then
	printf '%s\n' "Still missing:" "$left" >&2
	exit 1
fi
echo "Installed:"
cat "$unpacked/packages"
