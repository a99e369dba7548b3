/** Mirrors of LDAP directories. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { startLdapServer } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'

const suffix = 'dc=example,dc=net'
const names = ['Jürgen', 'Odd', 'alice', 'bob']

test.each([
  ['one level', `ou=people,${suffix}??one`],
  ['below an entry', `ou=people,${suffix}??sub?(objectClass=*person)`],
  ['a DN in another form', 'OU=People,%20dc=example,dc=net??one'],
  ['the whole server', `${suffix}??sub?(|(cn=J*)(cn=Odd*)(uid=alice)(uid=bob))`],
])('the entries of a search are saved as LDIF, a file each: %s', async (_, path) => {
  const folder = mkdtempSync(join(tmpdir(), 'entries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using server = await startLdapServer()
  await using client = createClient()
  const result = await client.mirror(server.url + path, folder)
  const files = readdirSync(folder)
  expect(names.map((name) => files.filter((file) => file.includes(name)).length)).toEqual(names.map(() => 1))
  expect(result).toMatchObject({ saved: files.length, failed: 0, isComplete: true })
  const [alice = ''] = files.filter((file) => file.includes('alice'))
  expect(readFileSync(join(folder, alice), 'latin1')).toMatch(/^version: 1\n\ndn: uid=alice,ou=people,/)
  expect(server.accepted).toBeLessThanOrEqual(5)
})
