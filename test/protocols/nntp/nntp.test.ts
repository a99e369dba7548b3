import type { RetrievalError } from '@retriever/core'
import { type Client, type ClientOptions, createClient, type Entry, type RetrievalEvent } from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { type NntpServerOptions, startNntpServer, type TestServer, testCa } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { sent } from '../../support/events.ts'
import { Player, readTranscript } from '../../support/transcript/player.ts'
import { modes } from '../../support/transcript/script.ts'

let client: Client
let made: Client[]
let events: RetrievalEvent[]
let server: TestServer | undefined

function makeClient(options: ClientOptions = {}): Client {
  const limits = { idleTimeout: 1000, maxRetries: 0, ...options.limits }
  const own = createClient({ tls: { ca: testCa }, onEvent: (event) => events.push(event), ...options, limits })
  made.push(own)
  return own
}

beforeEach(() => {
  events = []
  made = []
  client = makeClient()
})

afterEach(async () => {
  for (const each of made) await each.close()
  await server?.waitForConnections(0)
  await server?.close()
  server = undefined
})

async function start(options: NntpServerOptions = {}): Promise<TestServer> {
  server = await startNntpServer(options)
  return server
}

async function octets(url: string, from: Client = client): Promise<string> {
  return Buffer.from(await (await from.retrieve(url)).bytes()).toString('latin1')
}

async function list(url: string, from: Client = client): Promise<Entry[]> {
  return entriesOf(await from.retrieve(url))
}

async function failure(url: string, from: Client = client): Promise<RetrievalError> {
  try {
    await (await from.retrieve(url)).bytes()
  } catch (error) {
    return error as RetrievalError
  }
  return expect.fail(`${url} was retrieved`)
}

/** Without their line ends. */
function commands(): string[] {
  return sent(events).map((line) => line.trimEnd())
}

/** A server that says only this, and expects only that. */
function play(text: string): Promise<Player> {
  return Player.replay(text.replace(/^ +/gm, ''))
}

describe.each(['whole', 'bytes', 'split-crlf'] as const)('octets that come %s', (chunking) => {
  test('an article by its number', async () => {
    const { url } = await start({ faults: { chunking } })
    const article = await client.retrieve(`${url}retriever.test/3`)
    expect(article).toMatchObject({
      kind: 'object',
      mediaType: 'message/rfc822',
      completeness: 'terminated',
      metadata: { newsgroup: 'retriever.test', number: 3, messageId: 'dots@example.net' },
    })
    expect(await article.text()).toMatch(
      /^Path: [\s\S]*\r\nMessage-ID: <dots@example\.net>\r\n\r\n\.\r\n\.\.\r\n\.leading dot\r\nin \. the middle\r\n\.\.\.\r\n$/,
    )
  })

  test('an article by its message-id', async () => {
    const { host, port } = await start({ faults: { chunking } })
    const url = `news://${host}:${port}/empty%2Fbody+odd%2525@example.net`
    expect(await octets(url)).toMatch(/\r\nMessage-ID: <empty\/body\+odd%25@example\.net>\r\n\r\n$/)
  })

  test('a newsgroup', async () => {
    const { url } = await start({ faults: { chunking } })
    const group = await client.retrieve(`${url}retriever.test`)
    expect(group).toMatchObject({
      kind: 'listing',
      completeness: 'terminated',
      metadata: { newsgroup: 'retriever.test', count: 6, low: 1, high: 6, first: 1 },
    })
    const entries = await entriesOf(group)
    expect(entries).toHaveLength(6)
    // The newest first: number 2 of 6.
    expect(entries[4]).toEqual({
      name: 'Re: A first test',
      kind: 'article',
      url: `${url}retriever.test/2`,
      size: expect.any(Number),
      modified: new Date('2001-02-03T04:05:06Z'),
      details: {
        number: 2,
        from: 'Ann Author <ann@example.net>',
        messageId: 'two@example.net',
        references: ['one@example.net'],
        lines: 3,
      },
    })
  })

  test('the newsgroups', async () => {
    const { url } = await start({ faults: { chunking } })
    expect(await list(url)).toEqual([
      {
        name: 'retriever.announce',
        kind: 'group',
        url: `${url}retriever.announce`,
        details: { low: 41, high: 42, posting: 'n', description: 'News of the test server.' },
      },
      {
        name: 'retriever.empty',
        kind: 'group',
        url: `${url}retriever.empty`,
        details: { low: 1, high: 0, posting: 'n', description: 'A group without articles.' },
      },
      {
        name: 'retriever.test',
        kind: 'group',
        url: `${url}retriever.test`,
        details: { low: 1, high: 6, posting: 'n', description: 'Tests.' },
      },
    ])
  })
})

