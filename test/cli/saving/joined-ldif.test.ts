/** Several directories on standard output are one text of LDIF (RFC 2849). */
import { startHttpServer, startLdapServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve } from '../../support/cli/run.ts'

const people = 'ou=people,dc=example,dc=net'
const env = { LDAPNOINIT: '1' }

test.each([[], ['-Z'], ['--parallel-max', '2', '-Z']])(
  'entries of several URLs have one version line, and an empty line between them: %j',
  async (...options) => {
    await using server = await startLdapServer()
    const args = [`${server.url}uid={alice,bob},${people}?sn`, `${server.url}${people}?cn?one?(uid=nobody)`]
    const { status, stdout } = await retrieve([...options, ...args, `${server.url}${people}?sn?one?(uid=*)`], { env })
    expect(status).toBe(0)
    const [alice, bob] = [`\ndn: uid=alice,${people}\nsn: Author\n`, `\ndn: uid=bob,${people}\nsn: Builder\n`]
    expect(stdout).toBe(`version: 1\n${alice}${bob}${alice}${bob}`)
  },
)

test('an entry that is not there first does not take the version line with it', async () => {
  await using server = await startLdapServer()
  const { status, stdout } = await retrieve([`${server.url}uid={nobody,bob},${people}?sn`], { env })
  expect([status, stdout]).toEqual([78, `version: 1\n\ndn: uid=bob,${people}\nsn: Builder\n`])
})

test('on a terminal, too; the octets of other protocols stay as they are', async () => {
  await using server = await startLdapServer()
  const { stdout } = await retrieve([`${server.url}uid={bob,bob},${people}?sn`], { env, isTerminal: true })
  expect(stdout.match(/version: 1/g)).toHaveLength(1)
  await using http = await startHttpServer()
  http.route('/x.ldif', () => new Response('version: 1\n', { headers: { 'content-type': 'text/x-ldif' } }))
  const both = await retrieve([`${http.url}x.ldif`, `${http.url}x.ldif`])
  expect(both.stdout).toBe('version: 1\nversion: 1\n')
})
