/** How retrievals of one directory share connections and logins. */
import { type Client, type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { type LdapServerOptions, startLdapServer, type TestServer } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { retries } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'

const suffix = 'dc=example,dc=net'
const people = `ou=people,${suffix}`
const alice = `uid=alice,${people}`
const hidden = `cn=secret,${suffix}`
const asAlice = `????bindname=${alice.replaceAll(',', '%2C')}`

/** The notice that the server closes the connection (RFC 4511 4.4.1). */
const notice = Buffer.from(
  `30240201007 81f0a0134 0400 0400 8a16 ${Buffer.from('1.3.6.1.4.1.1466.20036').toString('hex')}`.replaceAll(' ', ''),
  'hex',
).toString('latin1')

async function start(options?: LdapServerOptions): Promise<TestServer> {
  const server = await startLdapServer(options)
  onTestFinished(() => server.close())
  return server
}

function clientOf(options: ClientOptions = {}): Client {
  const client = createClient({
    credentials: () => ({ user: alice, password: 'secret' }),
    ...options,
    limits: { maxRetries: 0, ...options.limits },
  })
  onTestFinished(() => client.close())
  return client
}

async function text(client: Client, url: string): Promise<string> {
  return (await client.retrieve(url)).text()
}

const binds = ({ received }: TestServer): string[] => received.filter((line) => line.startsWith('bind'))

test('100 searches of one login: one connection one after the other, a few at a time, and a bind for each', async () => {
  const server = await start()
  const client = clientOf()
  const url = `${server.url}${hidden}${asAlice}`
  for (let count = 0; count < 50; count++) expect(await text(client, url)).toContain(`dn: ${hidden}`)
  expect([server.accepted, binds(server).length]).toEqual([1, 1])
  await Promise.all(Array.from({ length: 50 }, () => text(client, url)))
  expect(server.accepted).toBeLessThanOrEqual(4)
  expect(binds(server)).toHaveLength(server.accepted)
})

test.each([
  ['an entry', `${people}`, `search base ${people}`],
  ['a listing', `${people}??sub`, `search sub ${people}`],
])('20 heads of %s need one connection', async (_, path, search) => {
  const server = await start({ pageLimit: 500 })
  const client = clientOf()
  for (let count = 0; count < 20; count++) {
    const head = await client.retrieve(server.url + path, { head: true })
    await head.cancel()
  }
  expect(server.received).toEqual(Array(20).fill(search))
  expect(server.accepted).toBe(1)
  expect(await failure(client.retrieve(`${server.url}cn=none,${suffix}`, { head: true }))).toMatchObject({
    code: 'not-found',
  })
})

test('a head of a search without end is given, and ends the connection', async () => {
  const server = await start()
  const client = clientOf()
  const head = await client.retrieve(`${server.url}cn=endless,ou=misbehaviour,${suffix}??sub`, { head: true })
  expect(await head.text()).toBe('')
  await server.waitForConnections(0)
})

test('a login that the server wanted serves the searches after it; an empty bindname stays anonymous', async () => {
  const server = await start()
  const client = clientOf()
  for (let count = 0; count < 3; count++) await text(client, server.url + hidden)
  expect(server.received).toEqual([`search base ${hidden}`, `bind ${alice}`, ...Array(3).fill(`search base ${hidden}`)])
  server.reset()
  await text(client, `${server.url}${alice}????bindname=`)
  expect(await failure(client.retrieve(`${server.url}${hidden}????bindname=`))).toMatchObject({ code: 'auth-required' })
  expect(server.received).toEqual([`search base ${alice}`, `search base ${hidden}`])
  expect(server.accepted).toBe(1)
})

test('case 38, other logins have other connections', async () => {
  const server = await start({ accounts: { alice: 'secret', bob: 'secret' } })
  const client = clientOf({ credentials: ({ user }) => (user ? { user, password: 'secret' } : null) })
  for (const name of [alice, `uid=bob,${people}`, alice]) {
    const found = await client.retrieve(`${server.url}${hidden}????bindname=${encodeURIComponent(name)}`)
    expect(found.metadata).toEqual({ login: name })
    await found.text()
  }
  await text(client, server.url + alice)
  expect([server.accepted, binds(server).length]).toEqual([3, 2])
})

test('an entry that is not there leaves the connection to the next search', async () => {
  const server = await start()
  const client = clientOf()
  expect(await failure(client.retrieve(`${server.url}uid=nobody,${people}`))).toMatchObject({ code: 'not-found' })
  await text(client, server.url + alice)
  expect(server.accepted).toBe(1)
})

test.each([
  ['closes', ''],
  ['closes with a notice', notice],
])('a connection that the server %s at the next search is replaced once', async (_, reply) => {
  const server = await start()
  const events: RetrievalEvent[] = []
  const client = clientOf({ onEvent: (event) => events.push(event) })
  const whole = await text(client, server.url + alice)
  server.setFaults({ replies: { search: [reply] } })
  expect(await text(client, server.url + alice)).toBe(whole)
  expect(server.accepted).toBe(2)
  expect(retries(events)).toMatchObject([{ code: 'receive-failed' }])
  server.setFaults({ replies: { search: reply } })
  const code = reply === '' ? 'receive-failed' : 'server-refused'
  expect(await failure(client.retrieve(server.url + alice))).toMatchObject({ code })
  expect(server.accepted).toBe(3)
})

test.each(['??sub', ''])('a body that is given up ends its connection: scope %j', async (scope) => {
  const server = await start()
  const client = clientOf()
  const endless = await client.retrieve(`${server.url}cn=endless,ou=misbehaviour,${suffix}${scope}`)
  await endless.body.getReader().read()
  await endless.cancel()
  await server.waitForConnections(0)
  await text(client, server.url + alice)
  expect(server.accepted).toBe(2)
})

test('a connection with pages that were not asked for is not used again', async () => {
  const server = await start({ pageLimit: 500 })
  const client = clientOf()
  const found = await entriesOf(await client.retrieve(`${server.url}${people}??sub`, { limit: 2 }))
  expect(found).toHaveLength(2)
  // Not waited for: an idle connection ends after some seconds by itself.
  await text(client, server.url + alice)
  expect(server.accepted).toBe(2)
  await server.waitForConnections(1)
  expect(server.received.filter((line) => line !== `search base ${alice}`)).toEqual([`search sub ${people}`, 'unbind'])
})

test('a connection whose login was refused is not used again: the refusal may have ended a login before it', async () => {
  const server = await start({ external: true })
  const client = clientOf({ credentials: () => ({ user: alice, password: 'wrong' }) })
  expect(await failure(client.retrieve(server.url + hidden))).toMatchObject({ code: 'auth-failed' })
  await text(client, server.url + alice)
  expect(server.accepted).toBe(2)
})

test('case 39, an answer to the search before is none to this one', async () => {
  const server = await start()
  const client = clientOf()
  await text(client, server.url + alice)
  // Success, with the message ID 1.
  const late = Buffer.from('300c02010165070a010004000400', 'hex').toString('latin1')
  server.setFaults({ replies: { search: late } })
  expect(await failure(client.retrieve(`${server.url}${people}??sub`))).toMatchObject({
    code: 'protocol-violation',
    message: expect.stringContaining('answered message 1, but 2 was sent'),
  })
  expect(server.accepted).toBe(1)
})

test('case 47, a password that the server repeats is not shown', async () => {
  // invalidCredentials, and the password.
  const echo = Buffer.from('30140201016 10f0a0131 0400 0408 706c346e74656421'.replaceAll(' ', ''), 'hex')
  const server = await start({ faults: { replies: { bind: echo.toString('latin1') } } })
  const events: RetrievalEvent[] = []
  const onEvent = (event: RetrievalEvent): number => events.push(event)
  const client = clientOf({ credentials: () => ({ user: alice, password: 'pl4nted!' }), onEvent })
  const error = await failure(client.retrieve(server.url + alice + asAlice))
  expect(error).toMatchObject({ code: 'auth-failed', reply: '49 invalidCredentials: <password>' })
  expect(`${JSON.stringify(events)}${error.stack}`).not.toContain('pl4nted')
})
