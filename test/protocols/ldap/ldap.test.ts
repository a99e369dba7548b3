import type { RetrievalError } from '@retriever/core'
import { type Client, type ClientOptions, createClient, type Entry, type RetrievalEvent } from '@retriever/fetchers'
import { type LdapServerOptions, startLdapServer, type TestServer, testCa } from '@retriever/servers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { failure as failureOf } from '../../support/failure.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'

const suffix = 'dc=example,dc=net'
const people = `ou=people,${suffix}`

let made: Client[]
let events: RetrievalEvent[]
let server: TestServer | undefined

beforeEach(() => {
  events = []
  made = []
})

async function closeClients(): Promise<void> {
  for (const each of made) await each.close()
  await server?.waitForConnections(0)
}

afterEach(async () => {
  await closeClients()
  await server?.close()
  server = undefined
})

function makeClient(options: ClientOptions = {}): Client {
  const limits = { idleTimeout: 2000, maxRetries: 0, ...options.limits }
  const own = createClient({ tls: { ca: testCa }, onEvent: (event) => events.push(event), ...options, limits })
  made.push(own)
  return own
}

async function start(options: LdapServerOptions = {}): Promise<string> {
  server = await startLdapServer(options)
  return server.url
}

async function ldif(url: string, client: Client = makeClient()): Promise<string> {
  return (await client.retrieve(url)).text()
}

async function list(url: string, client: Client = makeClient()): Promise<Entry[]> {
  return entriesOf(await client.retrieve(url))
}

async function failure(url: string, client: Client = makeClient()): Promise<RetrievalError> {
  return failureOf(ldif(url, client))
}

test('an entry comes as LDIF: with the attributes that the URL names, else with all those of users', async () => {
  const url = await start()
  const client = makeClient()
  const bob = await client.retrieve(`${url}uid=bob,${people}`)
  expect(bob).toMatchObject({ kind: 'object', mediaType: 'text/x-ldif', charset: 'utf-8', completeness: 'terminated' })
  expect(bob.metadata).toEqual({ login: null })
  const whole = ['objectClass: inetOrgPerson', 'uid: bob', 'cn: Bob Builder', 'sn: Builder']
  expect(await bob.text()).toBe(['version: 1', '', `dn: uid=bob,${people}`, ...whole, ''].join('\n'))
  expect(await ldif(`${url}uid=bob,${people}?cn`)).toBe(`version: 1\n\ndn: uid=bob,${people}\ncn: Bob Builder\n`)
  expect(await ldif(`${url}?+`)).toMatch(/\nnamingContexts: dc=example,dc=net\n/)
  expect(await ldif(url)).toBe('version: 1\n\ndn:\nobjectClass: top\n')
})

test.each([
  ['base', [suffix]],
  ['one', [people]],
  ['sub', [suffix, people, `cn=Odd\\2C Name \\2B \\22quotes\\22,${people}`]],
] as const)('scope %s', async (scope, names) => {
  const url = await start()
  const found = (await list(`${url}${suffix}??${scope}`)).map(({ name }) => name)
  expect(found).toEqual(expect.arrayContaining([...names]))
  expect(found.includes(`uid=alice,${people}`)).toBe(scope === 'sub')
})

test.each([
  ['(uid=alice)', ['alice']],
  ['(UID=ALICE)', ['alice']],
  ['(!(uid=alice))', ['bob']],
  ['(%7C(uid=alice)(cn=bob%20builder))', ['alice', 'bob']],
  ['(&(objectClass=inetOrgPerson)(sn=B*d*r))', ['bob']],
  ['(sn=*or)', ['alice']],
  ['(sn=au*)', ['alice']],
  ['(sn=*uild*)', ['bob']],
  ['(sn%3E=b)', ['bob']],
  ['(sn%3C=b)', ['alice']],
  ['(uid~=bob)', ['bob']],
  ['(&)', ['alice', 'bob']],
  ['(cn;lang-de=*)', ['alice']],
  ['(cn;lang-de=*%5Cc3%5Cbc*)', ['alice']],
  [
    `(jpegPhoto=${Array.from({ length: 256 }, (_, octet) => `%5C${octet.toString(16).padStart(2, '0')}`).join('')})`,
    ['alice'],
  ],
])('filter %s', async (filter, uids) => {
  const url = await start()
  const found = (await list(`${url}${people}?uid?sub?(&(uid=*)${filter})`)).map(({ name }) => name)
  expect(found).toEqual(uids.map((uid) => `uid=${uid},${people}`))
})