describe('what is sent', () => {
  test('an article takes one round trip after the greeting: GROUP and ARTICLE go out together', async () => {
    const { url, received } = await start()
    await octets(`${url}retriever.test/1`)
    expect(commands()).toEqual(['GROUP retriever.test', 'ARTICLE 1'])
    const replies = events.map((event) => event.type)
    expect(replies.indexOf('received', replies.indexOf('sent'))).toBe(replies.indexOf('sent') + 2)
    await client.close()
    await server?.waitForConnections(0)
    expect(received).toEqual(['GROUP retriever.test', 'ARTICLE 1', 'QUIT'])
  })

  test('a wildmat', async () => {
    const { host, port } = await start()
    const groups = await list(`news://${host}:${port}/retriever.*t`)
    expect(groups.map(({ name }) => name)).toEqual(['retriever.test'])
    expect(commands()).toEqual(['LIST ACTIVE retriever.*t', 'LIST NEWSGROUPS retriever.*t'])
  })

  test('an empty group needs no OVER', async () => {
    const { url } = await start()
    expect(await list(`${url}retriever.empty`)).toEqual([])
    expect(commands()).toEqual(['GROUP retriever.empty'])
  })

  test('of a large group the newest articles', async () => {
    const { url } = await start()
    const own = makeClient({ fetchers: [nntpFetcher({ maxArticles: 2 })] })
    const group = await own.retrieve(`${url}retriever.test`)
    expect(group.metadata).toMatchObject({ count: 6, low: 1, high: 6, first: 5 })
    await group.cancel()
    expect(commands()).toEqual(['GROUP retriever.test', 'OVER 5-6'])
    expect(() => nntpFetcher({ maxArticles: 0 })).toThrow(/maxArticles/)
  })
})

describe('what is not there', () => {
  test.each([
    ['a group', 'retriever.none', '411'],
    ['the group of an article', 'retriever.none/1', '411'],
    ['an article', 'retriever.test/4000', '423'],
  ])('%s', async (_, path, code) => {
    const { url } = await start()
    const error = await failure(`${url}${path}`)
    expect(error).toMatchObject({ code: 'not-found', phase: 'request', reply: expect.stringMatching(`^${code} `) })
    expect(error.message).toContain(code)
  })

  test('a message-id', async () => {
    const { host, port } = await start()
    expect(await failure(`news://${host}:${port}/none@example.net`)).toMatchObject({
      code: 'not-found',
      reply: '430 No article with that message-id',
    })
  })

  test('a server: said before anything is contacted', async () => {
    const error = await failure('news:retriever.test')
    expect(error).toMatchObject({ code: 'no-server', phase: 'resolve' })
    expect(error.message).toMatch(/Name one by `defaults\.newsServer`\.$/)
  })

  test('a server, but one is configured', async () => {
    const { host, port } = await start()
    const own = makeClient({ defaults: { newsServer: `${host}:${port}` } })
    expect(await octets('news:one@example.net', own)).toContain('One line.\r\n')
  })

  test('overviews in the range: 423 and 420 are empty lists', async () => {
    const { url } = await start()
    for (const reply of ['423 No articles in 1-6\r\n', '420 none\r\n']) {
      server?.setFaults({ replies: { OVER: reply } })
      expect(await list(`${url}retriever.test`)).toEqual([])
    }
  })
})

