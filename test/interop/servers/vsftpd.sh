#!/bin/bash
# vsftpd on the loopback address.
#
#   usage: vsftpd.sh WORKDIR PORT
#
#   PORT    plain FTP, AUTH TLS optional, no TLS session reuse demanded
#   PORT+1  implicit TLS (ftps)
#   PORT+2  AUTH TLS mandatory for login and data, session reuse demanded
#   PORT+3  plain FTP, two sessions at a time for a client
#
# Users: anonymous (read only) and alice / secret (virtual: a PAM password
# file read through pam_wrapper; no system account, nothing in /etc/pam.d).
# Debian packages: vsftpd libpam-wrapper openssl
# Must be started as root.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

vsftpd=$(program VSFTPD /usr/sbin/vsftpd)

needs "$vsftpd" "$system_lib/libpam_wrapper.so" openssl
needs_root
begin 4 "$@"

# The daemon reads the files as "daemon" (a stock account whose home directory
# exists; vsftpd insists on that even with anon_root set), hence ftp_username below.
mkdir -p empty pam.d
ftp_seed

# --- certificate and virtual user ------------------------------------------
certificate
echo 'alice:secret:vsftpd' >passdb
matrix=$system_lib/pam_wrapper/pam_matrix.so
{
	echo "auth    required $matrix passdb=$dir/passdb"
	echo "account required $matrix passdb=$dir/passdb"
	echo "session required $matrix passdb=$dir/passdb"
} >pam.d/vsftpd
cp pam.d/vsftpd pam.d/other	# without it the wrapper complains on the control connection

# --- configuration ---------------------------------------------------------
config() { # file port extra-lines
	cat >"$1" <<-CONF
	listen=YES
	listen_address=127.0.0.1
	listen_port=$2
	background=NO
	anonymous_enable=YES
	no_anon_password=NO
	ftp_username=daemon
	nopriv_user=nobody
	anon_root=$dir/root
	local_enable=YES
	guest_enable=YES
	guest_username=daemon
	local_root=$dir/root
	chroot_local_user=YES
	virtual_use_local_privs=YES
	pam_service_name=vsftpd
	secure_chroot_dir=$dir/empty
	seccomp_sandbox=NO
	use_localtime=NO
	mdtm_write=NO
	dirmessage_enable=YES
	ascii_download_enable=YES
	async_abor_enable=YES
	xferlog_enable=YES
	vsftpd_log_file=$dir/vsftpd.log
	log_ftp_protocol=YES
	syslog_enable=NO
	dual_log_enable=YES
	xferlog_file=$dir/xferlog
	ssl_enable=YES
	allow_anon_ssl=YES
	force_local_logins_ssl=NO
	force_local_data_ssl=NO
	rsa_cert_file=$dir/cert.pem
	rsa_private_key_file=$dir/key.pem
	ssl_ciphers=HIGH
	CONF
	printf '%s\n' "${@:3}" >>"$1"
}
config plain.conf "$port" require_ssl_reuse=NO
config implicit.conf $((port + 1)) require_ssl_reuse=NO implicit_ssl=YES
config reuse.conf $((port + 2)) require_ssl_reuse=YES \
	force_local_logins_ssl=YES force_local_data_ssl=YES \
	force_anon_logins_ssl=YES force_anon_data_ssl=YES
config two.conf $((port + 3)) require_ssl_reuse=NO max_per_ip=2
chmod 644 ./*.conf

# --- start -----------------------------------------------------------------
start() { # configuration, port
	run "$1.out" env PAM_WRAPPER=1 PAM_WRAPPER_SERVICE_DIR="$dir/pam.d" \
		LD_PRELOAD="$system_lib/libpam_wrapper.so" \
		"$vsftpd" "$dir/$1.conf"
	wait_port "$2"
}
start plain "$port"
start implicit $((port + 1))
start reuse $((port + 2))
start two $((port + 3))

echo "ftp://127.0.0.1:$port/pub/hello.txt"
echo "ftp://alice:secret@127.0.0.1:$port/pub/hello.txt"
echo "ftps://127.0.0.1:$((port + 1))/pub/hello.txt"
echo "ftp://127.0.0.1:$((port + 2))/pub/hello.txt (AUTH TLS, session reuse)"
echo "ftp://127.0.0.1:$((port + 3))/pub/hello.txt (two sessions at a time)"
