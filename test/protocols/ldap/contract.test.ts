import { createClient } from '@retriever/fetchers'
import { startLdapServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

const alice = 'uid=alice,ou=people,dc=example,dc=net'

const entry = await (async () => {
  await using server = await startLdapServer()
  await using client = createClient()
  return await bytesOf(client, server.url + alice)
})()

testFetcher({
  mechanism: 'ldap',
  asked: [{ limit: 5 }, { head: true }],
  bytes: entry,
  entries: [alice, 'cn=Jürgen,ou=people,dc=example,dc=net'],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 3,
  async start(faults = {}) {
    const server = await startLdapServer({ faults })
    return {
      server,
      object: server.url + alice,
      missing: `${server.url}uid=nobody,dc=example,dc=net`,
      listing: `${server.url}ou=people,dc=example,dc=net??one`,
    }
  },
})

test('values that LDIF cannot hold as they are come in base64, octet by octet', () => {
  const text = entry.toString('latin1').replaceAll('\n ', '')
  expect(text).toMatch(/^version: 1\n\ndn: uid=alice,ou=people,dc=example,dc=net\nobjectClass: inetOrgPerson\n/)
  const photo = /^jpegPhoto:: (.*)$/m.exec(text)?.[1] ?? ''
  expect(Buffer.from(photo, 'base64')).toEqual(Buffer.from(Array.from({ length: 256 }, (_, octet) => octet)))
  const described = [...text.matchAll(/^description:(:?) ?(.*)$/gm)].map(([, isBase64, value = '']) =>
    Buffer.from(value, isBase64 === ':' ? 'base64' : 'latin1').toString(),
  )
  expect(described).toEqual([' begins with a blank', 'ends with one ', ': a colon', '< a bracket', 'two\nlines', ''])
  expect(
    entry
      .toString('latin1')
      .split('\n')
      .filter((line) => line.length > 76),
  ).toEqual([])
})