test('an entry has its values, text as text and octets in base64, and a URL that retrieves it', async () => {
  const url = await start()
  const client = makeClient()
  const [alice] = await list(`${url}${people}??sub?(uid=alice)`, client)
  expect(alice).toMatchObject({ name: `uid=alice,${people}`, kind: 'file', url: `${url}uid=alice,${people}` })
  const octets = Uint8Array.from({ length: 256 }, (_, octet) => octet)
  expect(alice?.details).toMatchObject({
    dn: `uid=alice,${people}`,
    attributes: {
      mail: ['alice@example.net', 'alice.author@example.net'],
      'cn;lang-de': ['Alice Schriftstellerin üßé'],
      description: [' begins with a blank', 'ends with one ', ': a colon', '< a bracket', 'two\nlines', ''],
      jpegPhoto: [{ base64: Buffer.from(octets).toString('base64') }],
    },
  })
  for (const entry of await list(`${url}${people}??sub`, client)) {
    expect(await list(entry.url ?? '', client)).toEqual([entry])
  }
})

test('case 52, a reference is a comment and a link, a referral an error; neither is followed', async () => {
  const url = await start()
  const elsewhere = 'ldap://127.0.0.1:9/ou=elsewhere,dc=example,dc=org'
  expect(await ldif(`${url}${suffix}?1.1?one`)).toBe(`version: 1\n\ndn: ${people}\n\n# reference: ${elsewhere}\n`)
  const links = (await list(`${url}${suffix}??sub`)).filter(({ kind }) => kind === 'link')
  expect(links).toEqual([{ name: elsewhere, kind: 'link', url: elsewhere }])
  const error = await failure(`${url}ou=elsewhere,${suffix}`)
  expect(error).toMatchObject({ code: 'server-refused', reply: '10 referral' })
  expect(error.message).toContain(`refers to ${elsewhere}`)
  const dialled = events.filter(({ type }) => type === 'connected')
  expect(dialled).toHaveLength(server?.accepted ?? 0)
})

test('R30: a search that the server stops gives what came, and is partial', async () => {
  const url = await start({ sizeLimit: 2 })
  const representation = await makeClient().retrieve(`${url}${people}?1.1?sub`)
  const chunks: Buffer[] = []
  const error = await failureOf(
    (async () => {
      for await (const chunk of representation) chunks.push(Buffer.from(chunk))
    })(),
  )
  expect(error).toMatchObject({ code: 'partial', phase: 'body', reply: '4 sizeLimitExceeded: size limit exceeded' })
  expect(error.message).toContain('stopped at its size limit, after 2 entries')
  expect(Buffer.concat(chunks).toString()).toBe(`version: 1\n\ndn: ${people}\n\ndn: uid=alice,${people}\n`)
})

test('R30: all entries that came before the server stopped are listed', async () => {
  const url = await start({ sizeLimit: 2 })
  const names: string[] = []
  const error = await failureOf(
    (async () => {
      for await (const { name } of (await makeClient().retrieve(`${url}${people}?1.1?sub`)).entries()) names.push(name)
    })(),
  )
  expect(error).toMatchObject({ code: 'partial' })
  expect(names).toEqual([people, `uid=alice,${people}`])
})

test.each([
  ['pages that are as large as is asked for', { pageLimit: 500 }, 1],
  ['a limit of four for a page, which is refused when it is asked for', { pageLimit: 4 }, 5],
  ['a limit of two for a page, which comes after two', { pageLimit: 500, sizeLimit: 2 }, 4],
  ['a limit of three for a page', { pageLimit: 3 }, 5],
  ['no pages', {}, 1],
])('all entries come, each once, from a server with %s', async (_, options, searches) => {
  const url = `${await start(options)}${people}?1.1?sub`
  expect((await list(url)).map(({ name }) => name.replace(`,${people}`, ''))).toEqual([
    people,
    'uid=alice',
    'uid=bob',
    'cn=Odd\\2C Name \\2B \\22quotes\\22',
    'cn=Jürgen',
  ])
  await closeClients()
  expect(server?.received.filter((line) => line.startsWith('search'))).toHaveLength(searches)
})