describe('login', () => {
  test('with the URL', async () => {
    const { host, port, received } = await start({ auth: 'required' })
    expect(await octets(`nntp://alice:secret@${host}:${port}/retriever.test/1`)).toContain('One line.\r\n')
    expect(received.slice(0, 6)).toEqual([
      'GROUP retriever.test',
      'ARTICLE 1',
      'AUTHINFO USER alice',
      'AUTHINFO PASS secret',
      'GROUP retriever.test',
      'ARTICLE 1',
    ])
    expect(JSON.stringify(events)).toContain('AUTHINFO PASS <password>')
    expect(JSON.stringify(events.map((event) => (event.type === 'resolved' ? null : event)))).not.toContain('secret')
  })

  test('with asked-for credentials, and the user stays in the URLs of entries', async () => {
    const { host, port } = await start({ auth: 'required' })
    const asked: unknown[] = []
    const own = makeClient({
      credentials: (challenge) => {
        asked.push(challenge)
        return { user: 'alice', password: 'secret' }
      },
    })
    const [article] = await list(`nntp://alice@${host}:${port}/retriever.test`, own)
    expect(article?.url).toBe(`nntp://alice@${host}:${port}/retriever.test/6`)
    expect(asked).toEqual([{ realm: `alice@${host}`, host, port, user: 'alice' }])
  })

  test('refused, even by a server that repeats the password', async () => {
    const { host, port, received } = await start({ auth: 'required' })
    const url = `nntp://alice:sesame@${host}:${port}/retriever.test`
    expect(await failure(url)).toMatchObject({
      code: 'auth-failed',
      phase: 'login',
      reply: '481 Authentication failed',
    })
    server?.setFaults({ replies: { 'AUTHINFO PASS sesame': '481 alice may not use sesame\r\n' } })
    const error = await failure(url)
    expect(error).toMatchObject({ code: 'auth-failed', reply: '481 alice may not use <password>' })
    expect(JSON.stringify([error, error.message, events.filter(({ type }) => type !== 'resolved')])).not.toContain(
      'sesame',
    )
    // Once, no second try.
    expect(received.filter((line) => line.startsWith('AUTHINFO PASS'))).toHaveLength(2)
  })

  test('taken, yet still not enough', async () => {
    const { host, port } = await start({ auth: 'required', faults: { replies: { GROUP: '480 Not for you\r\n' } } })
    expect(await failure(`nntp://alice:secret@${host}:${port}/retriever.test`)).toMatchObject({
      code: 'access-denied',
      reply: '480 Not for you',
    })
  })

  test('wanted only for OVER: the group is selected again', async () => {
    await using played = await play(`
      S: 200 hi
      C: GROUP g
      S: 211 2 1 2 g
      C: OVER 1-2
      S: 480 login
      C: AUTHINFO USER alice
      S: 281 fine without a password
      C: GROUP g
      S: 211 2 1 2 g
      C: OVER 1-2
      S: 224 list
      S: 1\\x09x
      S: .`)
    expect(await list(`nntp://alice:secret@127.0.0.1:${played.port}/g`)).toMatchObject([{ name: 'x' }])
    expect(await played.mismatches()).toBe('')
  })

  test.each([
    ['GROUP', '483 Encryption required'],
    ['AUTHINFO', '483 Encryption required'],
  ])('%s wants TLS', async (verb, reply) => {
    const { host, port } = await start({ auth: 'required', faults: { replies: { [verb]: `${reply}\r\n` } } })
    const error = await failure(`nntp://alice:secret@${host}:${port}/retriever.test`)
    expect(error).toMatchObject({ code: 'server-refused', reply })
    expect(error.message).toContain('nntps://')
  })
})

test.each([['401 MODE-READER'], ['500 What?'], ['502 Not in this mode']])(
  'reader mode where the server says %s',
  async (reply) => {
    const { url, received } = await start({ faults: { replies: { GROUP: [`${reply}\r\n`] } } })
    await list(`${url}retriever.test`)
    expect(received.slice(0, 3)).toEqual(['GROUP retriever.test', 'MODE READER', 'GROUP retriever.test'])
  },
)

