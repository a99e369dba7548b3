#!/bin/bash
# nfs-ganesha on the loopback address, over TCP, with the export root/.
#
#   usage: ganesha.sh WORKDIR PORT
#
#   PORT       NFS 3 and 4; no public filehandle. Version 4 sees root/ as /export
#   PORT+1     its MOUNT service
#   PORT+2     NFS 4 alone, another process
#
# root/: plain.txt, empty.txt, big.bin (a mebibyte), huge.bin (a gibibyte), sub/deep/file.txt, names that need escapes,
# links, many/ with 2,000 files, private/ that nobody may read.
# There is no portmapper: registrar.py, in a file system of its own, says yes where ganesha registers its ports.
# Debian packages: nfs-ganesha nfs-ganesha-vfs; libnfs-utils has the client that it is compared with
# Must be started as root (handles of files, a mount of /run of its own).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ganesha=$(program GANESHA /usr/bin/ganesha.nfsd)
plugins=$(program GANESHA_PLUGINS "$system_lib/ganesha")
libraries=$(program GANESHA_LIBRARIES /usr/lib/ganesha)

needs "$ganesha" "$plugins/libfsalvfs.so" python3 unshare nfs-cat openssl
needs_root
begin 3 "$@"

mkdir -p root/sub/deep root/many root/private recovery-a recovery-b
printf 'Plain text.\nSecond line.\n' >root/plain.txt
: >root/empty.txt
mebibyte >root/big.bin
# Octets that no part of the file has twice.
key=00112233445566778899aabbccddeeff
openssl enc -aes-128-ctr -K $key -iv 0 </dev/zero 2>/dev/null | head -c 1073741824 >root/huge.bin || :
printf 'deep\n' >root/sub/deep/file.txt
printf 'spaces\n' >'root/name with spaces.txt'
printf 'percent\n' >'root/100%25#?.txt'
printf 'umlaut\n' >$'root/gr\xc3\xbc\xc3\x9fe.txt'
printf 'octet\n' >$'root/\xff.txt'
printf 'secret\n' >root/private/file.txt
chmod 700 root/private
for ((i = 1; i <= 2000; i++)); do echo "$i" >"root/many/file $i.txt"; done
ln -sfn plain.txt root/link.txt
ln -sfn sub root/sublink
ln -sfn 'name with spaces.txt' root/spacelink
ln -sfn loop root/loop
date_all root

configure() { # FILE PORT PROTOCOLS RECOVERY
	cat >"$1" <<-CONF
	NFS_CORE_PARAM {
	  Bind_addr = 127.0.0.1; NFS_Port = $2; MNT_Port = $((port + 1));
	  Protocols = $3; Enable_UDP = false; Enable_NLM = false; Enable_RQUOTA = false;
	  Plugins_Dir = "$plugins";
	}
	NFSV4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = $dir/$4; Only_Numeric_Owners = true; }
	NFS_KRB5 { Active_krb5 = false; }
	EXPORT {
	  Export_Id = 7; Path = $dir/root; Pseudo = /export; Access_Type = RO; Squash = Root_Squash;
	  SecType = sys, none; Protocols = $3; Transports = TCP; FSAL { Name = VFS; }
	}
	CONF
}
configure three.conf "$port" 3,4 recovery-a
configure four.conf $((port + 2)) 4 recovery-b

export LD_LIBRARY_PATH=$libraries
# start NAME PORT: in a file system of its own, where /run has nothing but the registrar's socket.
start() {
	run "$1.out" unshare -m bash -c '
		mount -t tmpfs none /run && mkdir -p /run/ganesha
		python3 "$1/registrar.py" /run/rpcbind.sock &
		while [[ ! -S /run/rpcbind.sock ]]; do sleep 0.02; done
		exec "$2" -F -f "$3.conf" -L "$3.log" -p "$3.pid"
	' bash "$here" "$ganesha" "$dir/$1"
	wait_port "$2"
}
start three "$port"
wait_port $((port + 1))
start four $((port + 2))

echo "nfs://127.0.0.1:$port$dir/root/plain.txt needs --nfs-mount-port $((port + 1))"
echo "nfs://127.0.0.1:$((port + 2))/export/plain.txt"
