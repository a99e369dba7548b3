#!/bin/bash
# ldapjs (an LDAP server library of npm) on the loopback address and on a local socket.
#
#   usage: ldapjs.sh WORKDIR PORT
#
#   PORT    ldap, no StartTLS
#   PORT+1  ldaps
#   WORKDIR/ldapi   the local socket
#
# Suffix dc=example,dc=net: ou=people (alice, user01 to user15, names that need escapes, a photo), a reference from
# ou=people to another server, and ou=elsewhere, which only refers to it; ou=many, with 1,201 entries below it, of which
# a search gives 1,000. Anonymous may read all but cn=members, which uid=alice,ou=people,dc=example,dc=net / secret may.
# npm package: ldapjs; Debian's ldap-utils has the client that it is compared with
# Needs no privileges.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs node openssl ldapsearch "$npm_modules/ldapjs"
begin 2 "$@"

certificate
all_octets >photo.bin

cat >server.cjs <<'JS'
const { readFileSync } = require('node:fs')
const [modules, dir, port] = process.argv.slice(2)
const ldap = require(`${modules}/ldapjs`)

const suffix = 'dc=example,dc=net'
const people = `ou=people,${suffix}`
const alice = `uid=alice,${people}`
const members = `cn=members,${suffix}`
const elsewhere = 'ldap://ldap.example.org/ou=elsewhere,dc=example,dc=org'
const person = (uid, cn, sn, more) => [`uid=${uid},${people}`, { objectClass: 'inetOrgPerson', uid, cn, sn, ...more }]
const tree = [
  [suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example Network' }],
  [people, { objectClass: 'organizationalUnit', ou: 'people' }],
  person('alice', 'Alice Author', 'Author', {
    mail: ['alice@example.net', 'alice.author@example.net'],
    description: [' starts with a space', 'two\nlines', 'x'.repeat(300), 'Grüße'],
    jpegPhoto: readFileSync(`${dir}/photo.bin`),
  }),
  [`cn=Odd\\2c Name \\2b \\22quotes\\22,${people}`, { objectClass: 'person', cn: 'Odd, Name + "quotes"', sn: 'Name' }],
  [`cn=Jürgen Groß,${people}`, { objectClass: 'person', cn: 'Jürgen Groß', sn: 'Groß' }],
  [members, { objectClass: 'device', cn: 'members' }],
  [`ou=many,${suffix}`, { objectClass: 'organizationalUnit', ou: 'many' }],
]
for (let n = 1; n <= 15; n++) {
  const digits = String(n).padStart(2, '0')
  tree.push(person(`user${digits}`, `User Number ${n}`, `Number${n}`, { employeeNumber: digits }))
}
for (let n = 1; n <= 1201; n++) tree.push([`cn=entry ${n},ou=many,${suffix}`, { objectClass: 'device', cn: `entry ${n}` }])
const entries = tree.map(([name, attributes]) => ({ name, dn: ldap.parseDN(name), attributes }))

function offer(server, ...where) {
  server.bind(suffix, (request, response, next) => {
    const isAlice = ldap.parseDN(alice).equals(request.dn)
    if (!isAlice || request.credentials !== 'secret') return next(new ldap.InvalidCredentialsError())
    response.end()
    next()
  })
  server.bind('', (_request, response, next) => {
    response.end()
    next()
  })
  server.search('', (request, response, next) => {
    if (!request.dn.isEmpty() || request.scope !== 0) return next(new ldap.NoSuchObjectError(request.dn.toString()))
    response.send({ dn: '', attributes: { objectClass: 'top', namingContexts: suffix } })
    response.end()
    next()
  })
  server.search(`ou=elsewhere,${suffix}`, (_request, response, next) => {
    response.addReferral(elsewhere)
    response.end(ldap.LDAP_REFERRAL)
    next()
  })
  server.search(suffix, (request, response, next) => {
    const login = request.connection.ldap.bindDN
    const mayRead = ({ name }) => name !== members || login.equals(ldap.parseDN(alice))
    const base = request.dn
    const found = entries.find(({ dn }) => dn.equals(base))
    if (!found) return next(new ldap.NoSuchObjectError(base.toString()))
    if (!mayRead(found)) return next(new ldap.InsufficientAccessRightsError('alice may'))
    const isWithin = ({ dn }) =>
      dn.equals(base)
        ? request.scope !== 1
        : request.scope === 1
          ? base.parentOf(dn) && dn.parent().equals(base)
          : request.scope === 2 && base.parentOf(dn)
    // The library compares them with lower-case names.
    response.attributes = response.attributes.map((type) => type.toLowerCase())
    const most = request.sizeLimit || 1000
    let count = 0
    for (const entry of entries.filter((entry) => isWithin(entry) && mayRead(entry))) {
      if (!request.filter.matches(entry.attributes, false)) continue
      if (++count > most) return next(new ldap.SizeLimitExceededError())
      response.send({ dn: entry.dn, attributes: { ...entry.attributes } })
    }
    if (base.equals(ldap.parseDN(people)) && request.scope > 0) {
      response.send(response.createSearchReference([elsewhere]))
    }
    response.end()
    next()
  })
  // A message that it cannot read: the library has answered, or has closed the connection.
  server.on('error', (error) => console.error(error.message))
  server.listen(...where)
}

offer(ldap.createServer(), Number(port), '127.0.0.1')
const [certificate, key] = ['cert.pem', 'key.pem'].map((file) => readFileSync(`${dir}/${file}`))
offer(ldap.createServer({ certificate, key }), Number(port) + 1, '127.0.0.1')
offer(ldap.createServer(), `${dir}/ldapi`)
JS
run ldapjs.log node server.cjs "$npm_modules" "$dir" "$port"
for ((i = 0; i < 2; i++)); do wait_port $((port + i)); done

echo "ldap://127.0.0.1:$port/ou=people,dc=example,dc=net?cn,mail?sub?(uid=alice)"
echo "ldaps://127.0.0.1:$((port + 1))/uid=alice,ou=people,dc=example,dc=net"
echo "ldapi://${dir//\//%2F}%2Fldapi/dc=example,dc=net"
