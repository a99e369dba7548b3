import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startLdapServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The server that the command has for an LDAP URL without one; a file is below the home, or below the folder. */
async function serverBy(
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const home = join(folder(), 'home')
  await mkdir(home, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder(), name), text)
  const { stdout } = await retrieve(['explain', '--json', 'ldap:///'], { cwd: folder(), env: { HOME: home, ...env } })
  const { host, port, tls, socket } = JSON.parse(stdout).plan
  return socket ?? `${tls} ${host}:${port}`
}

const none = 'none :389'

test('LDAPURI names the server: the first of its URIs', async () => {
  expect(await serverBy({ LDAPURI: 'ldap://a.example' })).toBe('none a.example:389')
  expect(await serverBy({ LDAPURI: 'ldaps://a.example:1636/ ldap://b.example' })).toBe('implicit a.example:1636')
  expect(await serverBy({ LDAPURI: 'ldapi://%2Ftmp%2Fx' })).toBe('/tmp/x')
  expect(await serverBy({ LDAPURI: 'http://a.example' })).toBe(none)
})

test('files name it in the order of ldap.conf(5); the last line and the last file count', async () => {
  const files = {
    'home/ldaprc': '# a comment\nBASE dc=x\nuri ldap://old.example\nURI\tldap://home.example ldap://second.example\n',
  }
  expect(await serverBy({}, files)).toBe('none home.example:389')
  const more = { ...files, 'home/.ldaprc': 'URI ldap://dot.example\n', 'my.conf': 'URI ldap://conf.example\n' }
  expect(await serverBy({}, more)).toBe('none dot.example:389')
  expect(await serverBy({ LDAPCONF: join(folder(), 'my.conf') }, more)).toBe('none conf.example:389')
  const own = { ...more, 'home/.mine': 'URI ldap://mine.example\n' }
  expect(await serverBy({ LDAPCONF: join(folder(), 'my.conf'), LDAPRC: 'mine' }, own)).toBe('none mine.example:389')
  expect(await serverBy({ LDAPRC: 'mine', LDAPURI: 'ldap://env.example' }, own)).toBe('none env.example:389')
  expect(await serverBy({ LDAPRC: 'mine', LDAPNOINIT: '' }, own)).toBe(none)
})

test('case 89, a file of the current folder is not read', async () => {
  const files = { ldaprc: 'URI ldap://evil.example\n', '.ldaprc': 'URI ldap://evil.example\n' }
  expect(await serverBy({ LDAPNOINIT: '1' }, files)).toBe(none)
  expect(await serverBy({}, { ...files, 'home/ldaprc': '', 'home/.ldaprc': '' })).not.toContain('evil')
  expect(await serverBy({ LDAPRC: '../ldaprc' }, files)).not.toContain('evil')
})

test('a search without a server goes there, and without one says how to name it', async () => {
  await using server = await startLdapServer()
  const url = 'ldap:///ou=people,dc=example,dc=net?ou'
  const { status, stdout } = await retrieve([url], { env: { LDAPURI: server.url } })
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'version: 1\n\ndn: ou=people,dc=example,dc=net\nou: people\n',
  })
  const { status: missing, stderr } = await retrieve([url], { env: { LDAPNOINIT: '1' } })
  expect(missing).toBe(6)
  expect(stderr).toContain('Name one by $LDAPURI, or by URI in ~/.ldaprc.')
})

test('-u names the login and its password, which no line shows', async () => {
  await using server = await startLdapServer()
  const dn = 'uid=alice,dc=example,dc=net'
  const { status, stdout, stderr } = await retrieve([
    '-v',
    '-u',
    `${dn}:secret`,
    `${server.url}cn=secret,dc=example,dc=net?description`,
  ])
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'version: 1\n\ndn: cn=secret,dc=example,dc=net\ndescription: for logins alone\n',
  })
  expect(stderr).toContain('<password>')
  expect(stderr.replaceAll('cn=secret', '')).not.toContain('secret')
  await server.waitForConnections(0)
  expect(server.received[0]).toBe(`bind ${dn}`)
})

test('ls shows names and the URLs that retrieve them; --json has the values', async () => {
  await using server = await startLdapServer()
  const url = `${server.url}ou=people,dc=example,dc=net?cn,jpegPhoto?one?(uid=*)`
  const { stdout } = await retrieve(['ls', url])
  expect(stdout).toContain(`uid=bob,ou=people,dc=example,dc=net  ${server.url}uid=bob,ou=people,dc=example,dc=net`)
  const entries = (await retrieve(['ls', '--json', url])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries.map(({ details }) => details.attributes)).toEqual([
    {
      cn: ['Alice Author'],
      'cn;lang-de': ['Alice Schriftstellerin üßé'],
      jpegPhoto: [{ base64: Buffer.from(Array.from({ length: 256 }, (_, octet) => octet)).toString('base64') }],
    },
    { cn: ['Bob Builder'] },
  ])
})

test("uri(7)'s own example on port 6666 needs no option: the port is no danger", async () => {
  const url = 'ldap://127.0.0.1:6666/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)'
  const { stdout } = await retrieve(['explain', '--json', url])
  const [finding] = JSON.parse(stdout).findings
  expect(finding).toMatchObject({ code: 'foreign-port', severity: 'warning' })
})