test('MODE READER that does not help is asked for once', async () => {
  const { url, received } = await start({ faults: { replies: { GROUP: '500 What?\r\n', MODE: '500 What?\r\n' } } })
  expect(await failure(`${url}retriever.test`)).toMatchObject({ code: 'server-refused', reply: '500 What?' })
  server?.setFaults({ replies: { GROUP: '502 Denied\r\n' } })
  expect(await failure(`${url}retriever.test`)).toMatchObject({ code: 'access-denied', reply: '502 Denied' })
  // The session is still the same one.
  expect(received.filter((line) => line === 'MODE READER')).toHaveLength(1)
})

test.each([
  ['*', ['a', 'a.b', 'a.bc', 'b', 'b*c']],
  ['a.*', ['a.b', 'a.bc']],
  ['*b?', ['a.bc']],
  ['?', ['a', 'b']],
  ['*,!a.*', ['a', 'b', 'b*c']],
  ['*,!a.*,*.bc', ['a', 'a.bc', 'b', 'b*c']],
  ['!*', []],
  ['a*b*c', ['a.bc']],
  ['**', ['a', 'a.b', 'a.bc', 'b', 'b*c']],
  [`${'*a'.repeat(20)}`, []],
])('a server that takes no notice of the wildmat %s: the entries do', async (wildmat, expected) => {
  const lines = ['a', 'a.b', 'a.bc', 'b', 'b*c', 'a'.repeat(19)].map((name) => `${name} 1 1 y\r\n`).join('')
  const replies = { LIST: `215 all\r\n${lines}.\r\n` }
  const { host, port } = await start({ faults: { replies } })
  const names = (await list(`news://${host}:${port}/${wildmat.replaceAll('?', '%3F')}`)).map(({ name }) => name)
  expect(names.filter((name) => name.length < 19)).toEqual(expected)
})

test('an RFC 977 server lists its groups without ACTIVE', async () => {
  const { host, port } = await start({ faults: { replies: { 'LIST ACTIVE retriever.*': '501 Syntax\r\n' } } })
  const groups = await client.retrieve(`news://${host}:${port}/retriever.*`)
  expect(groups.metadata).toEqual({ wildmat: 'retriever.*' })
  await groups.cancel()
  expect(commands()).toEqual(['LIST ACTIVE retriever.*', 'LIST'])
})

describe('lines of an overview', () => {
  test.each<[string, string, Partial<Entry>]>([
    [
      'trailing fields missing',
      '7\tshort',
      { name: 'short', kind: 'article', details: expect.objectContaining({ number: 7 }) },
    ],
    ['no number', 'x\ty', { name: 'x\ty', kind: 'other', url: null }],
    ['no fields', '12', { name: '12', kind: 'other', url: null }],
    ['Latin-1', '7\tgr\\xfc\\xdfe', { name: 'grüße' }],
    ['UTF-8', '7\tgr\\xc3\\xbc\\xc3\\x9fe', { name: 'grüße' }],
    ['a zone by name', '7\ts\tf\t3 Feb 2001 04:05 GMT', { modified: new Date('2001-02-03T04:05:00Z') }],
    ['a zone west', '7\ts\tf\tSat,  3 Feb 01 04:05:06 -0500 (EST)', { modified: new Date('2001-02-03T09:05:06Z') }],
  ])('%s', async (_, line, entry) => {
    await using played = await play(`S: 200 hi\nC: GROUP g\nS: 211 1 7 7 g\nC: OVER 7-7\nS: 224 list\nS: ${line}\nS: .`)
    expect(await list(`nntp://127.0.0.1:${played.port}/g`)).toMatchObject([entry])
  })

  test.each(['yesterday', '99', '32 Foo 2001 04:05:06 GMT', ''])('the date %j is none', async (date) => {
    await using played = await play(
      `S: 200 hi\nC: GROUP g\nS: 211 1 7 7 g\nC: OVER 7-7\nS: 224 list\nS: 7\ts\tf\t${date}\t<i@x>\t\t-1\t1e9\nS: .`,
    )
    const [entry] = await list(`nntp://127.0.0.1:${played.port}/g`)
    expect(entry).not.toHaveProperty('modified')
    expect(entry).not.toHaveProperty('size')
    expect(entry?.details).not.toHaveProperty('lines')
  })
})

