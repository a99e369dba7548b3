import { createClient } from '@retriever/fetchers'
import { startDictServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { entriesOf } from '../../support/entries.ts'

testFetcher({
  mechanism: 'dict',
  bytes: Buffer.from(`${Array.from({ length: 100 }, (_, at) => `Line ${at} of a long text.\r\n`).join('')}.\r\n`),
  entries: ['web', 'old'],
  stalls: [
    ['greeting', 'greeting'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 20,
  async start(faults = {}) {
    const server = await startDictServer({ faults })
    return {
      server,
      object: `${server.url}d:long:web:1`,
      missing: `${server.url}d:nothing`,
      listing: server.url,
    }
  },
})

/** The text that a path gives, and what the server received. */
async function retrieve(path: string, options: Parameters<typeof startDictServer>[0] = {}) {
  await using server = await startDictServer(options)
  await using client = createClient()
  const representation = await client.retrieve(server.url + path)
  return { representation, text: await representation.text(), received: [...server.received] }
}

async function codeOf(path: string, options: Parameters<typeof startDictServer>[0] = {}) {
  await using server = await startDictServer(options)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const outcome = await client.retrieve(server.url + path).then(
    (it) => it.text(),
    (error: unknown) => error,
  )
  return outcome
}

describe('definitions', () => {
  test('all of a word, each with its database', async () => {
    const { representation, text, received } = await retrieve('d:url:*')
    expect(representation).toMatchObject({
      kind: 'object',
      mediaType: 'text/plain',
      charset: 'utf-8',
      completeness: 'terminated',
      metadata: { count: 3 },
    })
    expect(text).toBe(
      [
        'From Example Web Dictionary [web]:\r\n\r\nURL\r\n  A Uniform Resource Locator (RFC 1738).\r\n',
        'From Example Web Dictionary [web]:\r\n\r\nurl\r\n  A second definition.\r\n',
        'From Old "Words" [old]:\r\n\r\nurl\r\n  Not known in 1913.\r\n',
      ].join('\r\n'),
    )
    expect(received).toEqual(['DEFINE * url'])
  })

  test.each([
    ['d:url::2', 'url\r\n  A second definition.\r\n'],
    ['d:gr%C3%BC%C3%9Fe:web:1', 'grüße\r\n  greetings\r\n'],
    ['d:two%20words::1', 'two words\r\n  Blanks in a word are quoted.\r\n'],
    ['d:empty:web:1', ''],
    ['d:dots:web:1', 'dots\r\n.\r\n..\r\n.leading dot\r\n'],
  ])('%s is one definition alone', async (path, text) => {
    expect((await retrieve(path)).text).toBe(text)
  })

  test('keep the dots at the start of lines that the server did not double', async () => {
    const replies = {
      DEFINE: '150 1\r\n151 "tld" web "Web"\r\n.net\r\n..org\r\n.\r\n250 ok\r\n',
      SHOW: '112 info\r\n.net\r\n.\r\n250 ok\r\n',
    }
    expect((await retrieve('d:tld:web:1', { faults: { replies } })).text).toBe('.net\r\n.org\r\n')
    expect((await retrieve('show:info:web', { faults: { replies } })).text).toBe('.net\r\n')
  })

  test.each([
    ['d:url:web:3', /2 definitions/],
    ['d:url:web:0', /number 0/],
    ['d:nothing', /no such word/],
    ['d:url:nowhere', /no such database/],
    ['m:url::soundex', /no such strategy/],
    ['show:info:nowhere', /no such database/],
  ])('%s is not-found', async (path, message) => {
    expect(await codeOf(path)).toMatchObject({ code: 'not-found', message: expect.stringMatching(message) })
  })
})

describe('listings', () => {
  test('matches have the URLs of their definitions', async () => {
    await using server = await startDictServer()
    await using client = createClient()
    const listing = await client.retrieve(`${server.url}m:t::prefix`)
    expect(listing.kind).toBe('listing')
    const [entry] = await entriesOf(listing)
    expect(entry).toEqual({
      name: 'two words',
      kind: 'file',
      url: `${server.url}d:two%20words:web`,
      details: { database: 'web' },
    })
    expect(await (await client.retrieve(entry?.url ?? '')).text()).toContain('Blanks in a word')
  })

  test('a number picks one match', async () => {
    expect((await retrieve('m:ur:*:prefix:3')).text).toBe('old "urn"\r\n')
  })

  test('databases lead to what the server tells of them', async () => {
    await using server = await startDictServer()
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(server.url))
    expect(entries).toEqual([
      {
        name: 'web',
        kind: 'file',
        url: `${server.url}show:info:web`,
        details: { description: 'Example Web Dictionary' },
      },
      { name: 'old', kind: 'file', url: `${server.url}show:info:old`, details: { description: 'Old "Words"' } },
    ])
    expect(await (await client.retrieve(entries[1]?.url ?? '')).text()).toBe('An older dictionary.\r\n')
  })

  test('strategies', async () => {
    await using server = await startDictServer()
    await using client = createClient()
    expect(await entriesOf(await client.retrieve(`${server.url}show:strat`))).toMatchObject([
      { name: 'exact', kind: 'info', url: null, details: { description: 'Match words exactly' } },
      { name: 'prefix' },
    ])
  })

  test('a name that the server sends never adds a part to a command', async () => {
    const lines = String.raw`152 2 matches${'\r\n'}"a b" "x"${'\r\n'}web "a:b\"c"${'\r\n'}.${'\r\n'}250 ok${'\r\n'}`
    await using server = await startDictServer({ faults: { replies: { MATCH: lines } } })
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(`${server.url}m:x`))
    expect(entries.map(({ name, url }) => [name, url])).toEqual([
      ['x', null],
      ['a:b"c', `${server.url}d:a%3Ab%22c:web`],
    ])
  })
})

describe('replies', () => {
  test.each([
    [{ greeting: '530 Access denied\r\n' }, 'access-denied'],
    [{ greeting: '420 later\r\n' }, 'server-refused'],
    [{ DEFINE: '421 shutting down\r\n' }, 'server-refused'],
    [{ DEFINE: '220 what\r\n' }, 'protocol-violation'],
    [{ DEFINE: '150 1 definitions\r\n151 "x" web "y"\r\ntext\r\n' }, 'timeout'],
    [{ DEFINE: '150 1 definitions\r\n151 "x" web "y"\r\ntext\r\n.\r\n420 later\r\n' }, 'server-refused'],
    [{ DEFINE: '150 2 definitions\r\n151 "x" web "y"\r\ntext\r\n.\r\n250 ok\r\n' }, 'partial'],
    [{ DEFINE: '' }, 'receive-failed'],
  ])('%j is %s', async (replies, code) => {
    await using server = await startDictServer({ faults: { replies } })
    await using client = createClient({ limits: { maxRetries: 0, idleTimeout: code === 'timeout' ? 500 : 20_000 } })
    const outcome = client.retrieve(`${server.url}d:x`).then((it) => it.text())
    await expect(outcome).rejects.toMatchObject({ code })
    await client.close()
    await server.waitForConnections(0)
  })
})

describe('login (RFC 2229 3.11)', () => {
  const options = { accounts: { zoe: 'pl4nted' }, auth: 'required' } as const

  test('case 47, the checksum goes out, and shows nowhere', async () => {
    await using server = await startDictServer(options)
    const events: unknown[] = []
    const credentials = { user: 'zoe', password: 'pl4nted' }
    await using client = createClient({ credentials: () => credentials, onEvent: (event) => void events.push(event) })
    const url = `dict://zoe;AUTH@127.0.0.1:${server.port}/d:urn::1`
    expect(await (await client.retrieve(url)).text()).toContain('A vase.')
    expect(server.received[0]).toMatch(/^AUTH zoe [0-9a-f]{32}$/)
    const proof = server.received[0]?.slice(9) ?? ''
    expect(JSON.stringify(events)).not.toContain('pl4nted')
    expect(JSON.stringify(events)).not.toContain(proof)
  })

  test.each([
    ['wrong', 'auth-failed'],
    [null, 'auth-required'],
  ])('the password %j is %s', async (password, code) => {
    await using server = await startDictServer(options)
    await using client = createClient({ credentials: () => (password === null ? null : { user: 'zoe', password }) })
    const url = `dict://zoe;AUTH@127.0.0.1:${server.port}/d:urn`
    await expect(client.retrieve(url)).rejects.toMatchObject({ code })
  })

  test('without a user, the server that wants one denies access', async () => {
    expect(await codeOf('d:urn', options)).toMatchObject({ code: 'access-denied' })
  })

  test('a server without a message id has no login', async () => {
    await using server = await startDictServer({ faults: { replies: { greeting: '220 hello\r\n' } } })
    await using client = createClient({ credentials: () => ({ user: 'zoe', password: 'x' }) })
    const url = `dict://zoe@127.0.0.1:${server.port}/d:urn`
    await expect(client.retrieve(url)).rejects.toMatchObject({ code: 'auth-failed' })
  })
})