test('a DN with a raw line end has a URL that retrieves it (RFC 4514 2.4)', async () => {
  const framed = (tag: number, ...parts: readonly (string | readonly number[])[]): Buffer => {
    const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
    return Buffer.concat([Buffer.from([tag, content.length]), content])
  }
  const dns: string[] = []
  let read = 0
  await using server = await startScriptedServer((socket, received) => {
    const message = Buffer.from(received.slice(read), 'latin1')
    read = received.length
    const search = message.indexOf(0x63)
    if (message.indexOf(0x42) === message.length - 2) return // unbindRequest
    dns.push(message.toString('utf8', search + 4, search + 4 + (message[search + 3] ?? 0)))
    const id = [...message.subarray(2, search)]
    const entry = framed(0x64, [...framed(4, 'cn=a\nb')], [0x30, 0])
    socket.write(framed(0x30, id, [...entry]))
    socket.write(framed(0x30, id, [0x65, 7, 10, 1, 0, 4, 0, 4, 0]))
  })
  const client = makeClient()
  const [entry] = await list(`ldap://127.0.0.1:${server.port}/dc=x??sub`, client)
  expect(entry).toMatchObject({ name: 'cn=a\nb', url: `ldap://127.0.0.1:${server.port}/cn=a%5C0ab` })
  await ldif(entry?.url ?? '', client)
  expect(dns).toEqual(['dc=x', 'cn=a\\0ab'])
  await client.close()
})

test('references do not count as entries of a page, whose limit is found all the same', async () => {
  const element = (tag: number, ...contents: Buffer[]): Buffer =>
    Buffer.concat([Buffer.from([tag, Buffer.concat(contents).length]), ...contents])
  const text = (content: string): Buffer => element(4, Buffer.from(content))
  const entry = (id: number, name: string) =>
    element(0x30, element(2, Buffer.from([id])), element(0x64, text(name), element(0x30)))
  const end = (id: number, code: number, cookie: string) => {
    const page = element(0x30, element(2, Buffer.from([0])), text(cookie))
    const controls = element(0xa0, element(0x30, text('1.2.840.113556.1.4.319'), element(4, page)))
    const result = element(0x65, element(0x0a, Buffer.from([code])), text(''), text(''))
    return element(0x30, element(2, Buffer.from([id])), result, controls)
  }
  const reference = (id: number) => element(0x30, element(2, Buffer.from([id])), element(0x73, text('ldap://h/o=y')))
  // At most two entries in a page: a larger one ends with an error.
  await using scripted = await startScriptedServer((socket, received) => {
    const requests = received.split('1.2.840.113556.1.4.319').slice(1)
    const id = requests.length
    const [, size = '', cookie = ''] = /^\x04.0.\x02.(.+?)\x04.(.*?)(?:0|$)/s.exec(requests.at(-1) ?? '') ?? []
    const first = [entry(id, 'o=a'), reference(id), entry(id, 'o=b')]
    if (cookie === 'c') socket.write(Buffer.concat([entry(id, 'o=c'), end(id, 0, '')]))
    else if (size === '\x02') socket.write(Buffer.concat([...first, end(id, 0, 'c')]))
    else if (id > 0) socket.write(Buffer.concat([...first, end(id, 4, '')]))
  })
  const found = await list(`ldap://127.0.0.1:${scripted.port}/o=x?1.1?sub`)
  expect(found.map(({ name }) => name)).toEqual(['o=a', 'ldap://h/o=y', 'o=b', 'o=c'])
})

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [5, 3],
])('of pages of two entries, the option limit takes %i entries in %i pages', async (limit, pages) => {
  const url = `${await start({ pageLimit: 500, sizeLimit: 2 })}${people}?1.1?sub`
  const found = await entriesOf(await makeClient().retrieve(url, { limit }))
  expect(new Set(found.map(({ name }) => name)).size).toBe(limit)
  await closeClients()
  // A page of more entries is tried first.
  const tried = limit > 2 ? 1 : 0
  expect(server?.received.filter((line) => line.startsWith('search'))).toHaveLength(pages + tried)
})

