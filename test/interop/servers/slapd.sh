#!/bin/bash
# slapd (OpenLDAP) on the loopback address and on a local socket.
#
#   usage: slapd.sh WORKDIR PORT
#
#   PORT       ldap, StartTLS offered
#   PORT+1     ldaps
#   WORKDIR/ldapi   the local socket
#
# Suffix dc=example,dc=net: ou=people (alice, user01 to user15, names that need escapes), ou=groups, a referral,
# jpegPhoto and userCertificate;binary, values in UTF-8 and values that LDIF has to encode; ou=many, with 3,001 entries
# below it. Anonymous may read all but passwords; uid=alice and uid=user01,ou=people,dc=example,dc=net / secret. A search
# or page gives 500 entries at most; a page that alice may ask for has 100; no search of user01 gives more than 20.
# user02 has a soft limit of 5, a hard one of 40 and pages of 7, user03 15 and no pages; user04 may not look at 50 entries.
# cn=local,ou=groups is for the user who started it alone, by SASL EXTERNAL over the local socket.
# Debian packages: slapd openssl; ldap-utils has the client that it is compared with
# Needs no privileges; where AppArmor confines slapd, it may not read WORKDIR.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

slapd=$(program SLAPD /usr/sbin/slapd)
schema=$(program SLAPD_SCHEMA /etc/ldap/schema)
modules=$(program SLAPD_MODULES /usr/lib/ldap)

# The package has a library of its own, libslapi.
own_lib=$unpacked/usr/lib/$(uname -m)-linux-gnu
[[ $slapd != "$unpacked"/* ]] || export LD_LIBRARY_PATH=$own_lib

needs "$slapd" "$schema/inetorgperson.schema" "$modules/back_mdb.la" openssl ldapsearch
begin 2 "$@"

mkdir -p db log

# --- certificate, entries ------------------------------------------------------
certificate
openssl x509 -in cert.pem -outform DER -out cert.der
# Every octet twice: no text, and longer than a line of LDIF.
for i in {0..255} {0..255}; do printf '%b' "\\x$(printf '%02x' "$i")"; done >photo.bin
{
	cat <<-LDIF
	dn: dc=example,dc=net
	objectClass: dcObject
	objectClass: organization
	dc: example
	o: Example Network
	description: The root of the test tree.

	dn: ou=people,dc=example,dc=net
	objectClass: organizationalUnit
	ou: people

	dn: ou=groups,dc=example,dc=net
	objectClass: organizationalUnit
	ou: groups

	dn: uid=alice,ou=people,dc=example,dc=net
	objectClass: inetOrgPerson
	uid: alice
	cn: Alice Author
	cn;lang-de:: $(printf 'Alice Schriftstellerin üßé' | base64 -w 0)
	sn: Author
	givenName: Alice
	mail: alice@example.net
	mail: alice.author@example.net
	telephoneNumber: +1 555 0100
	description:: $(printf ' starts with a space' | base64 -w 0)
	description:: $(printf 'two\nlines' | base64 -w 0)
	description: A value that is so long that LDIF has to fold it: $(printf 'x%.0s' {1..300})
	userPassword: secret
	jpegPhoto:: $(base64 -w 0 photo.bin)
	userCertificate;binary:: $(base64 -w 0 cert.der)
	seeAlso: uid=user01,ou=people,dc=example,dc=net

	dn: cn=Odd\\2C Name \\+ \\"quotes\\",ou=people,dc=example,dc=net
	objectClass: inetOrgPerson
	cn: Odd, Name + "quotes"
	sn: Name
	description: (parentheses) * and \\ backslash

	dn:: $(printf 'cn=Jürgen Groß,ou=people,dc=example,dc=net' | base64 -w 0)
	objectClass: inetOrgPerson
	cn:: $(printf 'Jürgen Groß' | base64 -w 0)
	sn:: $(printf 'Groß' | base64 -w 0)

	dn: cn=readers,ou=groups,dc=example,dc=net
	objectClass: groupOfNames
	cn: readers
	member: uid=alice,ou=people,dc=example,dc=net
	member: uid=user01,ou=people,dc=example,dc=net

	dn: cn=local,ou=groups,dc=example,dc=net
	objectClass: device
	cn: local

	dn: ou=elsewhere,dc=example,dc=net
	objectClass: referral
	objectClass: extensibleObject
	ou: elsewhere
	ref: ldap://ldap.example.org/ou=elsewhere,dc=example,dc=org

	LDIF
	for i in {01..15}; do
		cat <<-LDIF
		dn: uid=user$i,ou=people,dc=example,dc=net
		objectClass: inetOrgPerson
		uid: user$i
		cn: User Number $i
		sn: Number$i
		mail: user$i@example.net
		employeeNumber: $i
		userPassword: secret

		LDIF
	done
	printf '%s\n' 'dn: ou=many,dc=example,dc=net' 'objectClass: organizationalUnit' 'ou: many' ''
	for i in {1..3001}; do
		printf '%s\n' "dn: cn=entry $i,ou=many,dc=example,dc=net" 'objectClass: device' "cn: entry $i" ''
	done
} >seed.ldif

# --- configuration -----------------------------------------------------------
cat >slapd.conf <<CONF
include $schema/core.schema
include $schema/cosine.schema
include $schema/inetorgperson.schema
modulepath $modules
moduleload back_mdb
pidfile $dir/slapd.own.pid
argsfile $dir/slapd.args
TLSCertificateFile $dir/cert.pem
TLSCertificateKeyFile $dir/key.pem
TLSVerifyClient never
access to attrs=userPassword by self read by anonymous auth by * none
access to dn.exact="cn=local,ou=groups,dc=example,dc=net"
	by dn.exact="gidNumber=$(id -g)+uidNumber=$(id -u),cn=peercred,cn=external,cn=auth" read
	by * none
access to * by * read
database mdb
suffix "dc=example,dc=net"
rootdn "cn=admin,dc=example,dc=net"
rootpw secret
limits dn.exact="uid=alice,ou=people,dc=example,dc=net" size=500 size.pr=100 size.prtotal=unlimited
limits dn.exact="uid=user01,ou=people,dc=example,dc=net" size=20
limits dn.exact="uid=user02,ou=people,dc=example,dc=net" size.soft=5 size.hard=40 size.pr=7
limits dn.exact="uid=user03,ou=people,dc=example,dc=net" size=15 size.prtotal=disabled
limits dn.exact="uid=user04,ou=people,dc=example,dc=net" size.unchecked=50
limits * size=500 size.prtotal=unlimited
directory $dir/db
maxsize 16777216
index objectClass,uid,cn,sn,mail eq
CONF
"$slapd" -T add -q -f slapd.conf -l seed.ldif >log/slapadd.out 2>&1 || fail "slapadd failed: $(tail -n 3 log/slapadd.out)"

# --- start -----------------------------------------------------------------
run log/slapd.log "$slapd" -f "$dir/slapd.conf" -d none \
	-h "ldap://127.0.0.1:$port ldaps://127.0.0.1:$((port + 1)) ldapi://${dir//\//%2F}%2Fldapi"
wait_port "$port"
wait_port $((port + 1))

echo "ldap://127.0.0.1:$port/ou=people,dc=example,dc=net?cn,mail?sub?(uid=alice)"
echo "ldaps://127.0.0.1:$((port + 1))/uid=alice,ou=people,dc=example,dc=net"
echo "ldapi://${dir//\//%2F}%2Fldapi/dc=example,dc=net"
