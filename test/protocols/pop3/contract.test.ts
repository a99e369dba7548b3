import { createHash } from 'node:crypto'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { type Pop3ServerOptions, startPop3Server, testCa } from '@retriever/servers'
import { testFetcher } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'

const message =
  'From: Bob <bob@example.net>\r\nSubject: Hello\r\nMessage-ID: <1@example.net>\r\n\r\nHello.\r\n.dot\r\n..\r\n'
const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }

testFetcher(
  {
    mechanism: 'pop3',
    createClient: (options) => createClient({ ...options, ...login }),
    bytes: Buffer.from(message),
    entries: ['1', '2'],
    stalls: [
      ['greeting', 'greeting'],
      ['login', 'login'],
      ['response', 'request'],
      ['body', 'body'],
    ],
    short: 3,
    async start(faults = {}) {
      const server = await startPop3Server({ faults })
      return {
        server,
        object: `${server.url}1`,
        missing: `${server.url}3`,
        listing: server.url,
        login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}1`,
      }
    },
  },
  { describe, test },
)

async function get(options: Pop3ServerOptions, path: string, client = {}, user = '') {
  await using server = await startPop3Server(options)
  await using made = createClient({ ...login, tls: { ca: testCa }, ...client })
  const url = server.url.replace('//', `//${user}`) + path
  const representation = await made.retrieve(url)
  const text = await representation.text()
  await made.close()
  await server.waitForConnections(0)
  return { representation, text, received: server.received, url }
}

function apopDigest(password: string): string {
  return createHash('md5').update(`<1896.697170952@example.net>${password}`).digest('hex')
}

test('the list is that of LIST, and its entries have unique ids', async () => {
  const { representation, text, url } = await get({}, '')
  expect(text).toMatch(/^1 \d+\r\n2 \d+\r\n$/)
  expect(representation).toMatchObject({ kind: 'listing', mediaType: 'text/plain', completeness: 'terminated' })
  await using server = await startPop3Server()
  await using client = createClient(login)
  const entries = await entriesOf(await client.retrieve(server.url))
  expect(url).not.toBe('')
  expect(entries[0]).toEqual({
    name: '1',
    kind: 'article',
    url: `${server.url}1`,
    size: message.length,
    details: { uid: 'uid-1' },
  })
})

test('a message has parts, as an article of News has', async () => {
  await using server = await startPop3Server()
  await using client = createClient(login)
  const representation = await client.retrieve(`${server.url}2`)
  expect(representation.mediaType).toBe('message/rfc822')
  expect((await entriesOf(representation)).map(({ name }) => name)).toEqual(['text/plain', 'a.bin'])
})

test.each<[string, string, Pop3ServerOptions, string]>([
  ['1', 'alice:secret@', {}, 'secret'],
  ['', 'alice:secret@', {}, 'secret'],
  ['1', 'alice;auth=+APOP:secret@', { apop: true }, apopDigest('secret')],
  ['', 'alice;auth=PLAIN:secret@', {}, Buffer.from('\0alice\0secret').toString('base64')],
])('the server gets what the plan says: %j by %s', async (path, user, options, secret) => {
  const { received, url } = await get(options, path, {}, user)
  await using client = createClient()
  const planned = client
    .resolve(url)
    .plan.wire.flatMap((line) =>
      line === '<login>' ? ['USER alice', `PASS ${secret}`] : [line.trimEnd().replace('<password>', secret)],
    )
  expect(received).toEqual(planned)
})

test('APOP, where the server offers it: the password is not sent', async () => {
  const { received, text } = await get({ apop: true }, '1')
  expect(text).toBe(message)
  expect(received.join()).toMatch(/APOP alice [\da-f]{32}/)
  expect(received.join()).not.toContain('secret')
})

test('case 13, STLS, with requireTls; refused, where the server has none', async () => {
  const client = { defaults: { requireTls: true } }
  const { received, text } = await get({ tls: 'explicit' }, '1', client)
  expect([received[0], text]).toEqual(['STLS', message])
  await expect(get({}, '1', client)).rejects.toMatchObject({ code: 'tls-failed' })
  expect((await get({ tls: true }, '1')).text).toBe(message)
})

test.each([
  ['alice:nope@', '1', { code: 'auth-failed', reply: expect.stringContaining('wrong user') }],
  ['alice;auth=+apop:secret@', '1', { code: 'refused' }],
  ['alice;AUTH=GSSAPI:secret@', '1', { code: 'refused' }],
  ['', '0', { code: 'malformed-url' }],
  ['', 'inbox', { code: 'malformed-url' }],
])('%s%s', async (user, path, error) => {
  await expect(get({}, path, {}, user)).rejects.toMatchObject(error)
})

test('without a login it is auth-required', async () => {
  await expect(get({}, '1', { credentials: () => null })).rejects.toMatchObject({ code: 'auth-required' })
})

test('a mailbox in use is worth another try', async () => {
  const faults = { replies: { PASS: ['-ERR [IN-USE] Do you have another session?\r\n'] } }
  await expect(get({ faults }, '1', { limits: { maxRetries: 0 } })).rejects.toMatchObject({
    code: 'server-refused',
    transient: true,
  })
})

const plain = Buffer.from('\0alice\0secret').toString('base64')
test.each<[string, Pop3ServerOptions, string[]]>([
  ['alice;auth=PLAIN@', {}, ['CAPA', `AUTH PLAIN ${plain}`]],
  ['alice;auth=+PLAIN@', { logins: ['plain'] }, ['CAPA', `AUTH PLAIN ${plain}`]],
  ['alice;auth=*@', {}, ['USER alice', 'PASS secret']],
  [';AUTH=plain@', { accounts: { alice: 'x'.repeat(200) } }, ['CAPA', 'AUTH PLAIN', 'AGFsaWNlAHh4']],
])('the login of %j at a server with %j', async (user, options, lines) => {
  const password = options.accounts?.alice ?? 'secret'
  const { received } = await get(options, '1', { credentials: () => ({ user: 'alice', password }) }, user)
  expect(received.slice(0, -2).map((line) => line.slice(0, lines.at(-1)?.length))).toEqual(lines)
})

test.each([
  ['alice;auth=PLAIN:secret@', { logins: ['user'] }, 'refused'],
  ['alice;auth=PLAIN:secret@', { faults: { replies: { CAPA: '-ERR what\r\n' } } }, 'refused'],
  ['alice;auth=PLAIN:nope@', {}, 'auth-failed'],
  // The server asks for more after the whole message.
  ['alice;auth=PLAIN:secret@', { faults: { replies: { AUTH: '+ \r\n' } } }, 'auth-failed'],
] as const)('the login of %j at a server with %j is %s', async (user, options, code) => {
  await expect(get(options, '1', {}, user)).rejects.toMatchObject({ code })
})

test.each([
  ['', { apop: true }, 'APOP', apopDigest('pl4nted')],
  ['', {}, 'PASS', 'pl4nted'],
  ['alice;auth=PLAIN@', {}, 'AUTH', Buffer.from('\0alice\0pl4nted').toString('base64')],
])('what the server repeats of a login is hidden: %j at a server with %j', async (user, options, verb, form) => {
  const words = `not pl4nted, nor ${form}`
  await using server = await startPop3Server({ ...options, faults: { replies: { [verb]: `-ERR ${words}\r\n` } } })
  const octets: string[] = []
  const onEvent = (event: RetrievalEvent): void =>
    void ((event.type === 'received' || event.type === 'sent') && octets.push(event.octets))
  const credentials = () => ({ user: 'alice', password: 'pl4nted' })
  await using client = createClient({ credentials, onEvent })
  const hidden = 'not <password>, nor <password>'
  await expect(client.retrieve(server.url.replace('//', `//${user}`))).rejects.toMatchObject({
    code: 'auth-failed',
    reply: hidden,
  })
  expect(octets).toContain(`-ERR ${hidden}\r\n`)
  expect(octets.join('')).not.toContain(form)
  expect(server.received.join()).toContain(form)
})

test("a refusal ends with the server's words, without a second full stop", async () => {
  const faults = { replies: { RETR: '-ERR There is none.\r\n' } }
  await expect(get({ faults }, '1', login)).rejects.toMatchObject({
    message: expect.stringMatching(/: There is no message 1: There is none\.$/),
  })
})