test('the option limit asks for so many entries, and they are the whole', async () => {
  const url = await start()
  const found = await entriesOf(await makeClient().retrieve(`${url}${people}??sub`, { limit: 2 }))
  expect(found).toHaveLength(2)
  expect(await entriesOf(await makeClient().retrieve(`${url}${people}??sub`, { limit: 1e12 }))).toHaveLength(5)
})

test('a search without matches is an empty list; an entry that does not match is not there', async () => {
  const url = await start()
  expect(await list(`${url}${people}??sub?(uid=nobody)`)).toEqual([])
  expect(await failure(`${url}${people}???(uid=nobody)`)).toMatchObject({ code: 'not-found', reply: '0 success' })
  expect(await failure(`${url}uid=nobody,${people}`)).toMatchObject({
    code: 'not-found',
    reply: '32 noSuchObject: no such object below dc=example,dc=net',
  })
})

test('a range is refused before anything is sent', async () => {
  const url = await start()
  const error = await failureOf(makeClient().retrieve(`${url}${suffix}`, { range: [0, 5] }))
  expect(error.code).toBe('range-refused')
  expect(server?.accepted).toBe(0)
})

test('case 13, StartTLS by requireTls: the search goes through TLS, and a server without it gets none', async () => {
  const url = await start({ tls: 'explicit' })
  const client = makeClient({ defaults: { requireTls: true } })
  expect(await ldif(`${url}uid=bob,${people}?sn`, client)).toContain('sn: Builder')
  await closeClients()
  expect(server?.received).toEqual(['extended StartTLS', `search base uid=bob,${people}`, 'unbind'])
  expect(events.map(({ type }) => type)).toContain('secured')
  await server?.close()
  const plain = await start()
  const another = makeClient({ defaults: { requireTls: true } })
  expect(await failure(`${plain}${suffix}`, another)).toMatchObject({ code: 'tls-failed', phase: 'tls' })
  expect(server?.received).toEqual(['extended StartTLS'])
})

test('case 12, octets behind the answer to StartTLS do not pass for octets sent through TLS', async () => {
  // Success (RFC 4511 4.14.2), and a search result glued to it.
  const forged = Buffer.from('300c02010178070a010004000400300c02010265070a010004000400', 'hex').toString('latin1')
  const url = await start({ tls: 'explicit', faults: { replies: { extended: forged } } })
  const client = makeClient({ defaults: { requireTls: true } })
  expect(await failure(`${url}${suffix}`, client)).toMatchObject({ code: 'protocol-violation' })
})

test('case 35, ldaps: the certificate must be that of the host', async () => {
  const url = await start({ tls: true })
  expect(url).toMatch(/^ldaps:/)
  expect(await ldif(`${url}uid=bob,${people}?sn`)).toContain('sn: Builder')
  const [bob] = await list(`${url}${people}??one?(uid=bob)`)
  expect(bob?.url).toBe(`${url}uid=bob,${people}`)
  expect(await failure(url, makeClient({ tls: {} }))).toMatchObject({ code: 'certificate' })
})

test('ldap:/// goes to defaults.ldapServer, and to no server without one', async () => {
  const url = await start()
  const { host } = new URL(url)
  for (const ldapServer of [host, url]) {
    const client = makeClient({ defaults: { ldapServer } })
    const [bob] = await list(`ldap:///${people}??sub?(uid=bob)`, client)
    expect(bob?.url).toBe(`ldap://${host}/uid=bob,${people}`)
  }
  const error = await failure('ldap:///')
  expect(error).toMatchObject({ code: 'no-server', phase: 'resolve' })
  expect(error.message).toContain('`defaults.ldapServer`')
})
