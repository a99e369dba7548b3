import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { type ImapServerOptions, startImapServer, testCa } from '@retriever/servers'
import { testFetcher } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'

const message =
  'From: Bob <bob@example.net>\r\nSubject: Hello\r\nMessage-ID: <1@example.net>\r\n\r\nHello.\r\n.dot\r\n..\r\n'
const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }

testFetcher(
  {
    mechanism: 'imap',
    asked: [{ head: true }],
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
  expect(parts.map(({ name, url }) => [name, url])).toEqual([
    ['text/plain', `${messages[1]?.url}/;SECTION=1`],
    ['a.bin', `${messages[1]?.url}/;SECTION=2`],
  ])
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

test.each([
  ['SUBJECT%20Gr%C3%BC%C3%9Fe', ['UID SEARCH CHARSET UTF-8 SUBJECT {7}', 'Gr\xC3\xBC\xC3\x9Fe']],
  [
    'OR%20SUBJECT%20%22%C3%BC%22%20TEXT%20%7B3+%7D%0D%0Aabc',
    ['UID SEARCH CHARSET UTF-8 OR SUBJECT {2}', '\xC3\xBC TEXT {3}', 'abc'],
  ],
])('a search beyond ASCII sends literals: %s', async (query, lines) => {
  const { text, received } = await get(`INBOX?${query}`)
  expect(text).toBe('* SEARCH 12\r\n')
  expect(received.slice(-lines.length).map((line) => line.replace(/^A\d+ /, ''))).toEqual(lines)
})

test.each([
  ['1', 'UID FETCH 11 (BODY.PEEK[1.MIME])', '{0}', 'not-found'],
  ['1', 'UID FETCH 11 (BODY.PEEK[1.MIME])', '{2}', undefined],
  ['2.TEXT', 'UID FETCH 11 (BODY.PEEK[2.HEADER])', '""', 'not-found'],
  ['2.HEADER', undefined, '{0}', 'not-found'],
  ['TEXT', undefined, '{0}', undefined],
])('an empty section %s is looked at again by %s: %s is %s', async (section, probe, size, code) => {
  const answer = (tag: string, part: string, octets: string): string =>
    `* 1 FETCH (UID 11 BODY[${part}] ${octets}${octets === '{2}' ? '\r\n\r\n' : octets === '""' ? '' : '\r\n'})\r\n${tag} OK\r\n`
  const probed = probe === undefined ? [] : [answer('A4', 'x', size)]
  const { error, sent } = await observe(`INBOX/;UID=11/;SECTION=${section}`, {
    faults: { replies: { FETCH: [answer('A3', section, '{0}'), ...probed] } },
  })
  expect(error === undefined ? undefined : (error as { code: string }).code).toBe(code)
  expect(sent.slice(3).map((line) => line.replace(/^A\d+ /, ''))).toEqual(probe === undefined ? [] : [probe])
})

test('a server that does not know the charset, or does not ask for the literal', async () => {
  const refused = { faults: { replies: { SEARCH: 'A3 NO [BADCHARSET (US-ASCII)] no\r\n' } } }
  const error = { code: 'server-refused', reply: expect.stringContaining('BADCHARSET') }
  await expect(get('INBOX?TEXT%20%C3%BC', refused)).rejects.toMatchObject(error)
  const eager = { faults: { replies: { SEARCH: '* SEARCH 11\r\nA3 OK\r\n' } } }
  expect((await get('INBOX?TEXT%20%C3%BC', eager)).text).toBe('* SEARCH 11\r\n')
  const greedy = { faults: { replies: { SEARCH: '+ go on\r\n+ more\r\n' } } }
  await expect(get('INBOX?TEXT%20%C3%BC', greedy)).rejects.toMatchObject({ code: 'protocol-violation' })
})

test('a listing that was cut says so', async () => {
  const messages = { faults: { replies: { EXAMINE: '* 3002 EXISTS\r\nA2 OK\r\n' } } }
  const events: RetrievalEvent[] = []
  await get('INBOX', messages, { onEvent: (event: RetrievalEvent) => void events.push(event) })
  expect(events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))).toEqual([
    expect.stringMatching(/has 3002 messages; the newest 1000 are listed/),
  ])
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

test('case 13, a server that refuses STARTTLS gets no login', async () => {
  await using server = await startImapServer({
    tls: 'explicit',
    faults: { replies: { STARTTLS: 'A1 NO not now\r\n' } },
  })
  await using client = createClient({ ...login, defaults: { requireTls: true }, limits: { maxRetries: 0 } })
  await expect(client.retrieve(`${server.url}INBOX`)).rejects.toMatchObject({ code: 'tls-failed' })
  expect(server.received).toEqual(['A1 STARTTLS'])
})

test.each([
  ['None', '', { code: 'not-found' }],
  ['INBOX;UIDVALIDITY=8/;UID=11', '', { code: 'not-found', message: expect.stringMatching(/UIDVALIDITY is 7/) }],
  ['INBOX/;UID=11/;SECTION=9', '', { code: 'not-found' }],
  ['INBOX', 'alice:nope@', { code: 'auth-failed' }],
  ['INBOX', 'alice;AUTH=GSSAPI:secret@', { code: 'refused' }],
  ['INBOX/;SECTION=TEXT', '', { code: 'malformed-url' }],
  ['INBOX/;UID=0', '', { code: 'malformed-url' }],
  ['INBOX?ALL%0D%0AA9%20DELETE%20INBOX', '', { code: 'malformed-url' }],
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
  ['* 2 FETCH (UID 12 BODY[] {2}\r\nhi)\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 2 FETCH (UID 12 BODY[] "hi")\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 2 FETCH (BODY[] {2}\r\nhi UID 12)\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 1 FETCH (UID 11 BODY[]<2> {2}\r\nhi)\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 1 FETCH (UID 11 BODY[]<0> "hi")\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 1 FETCH (UID 11 BODY[] {4}\r\nhello)\r\nA3 OK\r\n', 'protocol-violation'],
  ['* 1 FETCH (UID 11 BODY[] {6}\r\nhello)\r\nA3 OK\r\n', 'protocol-violation'],
  ['A3 BAD what\r\n', 'server-refused'],
  ['220 hello\r\n', 'protocol-violation'],
])('the answer %j is %s', async (reply, code) => {
  const faults = { replies: { FETCH: reply } }
  await expect(get('INBOX/;UID=11', { faults }, { limits: { maxRetries: 0 } })).rejects.toMatchObject({ code })
})

test.each([
  ['<2> {3}\r\nhey', 'hey'],
  ['<2.3> {3}\r\nhey', 'hey'],
  ['<0> {3}\r\nhey', undefined],
  [' {3}\r\nhey', undefined],
  ['<2> {4}\r\nhey!', undefined],
])('three octets from 2 on of a message, answered by BODY[]%j: %s', async (reply, text) => {
  const faults = { replies: { FETCH: `* 1 FETCH (UID 11 BODY[]${reply})\r\nA3 OK\r\n` } }
  const answer = get('INBOX/;UID=11/;PARTIAL=2.3', { faults }, { limits: { maxRetries: 0 } })
  if (text === undefined) await expect(answer).rejects.toMatchObject({ code: 'protocol-violation' })
  else expect((await answer).text).toBe(text)
})

const endless = '* 5 EXPUNGE\r\n'.repeat(6000)
test.each([
  ['the login', 'LOGIN', `${endless}A1 OK\r\n`, {}],
  ['a mailbox', 'EXAMINE', `${endless}A2 OK\r\n`, { maxCollected: 65_536 }],
  [
    'a message that comes',
    'FETCH',
    `${endless}* 1 FETCH (BODY[] {2}\r\nhi UID 11)\r\nA3 OK\r\n`,
    { maxCollected: 65_536 },
  ],
  [
    'the end of a message',
    'FETCH',
    `* 1 FETCH (BODY[] {2}\r\nhi UID 11)\r\n${endless}A3 OK\r\n`,
    { maxCollected: 65_536 },
  ],
])('case 42, responses that nobody asked for do not hold %s for ever', async (_what, command, reply, limits) => {
  const faults = { replies: { [command]: reply } }
  const error = { code: 'limit-exceeded' }
  await expect(get('INBOX/;UID=11', { faults }, { limits: { maxRetries: 0, ...limits } })).rejects.toMatchObject(error)
})

const plain = Buffer.from('\0alice\0secret').toString('base64')
const loginLine = 'LOGIN "alice" "secret"'
test.each<[string, ImapServerOptions, string[]]>([
  ['', {}, [loginLine]],
  ['alice;AUTH=*@', {}, [loginLine]],
  ['alice;AUTH=PLAIN@', {}, [`AUTHENTICATE PLAIN ${plain}`]],
  [';auth=plain@', { initialResponse: false }, ['AUTHENTICATE PLAIN', plain]],
  ['alice;AUTH=*@', { logins: ['plain'] }, [`AUTHENTICATE PLAIN ${plain}`]],
  ['', { logins: ['plain'], initialResponse: false }, ['AUTHENTICATE PLAIN', plain]],
  // Without capabilities in the greeting they are asked for.
  ['', { faults: { replies: { greeting: '* OK hi\r\n' } } }, ['CAPABILITY', loginLine]],
  [
    '',
    { logins: ['plain'], faults: { replies: { greeting: '* OK hi\r\n' } } },
    ['CAPABILITY', `AUTHENTICATE PLAIN ${plain}`],
  ],
])('the login of %j at a server with %j', async (user, options, lines) => {
  const { received } = await get('INBOX/;UID=11', options, {}, user)
  expect(received.map((line) => line.replace(/^A\d+ /, '')).slice(0, -2)).toEqual(lines)
})

const nobody = { credentials: () => null }
test.each<[string, ImapServerOptions, object, string[]]>([
  ['', { logins: ['login', 'anonymous'] }, nobody, ['AUTHENTICATE ANONYMOUS =']],
  ['', { logins: ['anonymous'], initialResponse: false }, nobody, ['AUTHENTICATE ANONYMOUS', '']],
  [';AUTH=*@', { logins: ['anonymous'] }, nobody, ['AUTHENTICATE ANONYMOUS =']],
  ['', { logins: ['login', 'anonymous'] }, {}, [loginLine]],
])(
  'without a user, the login of %j is anonymous where the server has that: %j',
  async (user, options, client, lines) => {
    const { received } = await get('INBOX/;UID=11', options, client, user)
    expect(received.map((line) => line.replace(/^A\d+ /, '')).slice(0, -2)).toEqual(lines)
  },
)

test.each<[string, ImapServerOptions, object, string]>([
  ['alice@', { logins: ['login', 'anonymous'] }, nobody, 'auth-required'],
  ['', { logins: ['login', 'plain'] }, nobody, 'auth-required'],
  // A password is sent only in a way that the server offers.
  ['', { logins: ['anonymous'] }, {}, 'tls-failed'],
  [
    '',
    { logins: ['anonymous'], faults: { replies: { AUTHENTICATE: 'A1 NO members only\r\n' } } },
    nobody,
    'auth-required',
  ],
])('the login of %j at %j without a way is an error', async (user, options, client, code) => {
  await expect(get('INBOX/;UID=11', options, client, user)).rejects.toMatchObject({ code })
})

test('capabilities that were said before TLS do not count', async () => {
  const greeting = '* OK [CAPABILITY IMAP4rev1 LOGINDISABLED STARTTLS] hi\r\n'
  const faults = { replies: { greeting } }
  const { received } = await get('', { tls: 'explicit', faults }, { defaults: { requireTls: true } })
  expect(received.slice(0, 3)).toEqual(['A1 STARTTLS', 'A2 CAPABILITY', `A3 ${loginLine}`])
})

test('a login with octets that LOGIN cannot quote goes by PLAIN, where the server has it', async () => {
  const accounts = { älice: 'gehéim' }
  const client = { credentials: () => ({ user: 'älice', password: 'gehéim' }) }
  const { received } = await get('', { accounts }, client)
  expect(received[0]).toBe(`A1 AUTHENTICATE PLAIN ${Buffer.from('\0älice\0gehéim').toString('base64')}`)
  expect((await get('', { accounts, logins: ['login'] }, client)).received[0]).toMatch(/^A1 LOGIN "/)
})

test.each([
  ['alice;AUTH=PLAIN@', { logins: ['login'] }, 'refused'],
  ['', { faults: { replies: { greeting: '* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] hi\r\n' } } }, 'tls-failed'],
  ['alice;AUTH=PLAIN:n0pe@', {}, 'auth-failed'],
  ['alice;AUTH=PLAIN:n0pe@', { initialResponse: false }, 'auth-failed'],
  ['', { faults: { replies: { LOGIN: 'A1 NO [PRIVACYREQUIRED] no\r\n' } } }, 'tls-failed'],
] as const)('the login of %j at a server with %j is %s', async (user, options, code) => {
  let asked = 0
  const credentials = () => {
    asked++
    return { user: 'alice', password: 'secret' }
  }
  await expect(get('', options, { credentials }, user)).rejects.toMatchObject({ code })
  // A password that cannot be sent is not asked for.
  expect(asked).toBe('faults' in options && 'LOGIN' in options.faults.replies ? 1 : 0)
})

// RFC 5530 3. Neither the login nor the name is wrong where a part of the server is down.
test.each([
  ['LOGIN', 'UNAVAILABLE', 'server-refused', true],
  ['LOGIN', 'LIMIT', 'server-refused', false],
  ['LOGIN', 'AUTHENTICATIONFAILED', 'auth-failed', false],
  ['EXAMINE', 'INUSE', 'server-refused', true],
  ['EXAMINE', 'NOPERM', 'access-denied', false],
  ['EXAMINE', 'NONEXISTENT', 'not-found', false],
  ['FETCH', 'SERVERBUG', 'server-refused', false],
  ['FETCH', 'CORRUPTION', 'server-refused', false],
])('%s answered by NO [%s] is %s', async (command, reason, code, transient) => {
  const tag = { LOGIN: 'A1', EXAMINE: 'A2' }[command] ?? 'A3'
  const faults = { replies: { [command]: `${tag} NO [${reason}] no\r\n` } }
  const limits = { maxRetries: 0 }
  await expect(get('INBOX/;UID=11', { faults }, { limits })).rejects.toMatchObject({
    code,
    transient,
    reply: `[${reason}] no`,
  })
})

test('a server that refuses AUTHENTICATE does not get the message', async () => {
  await using server = await startImapServer({
    initialResponse: false,
    faults: { replies: { AUTHENTICATE: 'A1 NO not here\r\n' } },
  })
  await using client = createClient(login)
  const url = server.url.replace('//', '//alice;AUTH=PLAIN@')
  await expect(client.retrieve(url)).rejects.toMatchObject({ code: 'auth-failed' })
  expect(server.received).toEqual(['A1 AUTHENTICATE PLAIN'])
})

test('a server that asks for the message of AUTHENTICATE again does not get it again', async () => {
  const faults = { replies: { AUTHENTICATE: '+ \r\n+ \r\n' } }
  const limits = { maxRetries: 0, idleTimeout: 1000 }
  const retrieved = get('INBOX', { initialResponse: false, faults }, { limits }, 'alice;AUTH=PLAIN@')
  await expect(retrieved).rejects.toMatchObject({ code: 'protocol-violation' })
})

/** What a client hears of a retrieval: the lines that came, and its error. */
async function observe(path: string, options: ImapServerOptions, client = {}, user = '') {
  await using server = await startImapServer(options)
  const received: string[] = []
  const onEvent = (event: RetrievalEvent): void => void (event.type === 'received' && received.push(event.octets))
  await using made = createClient({ ...login, onEvent, limits: { maxRetries: 0 }, ...client })
  const retrieval = made.retrieve(server.url.replace('//', `//${user}`) + path)
  const error = await retrieval.then(
    async (representation) => void (await representation.text()),
    (failure: unknown) => failure,
  )
  return { received: received.join(''), error, sent: server.received }
}

test('cases 42 and 43, the lines of one answer are at most maxListing octets, one response at most maxReply', async () => {
  const flags = `* FLAGS (${'x'.repeat(90)})\r\n`
  const long = { faults: { replies: { EXAMINE: `${flags.repeat(100)}A2 OK\r\n` } } }
  const limits = { maxRetries: 0, maxListing: 5000 }
  expect((await observe('INBOX/;UID=11', long, { limits })).error).toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringMatching(/over 5000 octets, which is `limits\.maxListing`/),
  })
  const box = `* LIST () "/" {7000}\r\n${'x'.repeat(7000)}\r\nA2 OK\r\n`
  const literal = { faults: { replies: { LIST: box } } }
  expect((await observe('', literal)).error).toBeUndefined()
  expect((await observe('', literal, { limits: { maxRetries: 0, maxReply: 6000 } })).error).toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringMatching(/a response of over 6000 octets/),
  })
})

