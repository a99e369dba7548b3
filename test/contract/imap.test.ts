import { createClient } from '@retriever/fetchers'
import { type ImapServerOptions, startImapServer, testCa } from '@retriever/servers'
import { testFetcher } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'

const message =
  'From: Bob <bob@example.net>\r\nSubject: Hello\r\nMessage-ID: <1@example.net>\r\n\r\nHello.\r\n.dot\r\n..\r\n'
const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }

testFetcher(
  {
    mechanism: 'imap',
    createClient: (options) => createClient({ ...options, ...login }),
    bytes: Buffer.from(message),
    entries: ['11', '12'],
    stalls: [
      ['greeting', 'greeting'],
      ['login', 'login'],
      ['response', 'request'],
      ['body', 'body'],
    ],
    short: 10,
    async start(faults = {}) {
      const server = await startImapServer({ faults })
      return {
        server,
        object: `${server.url}INBOX/;UID=11`,
        missing: `${server.url}INBOX/;UID=99`,
        listing: `${server.url}INBOX`,
        login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}INBOX/;UID=11`,
      }
    },
  },
  { describe, test },
)

async function get(path: string, options: ImapServerOptions = {}, client = {}, user = '') {
  await using server = await startImapServer(options)
  await using made = createClient({ ...login, tls: { ca: testCa }, ...client })
  const representation = await made.retrieve(server.url.replace('//', `//${user}`) + path)
  const text = await representation.text()
  return { representation, text, received: server.received }
}

test('a server is a listing of mailboxes, a mailbox one of messages, a message has parts', async () => {
  await using server = await startImapServer()
  await using client = createClient(login)
  const boxes = await entriesOf(await client.retrieve(server.url))
  expect(boxes.map(({ name, kind }) => [name, kind])).toEqual([
    ['INBOX', 'directory'],
    ['Archiv ä', 'directory'],
    ['Empty', 'directory'],
  ])
  expect(boxes[1]?.url).toBe(`${server.url}Archiv%20%C3%A4`)
  const messages = await entriesOf(await client.retrieve(boxes[1]?.url ?? ''))
  expect(messages[1]).toMatchObject({
    name: '12',
    kind: 'article',
    url: `${server.url}Archiv%20%C3%A4;UIDVALIDITY=7/;UID=12`,
    modified: new Date(Date.UTC(2001, 1, 3, 4, 5, 6)),
    details: { flags: ['\\Seen'] },
  })
  const parts = await entriesOf(await client.retrieve(messages[1]?.url ?? ''))
  expect(parts.map(({ name }) => name)).toEqual(['text/plain', 'a.bin'])
  expect(await entriesOf(await client.retrieve(`${server.url}Empty`))).toEqual([])
  expect(server.received.filter((line) => !/^A\d+ (LOGIN|LIST|EXAMINE|UID FETCH|FETCH) /.test(line))).toEqual([])
})

test.each([
  ['INBOX/;UID=11/;SECTION=HEADER', message.slice(0, message.indexOf('\r\n\r\n') + 4)],
  ['INBOX/;UID=11;SECTION=TEXT', 'Hello.\r\n.dot\r\n..\r\n'],
  ['INBOX/;UID=11/;SECTION=TEXT/;PARTIAL=2.3', 'llo'],
  ['INBOX/;uid=11/;partial=100', message.slice(100)],
  ['INBOX;UIDVALIDITY=7/;UID=11', message],
  ['INBOX?ALL', '* SEARCH 11 12\r\n'],
  ['INBOX?SUBJECT%20%22Hello%22', '* SEARCH 11\r\n'],
])('%s', async (path, text) => {
  expect((await get(path)).text).toBe(text)
})

test('the newest messages alone, by limit', async () => {
  await using server = await startImapServer()
  await using client = createClient(login)
  await (await client.retrieve(`${server.url}INBOX`, { limit: 1 })).text()
  expect(server.received.at(-1)).toMatch(/ FETCH 2:\* /)
})

test('STARTTLS with requireTls, imaps, and quotes in a password', async () => {
  const { received } = await get('', { tls: 'explicit' }, { defaults: { requireTls: true } })
  expect(received[0]).toBe('A1 STARTTLS')
  expect((await get('INBOX/;UID=11', { tls: true })).text).toBe(message)
  const accounts = { alice: 'a"b\\c' }
  await get('', { accounts }, { credentials: () => ({ user: 'alice', password: 'a"b\\c' }) })
})

test.each([
  ['None', '', { code: 'not-found' }],
  ['INBOX;UIDVALIDITY=8/;UID=11', '', { code: 'not-found', message: expect.stringMatching(/UIDVALIDITY is 7/) }],
  ['INBOX/;UID=11/;SECTION=9', '', { code: 'not-found' }],
  ['INBOX', 'alice:nope@', { code: 'auth-failed' }],
  ['INBOX', 'alice;AUTH=GSSAPI:secret@', { code: 'refused' }],
  ['INBOX/;SECTION=TEXT', '', { code: 'malformed-url' }],
  ['INBOX/;UID=0', '', { code: 'malformed-url' }],
  ['INBOX?ALL%0D%0AA9%20DELETE%20INBOX', '', { code: 'refused' }],
])('%s by %j', async (path, user, error) => {
  await expect(get(path, {}, {}, user)).rejects.toMatchObject(error)
})

test.each([
  ['* 1 FETCH (UID 11 BODY[] "small")\r\nA3 OK\r\n', 'small'],
  ['* 1 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (BODY[] {2}\r\nhi UID 11)\r\nA3 OK\r\n', 'hi'],
])('the answer %j', async (reply, text) => {
  expect((await get('INBOX/;UID=11', { faults: { replies: { FETCH: reply } } })).text).toBe(text)
})

test.each([
  ['* 1 FETCH (BODY[] {5}\r\nhello)\r\nA3 NO gone\r\n', 'partial'],
  ['* 1 FETCH (FLAGS {9999999}\r\n', 'protocol-violation'],
  ['A3 BAD what\r\n', 'server-refused'],
  ['220 hello\r\n', 'protocol-violation'],
])('the answer %j is %s', async (reply, code) => {
  const faults = { replies: { FETCH: reply } }
  await expect(get('INBOX/;UID=11', { faults }, { limits: { maxRetries: 0 } })).rejects.toMatchObject({ code })
})