describe('trouble', () => {
  test('an answer that comes with the greeting is the answer to nothing', async () => {
    await using played = await Player.replay('S: 200 hi\nS: 220 1 <x@y>\nS: Subject: smuggled\nS:\nS: x\nS: .')
    const error = await failure(`news://127.0.0.1:${played.port}/1@x.y`)
    expect(error).toMatchObject({ code: 'protocol-violation', phase: 'greeting' })
    expect(commands()).toEqual([])
  })

  test.each([
    ['400 Come later\r\n', 'server-refused', '400 Come later'],
    ['502 Not you\r\n', 'server-refused', '502 Not you'],
    ['220 mail.example.net ESMTP\r\n', 'protocol-violation', '220 mail.example.net ESMTP'],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'protocol-violation', 'SSH-2.0-OpenSSH_9.2'],
    ['220-\x1b]52;c\x07\r\n', 'protocol-violation', '220-\\e]52;c\\x07'],
  ])('the greeting %j: nothing is sent', async (greeting, code, reply) => {
    const running = await start({ faults: { replies: { greeting } } })
    const error = await failure(`${running.url}retriever.test/1`)
    expect(error).toMatchObject({ code, phase: 'greeting', reply })
    expect(error.message).not.toMatch(/[\x1b\x07]/)
    await running.waitForConnections(0)
    expect(running.received).toEqual([])
  })

  test('no greeting', async () => {
    const { url } = await start({ faults: { replies: { greeting: '' } } })
    expect(await failure(`${url}retriever.test/1`)).toMatchObject({ code: 'receive-failed', phase: 'greeting' })
  })

  test.each([
    ['greeting', 'greeting'],
    ['response', 'request'],
    ['body', 'body'],
  ] as const)('silence instead of the %s', async (stall, phase) => {
    const { url } = await start({ faults: { stall } })
    expect(await failure(`${url}retriever.test/1`)).toMatchObject({ code: 'timeout', phase })
  })

  test('silence at the login', async () => {
    const { host, port } = await start({ auth: 'required', faults: { stall: 'login' } })
    expect(await failure(`nntp://alice:secret@${host}:${port}/retriever.test/1`)).toMatchObject({
      code: 'timeout',
      phase: 'login',
    })
  })

  test.each([
    ['no reply at all', { GROUP: 'what?\r\n' }],
    ['a cut reply', { GROUP: '' }],
    ['a success that does not fit', { GROUP: '223 1 <x@y>\r\n' }],
    ['a group without numbers', { GROUP: '211 retriever.test\r\n' }],
    ['no article but a success', { OVER: '205 bye\r\n' }],
  ])('%s', async (_, replies) => {
    const { url } = await start({ faults: { replies } })
    expect(await failure(`${url}retriever.test`)).toMatchObject({
      code: expect.stringMatching(/^(protocol-violation|receive-failed)$/),
    })
  })

  test('an article of a group that was refused is of another group: it is read away', async () => {
    await using played = await play(`
      S: 200 hi
      C: GROUP g
      S: 480 login
      C: ARTICLE 1
      S: 220 1 <x@y>
      S: Subject: of another group
      S: .
      C: AUTHINFO USER a
      S: 281 in
      C: GROUP g
      S: 411 no such group
      C: ARTICLE 1
      S: 220 1 <x@y>
      S: Subject: of another group
      S: .`)
    expect(await failure(`nntp://a:b@127.0.0.1:${played.port}/g/1`)).toMatchObject({ code: 'not-found' })
  })

  test('the server leaves', async () => {
    const { url } = await start({ faults: { replies: { GROUP: '400 Shutting down\r\n' } } })
    expect(await failure(`${url}retriever.test/1`)).toMatchObject({
      code: 'server-refused',
      reply: '400 Shutting down',
    })
    expect(commands()).not.toContain('QUIT')
  })

  test('case 42, a line without end', async () => {
    const own = makeClient({ limits: { maxLine: 100 } })
    const { url } = await start({ faults: { replies: { GROUP: 'x'.repeat(1000) } } })
    expect(await failure(`${url}retriever.test`, own)).toMatchObject({ code: 'limit-exceeded', phase: 'request' })
  })

  test('an abort closes the connection', async () => {
    const { url } = await start({ faults: { stall: 'body' } })
    const controller = new AbortController()
    const article = await client.retrieve(`${url}retriever.test/5`, { signal: controller.signal })
    const reading = article.bytes()
    controller.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    await server?.waitForConnections(0)
  })

  test('a consumer that stops, or never starts, closes the connection', async () => {
    const { url } = await start()
    for await (const _ of await client.retrieve(`${url}retriever.test/5`)) break
    await server?.waitForConnections(0)
    await (await client.retrieve(`${url}retriever.test/5`)).cancel()
    await server?.waitForConnections(0)
  })

  test('a part of an article cannot be had', async () => {
    const running = await start()
    await expect(client.retrieve(`${running.url}retriever.test/1`, { range: [0, 9] })).rejects.toMatchObject({
      code: 'range-refused',
    })
    expect(running.accepted).toBe(0)
  })
})