test.each(['A1 OK\r\nA2 OK\r\n', 'A9 OK\r\nA2 OK\r\n', 'B2 OK\r\nA2 OK\r\n'])(
  'case 67, property 17: the end of another command is none of this: %j',
  async (reply) => {
    const { error } = await observe('INBOX/;UID=11', { faults: { replies: { EXAMINE: reply } } })
    expect(error).toMatchObject({ code: 'protocol-violation' })
  },
)

test.each([
  ['', 's3"cret', {}, 's3\\"cret'],
  ['', 'pl4nted', {}, 'pl4nted'],
  ['alice;AUTH=PLAIN@', 'pl4nted', {}, Buffer.from('\0alice\0pl4nted').toString('base64')],
  ['alice;AUTH=PLAIN@', 'pl4nted', { initialResponse: false }, Buffer.from('\0alice\0pl4nted').toString('base64')],
])('case 47, what the server repeats of a login is hidden: %j with %j', async (user, password, options, form) => {
  const verb = user === '' ? 'LOGIN' : 'AUTHENTICATE'
  const words = `not ${password}, nor ${form}`
  const reply = `* OK I heard ${words}\r\nA1 NO ${words}\r\n`
  const replies = { [verb]: reply }
  const client = { credentials: () => ({ user: 'alice', password }) }
  const { received, error } = await observe('INBOX', { ...options, faults: { replies } }, client, user)
  const hidden = 'not <password>, nor <password>'
  expect(received).toContain(`* OK I heard ${hidden}\r\nA1 NO ${hidden}\r\n`)
  expect(error).toMatchObject({ code: 'auth-failed', reply: hidden, message: expect.stringContaining(hidden) })
})

