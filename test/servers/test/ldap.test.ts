import { afterEach, expect, test } from 'vitest'
import { type LdapServerOptions, startLdapServer, type TestServer } from '../src/index.ts'
import { Dialogue } from './dialogue.ts'

let server: TestServer
afterEach(() => server.close())

/** A message by its number, its operation's tag, and the contents in hexadecimal digits and quoted text. */
function message(id: number, tag: string, written: string): string {
  const parts = written.match(/"[^"]*"|[0-9a-f]+/g) ?? []
  const octets = parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1) : Buffer.from(part, 'hex').toString('latin1'),
  )
  return element('30', `\x02\x01${String.fromCharCode(id)}${element(tag, octets.join(''))}`)
}

function element(tag: string, contents: string): string {
  return Buffer.from(tag, 'hex').toString('latin1') + String.fromCharCode(contents.length) + contents
}

async function to(options: LdapServerOptions = {}): Promise<Dialogue> {
  server = await startLdapServer(options)
  return Dialogue.to(server)
}

const search = (id: number, base: string): string => {
  return message(
    id,
    '63',
    `04 ${Buffer.from([base.length]).toString('hex')} "${base}" 0a0100 0a0100 020100 020100 010100 870b "objectClass" 3000`,
  )
}

/** LDAPResult: a code, no DN, and the server's words. */
const result = (id: number, tag: string, code: string, words = ''): string => {
  return message(id, tag, `0a01${code} 0400 04 ${Buffer.from([words.length]).toString('hex')} "${words}"`)
}

test('a bind, a search, and unbind', async () => {
  const ldap = await to()
  ldap.send(message(1, '60', '020103 0409 "uid=alice" 8006 "secret"'))
  expect(await ldap.until(result(1, '61', '00'))).toBe(result(1, '61', '00'))
  ldap.send(search(2, 'ou=people,dc=example,dc=net'))
  const done = result(2, '65', '00')
  expect(await ldap.until(done)).toContain('organizationalUnit')
  ldap.send(message(3, '42', ''))
  expect(await ldap.rest()).toBe('')
  expect(server.received).toEqual(['bind uid=alice', 'search base ou=people,dc=example,dc=net', 'unbind'])
})

test('a wrong password, a missing entry, an operation that it does not know', async () => {
  const ldap = await to()
  const refused = result(1, '61', '31', 'invalid credentials')
  ldap.send(message(1, '60', '020103 0409 "uid=alice" 8005 "wrong"'))
  expect(await ldap.until(refused)).toBe(refused)
  const missing = result(2, '65', '20', 'no such object below dc=example,dc=net')
  ldap.send(search(2, 'o=x'))
  expect(await ldap.until(missing)).toBe(missing)
  ldap.send(message(3, '4a', '"o=x"'))
  expect(await ldap.rest()).toBe('')
})

test('replies replace answers, by what is asked', async () => {
  const ldap = await to({ faults: { replies: { search: 'one', 'search o=y': ['two', ''] } } })
  ldap.send(search(1, 'o=x'))
  expect(await ldap.until('one')).toBe('one')
  ldap.send(search(2, 'o=y'))
  expect(await ldap.until('two')).toBe('two')
  ldap.send(search(3, 'o=y'))
  expect(await ldap.rest()).toBe('')
})

test('options that it does not have', async () => {
  server = await startLdapServer()
  await expect(startLdapServer({ sizeLimit: -1 })).rejects.toThrow('sizeLimit')
  await expect(startLdapServer({ tls: 'implicit' } as unknown as LdapServerOptions)).rejects.toThrow('tls')
})