test('nntps: TLS from the first octet, and the entries stay on it', async () => {
  const { url } = await start({ tls: true })
  expect(url).toMatch(/^nntps:/)
  const [, first] = await list(`${url}retriever.announce`)
  expect(first?.url).toBe(`${url}retriever.announce/41`)
  expect(await octets(first?.url ?? '')).toContain('This is the test news server.\r\n')
})

describe.each(modes)('real servers, replayed %s', (mode) => {
  test.each<[string, string, (url: string) => Promise<unknown>, unknown]>([
    [
      'sn-article',
      'test.alpha/32',
      octets,
      expect.stringMatching(/^Path: [\s\S]*\r\n\r\nThis is article 23\.\r\nIt has two lines\.\r\n$/),
    ],
    [
      'sn-missing',
      'test.alpha/4000',
      failure,
      expect.objectContaining({ code: 'not-found', reply: '430 No such article' }),
    ],
    ['sn-empty', 'test.empty', list, []],
    ['inn2-empty', 'test.empty', list, []],
    [
      'inn2-transit',
      'test.alpha/31',
      octets,
      'Message-ID: <dots@example.net>\r\n\r\n.\r\n..\r\n.leading dot\r\n...three dots\r\nmiddle . dot\r\n.\r\nlast line\r\n',
    ],
    [
      'inn2-list',
      'test.*',
      list,
      expect.objectContaining({ length: 4, 3: expect.objectContaining({ name: 'test.moderated' }) }),
    ],
  ])('%s', async (name, path, how, expected) => {
    await using played = await Player.replay(readTranscript(`nntp/${name}.txt`), mode)
    expect(await how(`nntp://127.0.0.1:${played.port}/${path}`)).toEqual(expected)
    await client.close()
    expect(await played.mismatches()).toBe('')
  })

  test('sn-group: XOVER where OVER is unknown', async () => {
    await using played = await Player.replay(readTranscript('nntp/sn-group.txt'), mode)
    const own = makeClient({ fetchers: [nntpFetcher({ maxArticles: 2 })] })
    expect(await list(`nntp://127.0.0.1:${played.port}/test.alpha`, own)).toMatchObject([
      { name: 'Article 22 of the alpha group', details: { number: 49, references: [], lines: 2 } },
      { name: 'Article 21 of the alpha group', size: 40, details: { number: 48, references: ['alpha20@example.net'] } },
    ])
    await own.close()
    expect(await played.mismatches()).toBe('')
  })

  test('inn2-authinfo', async () => {
    await using played = await Player.replay(readTranscript('nntp/inn2-authinfo.txt'), mode)
    expect(await octets(`nntp://alice:secret@127.0.0.1:${played.port}/test.alpha/32`)).toMatch(
      /\r\n\r\ngr\xfc\xdfe, caf\xe9\r\n$/,
    )
    await client.close()
    expect(await played.mismatches()).toBe('')
  })
})