test('PREAUTH: no login is sent, and none is asked for', async () => {
  const replies = { greeting: '* PREAUTH hi\r\n', LIST: '* LIST () "/" INBOX\r\nA1 OK\r\n' }
  const { sent, error } = await observe('', { faults: { replies } }, { credentials: () => null })
  expect([error, sent]).toEqual([undefined, ['A1 LIST "" *']])
})

test('a slash in the Base64 of a name is a comma (RFC 3501 5.1.3)', async () => {
  const replies = { LIST: '* LIST () "." "a&A,8-/b"\r\nA2 OK\r\n', EXAMINE: 'A3 NO none\r\n' }
  await using server = await startImapServer({ faults: { replies } })
  await using client = createClient(login)
  const [box] = await entriesOf(await client.retrieve(server.url))
  expect(box).toMatchObject({ name: 'a\u03FF/b', url: `${server.url}a%CF%BF/b` })
  await expect(client.retrieve(box?.url ?? '')).rejects.toMatchObject({ code: 'not-found' })
  expect(server.received.at(-1)).toBe('A3 EXAMINE "a&A,8-/b"')
})

test.each([
  ['', 'alice:secret@', {}],
  ['INBOX', 'alice:secret@', {}],
  ['INBOX/;UID=11', 'alice:secret@', {}],
  ['Archiv%20%C3%A4;UIDVALIDITY=7/;UID=12/;SECTION=TEXT/;PARTIAL=3', 'al%22ice:s%5Cecret@', {}],
  ['INBOX?SUBJECT%20%22Hello%22', 'alice;AUTH=PLAIN:secret@', {}],
  ['INBOX', ';AUTH=PLAIN:secret@', {}],
  ['INBOX', 'alice:secret@', { defaults: { requireTls: true } }],
])('the server gets what the plan says: %s by %s, %j', async (path, user, options) => {
  const tls = 'defaults' in options ? ('explicit' as const) : false
  const accounts = { alice: 'secret', 'al"ice': 's\\ecret' }
  await using server = await startImapServer({ tls, accounts })
  await using client = createClient({ ...login, tls: { ca: testCa }, ...options })
  const url = server.url.replace('//', `//${user}`) + path
  await (await client.retrieve(url)).text()
  const secret = user.includes('PLAIN') ? plain : user.includes('%22') ? '"s\\\\ecret"' : '"secret"'
  const planned = client
    .resolve(url)
    .plan.wire.map((line) => line.replace('<password>', secret).replace('<first>', '1'))
  expect(server.received.map((line) => `${line}\r\n`)).toEqual(planned)
})
