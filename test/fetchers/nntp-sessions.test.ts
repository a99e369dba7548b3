/** Sessions with a news server: kept, shared, pipelined, lost; and what a server wants before it answers. */
import { RetrievalError } from '@retriever/core'
import {
  type BatchOutcome,
  type Client,
  type ClientOptions,
  createClient,
  type Entry,
  type RetrievalEvent,
} from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { type Faults, type NntpServerOptions, startNntpServer, type TestServer, testCa } from '@retriever/servers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure } from './failure.ts'
import { playTranscript } from './transcript-server.ts'

interface Trial {
  readonly server: TestServer
  readonly client: Client
  readonly events: readonly RetrievalEvent[]
  /** Of an article of retriever.many. */
  url(number: number | string): string
}

/** Something with a server and a client; nothing may be open once the client is closed. */
async function trial(
  options: NntpServerOptions,
  use: (trial: Trial) => Promise<void>,
  { limits, ...clientOptions }: ClientOptions = {},
): Promise<void> {
  await using server = await startNntpServer({ articles: 200, ...options })
  const events: RetrievalEvent[] = []
  const client = createClient({
    tls: { ca: testCa },
    onEvent: (event) => events.push(event),
    limits: { maxRetries: 0, idleTimeout: 2000, ...limits },
    ...clientOptions,
  })
  try {
    await use({ server, client, events, url: (number) => `${server.url}retriever.many/${number}` })
  } finally {
    await client.close()
  }
  await server.waitForConnections(0)
}

/** Retrieves articles all at once, and checks that each is the one that was asked for. */
async function retrieveAll(client: Client, urls: readonly string[]): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = []
  for await (const outcome of client.retrieveAll(urls)) {
    if (outcome.error === null) await expectArticle(outcome.url, await outcome.representation.text())
    outcomes.push(outcome)
  }
  return outcomes
}

async function expectArticle(url: string, text: string): Promise<void> {
  const number = url.split('/').at(-1)
  expect(text).toContain(`Message-ID: <many-${number}@example.net>\r\n`)
  expect(text).toContain(`\r\n\r\nThis is article ${number}.\r\n.\r\n..\r\n.${number}\r\n`)
  expect(text).toMatch(/characters\.\r\n$/)
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

async function entriesOf(client: Client, url: string, limit?: number): Promise<Entry[]> {
  const entries: Entry[] = []
  const listing = await client.retrieve(url, limit === undefined ? {} : { limit })
  for await (const entry of listing.entries()) entries.push(entry)
  return entries
}

function commands({ received }: TestServer, verb: string): string[] {
  return received.filter((line) => line.startsWith(verb))
}

describe('many articles of one group', () => {
  test('come over four connections, each asked for at once and in one group', () =>
    trial({}, async ({ server, client, url }) => {
      const outcomes = await retrieveAll(client, numbers(1, 200).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(outcomes).toHaveLength(200)
      expect(server.accepted).toBeLessThanOrEqual(4)
      expect(commands(server, 'GROUP').length).toBeLessThanOrEqual(4)
    }))

  test('are asked for before the first has come', () =>
    trial({ faults: { stall: 'body', bodies: 1 } }, async ({ server, client, url }) => {
      const batch = client.retrieveAll(numbers(1, 50).map(url), {})
      for await (const _ of batch) {
        // The first body has stalled: what has been asked for meanwhile was not waiting for it.
        expect(commands(server, 'ARTICLE').length).toBeGreaterThan(4)
        break
      }
    }))

  test.each(['bytes', 'split-crlf', 'glued', [7, 1, 3]] as const)('whole, however they are cut: %s', (chunking) =>
    trial({ faults: { chunking } }, async ({ client, url }) => {
      const outcomes = await retrieveAll(client, numbers(1, 30).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
    }),
  )

  test('some of which are missing, or are of groups that do not exist', () =>
    trial({}, async ({ server, client, url }) => {
      const none = `${server.url}retriever.none/`
      const urls = numbers(1, 40).flatMap((number) => [url(number), `${none}${number}`, url(1000 + number)])
      const outcomes = await retrieveAll(client, urls)
      expect(outcomes).toHaveLength(120)
      for (const { url: asked, error } of outcomes) {
        const isThere = asked.includes('many') && Number(asked.split('/').at(-1)) <= 200
        expect([asked, error?.code ?? null]).toEqual([asked, isThere ? null : 'not-found'])
      }
    }))

  test('one connection, where that is all', () =>
    trial(
      {},
      async ({ server, client, url }) => {
        expect(await retrieveAll(client, numbers(1, 100).map(url))).toHaveLength(100)
        expect(server.accepted).toBe(1)
        expect(commands(server, 'GROUP')).toHaveLength(1)
      },
      { fetchers: [nntpFetcher({ connections: 1 })] },
    ))
})

describe('whoever gives up', () => {
  const one: ClientOptions = { fetchers: [nntpFetcher({ connections: 1 })] }

  test('in the queue does not disturb the others', () =>
    trial(
      {},
      async ({ client, url }) => {
        const controllers = numbers(1, 60).map(() => new AbortController())
        const retrievals = numbers(1, 60).map((number, index) =>
          client.retrieve(url(number), { signal: (controllers[index] as AbortController).signal }).then(
            async (article) => ({ number, text: await article.text() }),
            (error: RetrievalError) => ({ number, code: error.code }),
          ),
        )
        for (const [index, controller] of controllers.entries()) if (index % 3 === 1) controller.abort()
        for (const result of await Promise.all(retrievals)) {
          if ('code' in result) expect([result.code, result.number % 3]).toEqual(['aborted', 2])
          else await expectArticle(url(result.number), result.text)
        }
      },
      one,
    ))

  test('after the reply, before or within the body, leaves the session to the others', () =>
    trial(
      {},
      async ({ client, url }) => {
        for (const number of numbers(1, 12)) {
          const [first, second] = await Promise.all([
            client.retrieve(url(number)).then(async (article) => {
              if (number % 2 === 0) for await (const _ of article) break
              await article.cancel()
            }),
            client.retrieve(url(number + 100)).then((article) => article.text()),
          ])
          expect(first).toBeUndefined()
          await expectArticle(url(number + 100), second)
        }
      },
      one,
    ))

  test('of a body that is long: another connection takes the others', () =>
    trial(
      { articles: 10_000 },
      async ({ server, client, url }) => {
        const group = await client.retrieve(`${server.url}retriever.many`, { limit: 10_000 })
        const behind = client.retrieve(url(7)).then((article) => article.text())
        await group.cancel()
        await expectArticle(url(7), await behind)
        expect(server.accepted).toBe(2)
      },
      one,
    ))
})

describe('a session that is lost', () => {
  test.each([2, 3, 5, 20])('a server that ends each after %i answers serves all the same', (closeAfter) =>
    trial({ faults: { closeAfter } }, async ({ client, url }) => {
      const outcomes = await retrieveAll(client, numbers(1, 60).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(outcomes).toHaveLength(60)
    }),
  )

  test('one that ends each before any answer is an error, and soon', () =>
    trial({ faults: { closeAfter: 0 } }, async ({ server, client, url }) => {
      for (const { error } of await retrieveAll(client, numbers(1, 20).map(url))) {
        expect(error).toMatchObject({ code: 'receive-failed' })
      }
      // Three more for one that was lost with others in it.
      expect(server.accepted).toBeLessThanOrEqual(80)
    }))

  test('while idle is replaced', () =>
    trial({ faults: { closeAfter: 2 } }, async ({ server, client, url }) => {
      await expectArticle(url(1), await (await client.retrieve(url(1))).text())
      await expectArticle(url(2), await (await client.retrieve(url(2))).text())
      expect(server.accepted).toBe(2)
    }))

  test('one that says 400 to a session that it has served before', () =>
    trial({}, async ({ server, client, url }) => {
      await (await client.retrieve(url(1))).text()
      server.setFaults({ replies: { 'ARTICLE 2': ['400 Time out\r\n'] } })
      await expectArticle(url(2), await (await client.retrieve(url(2))).text())
      expect(server.accepted).toBe(2)
    }))

  test('in the middle of a body: that one is asked for once more, the others go on', () =>
    trial({ faults: { cutAfter: 100, bodies: 1 } }, async ({ client, url, events }) => {
      const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(events.filter(({ type }) => type === 'retried').length).toBeGreaterThan(0)
    }))
})

test('whatever is given up, and whenever sessions end, what comes whole is what was asked for', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ number: fc.integer({ min: 1, max: 210 }), way: fc.nat(5), turns: fc.nat(12) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.constantFrom(1, 2, 4),
      fc.constantFrom(undefined, 2, 3, 7, 30),
      fc.constantFrom<NonNullable<Faults['chunking']>>('whole', 'split-crlf', [5, 1, 60]),
      (asked, connections, closeAfter, chunking) =>
        trial(
          { faults: { ...(closeAfter !== undefined && { closeAfter }), chunking } },
          async ({ server, client, url }) => {
            await Promise.all(asked.map((each) => retrieveOneWay(client, server, url(each.number), each)))
          },
          { fetchers: [nntpFetcher({ connections })] },
        ),
    ),
    { numRuns: 50 },
  ))

interface Asked {
  readonly number: number
  readonly way: number
  readonly turns: number
}

async function retrieveOneWay(client: Client, server: TestServer, url: string, { number, way, turns }: Asked) {
  const controller = new AbortController()
  const abortLater = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    controller.abort()
  }
  if (way === 1) void abortLater()
  try {
    if (way === 2) {
      const entries = await entriesOf(client, `${server.url}retriever.many`, 5)
      return expect(entries[0]?.details?.number).toBe(200)
    }
    const article = await client.retrieve(url, { signal: controller.signal })
    if (way === 3) return await article.cancel()
    if (way === 4) {
      for await (const _ of article) break
      return
    }
    await expectArticle(url, await article.text())
  } catch (error) {
    if (!(error instanceof RetrievalError)) throw error
    expect([error.code, way, number > 200]).toEqual(
      way === 1 && error.code === 'aborted' ? ['aborted', 1, number > 200] : ['not-found', way, true],
    )
  }
}

describe('what a server wants first', () => {
  const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }

  test('a login, once for each session, however much is under way', () =>
    trial(
      { auth: 'required' },
      async ({ server, client, url }) => {
        const outcomes = await retrieveAll(client, numbers(1, 100).map(url))
        expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
        expect(commands(server, 'AUTHINFO PASS')).toHaveLength(server.accepted)
      },
      login,
    ))

  test('for some of its groups', () =>
    trial(
      { private: ['retriever.private'] },
      async ({ server, client, url }) => {
        await (await client.retrieve(url(1))).text()
        const article = await client.retrieve(`${server.url}retriever.private/1`)
        expect(await article.text()).toContain('Newsgroups: retriever.private\r\n')
        await expectArticle(url(2), await (await client.retrieve(url(2))).text())
        expect(server.accepted).toBe(1)
        expect(commands(server, 'AUTHINFO PASS')).toHaveLength(1)
      },
      login,
    ))

  test('a login that it refuses is not tried again for all that wait', () =>
    trial(
      { auth: 'required' },
      async ({ server, client, url }) => {
        const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
        expect(outcomes.map(({ error }) => error?.code)).toEqual(Array(40).fill('auth-failed'))
        expect(commands(server, 'AUTHINFO PASS').length).toBeLessThanOrEqual(4)
      },
      { credentials: () => ({ user: 'alice', password: 'mistaken' }) },
    ))

  test('and none is known', () =>
    trial({ auth: 'required' }, async ({ server, client, url }) => {
      for (const { error } of await retrieveAll(client, numbers(1, 10).map(url))) {
        expect(error).toMatchObject({ code: 'auth-required', reply: expect.stringMatching(/^480/) })
      }
      expect(commands(server, 'AUTHINFO')).toEqual([])
    }))

  test('SASL PLAIN, where USER and PASS are not known; its secret is shown nowhere', () =>
    trial(
      { auth: 'required', logins: ['sasl'] },
      async ({ server, client, url, events }) => {
        await expectArticle(url(3), await (await client.retrieve(url(3))).text())
        const response = Buffer.from('\0alice\0secret').toString('base64')
        expect(server.received).toContain(`AUTHINFO SASL PLAIN ${response}`)
        expect(JSON.stringify(events)).not.toMatch(new RegExp(`${response}|"secret"`))
      },
      login,
    ))

  test('SASL PLAIN with a wrong password', () =>
    trial(
      { auth: 'required', logins: ['sasl'] },
      async ({ client, url }) => {
        expect(await failure(client.retrieve(url(3)))).toMatchObject({ code: 'auth-failed', phase: 'login' })
      },
      { credentials: () => ({ user: 'alice', password: 'mistaken' }) },
    ))

  test('reader mode, with many under way', () =>
    trial({ kind: 'transit' }, async ({ server, client, url }) => {
      const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
      expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
      expect(commands(server, 'MODE READER')).toHaveLength(server.accepted)
    }))
})

describe('STARTTLS', () => {
  const secured: ClientOptions = { defaults: { requireTls: true } }

  test('before all else, the login too', () =>
    trial(
      { tls: 'explicit', auth: 'required' },
      async ({ server, client, url, events }) => {
        await expectArticle(url(5), await (await client.retrieve(url(5))).text())
        expect(server.received[0]).toBe('STARTTLS')
        const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
        expect(sent[0]).toBe('STARTTLS\r\n')
        expect(sent).toContain('AUTHINFO PASS <password>\r\n')
      },
      { ...secured, credentials: () => ({ user: 'alice', password: 'secret' }) },
    ))

  test.each(['580 not now', '502 no', '500 what?', '483 hm', '203 odd', '382x'])(
    'answered "%s": nothing goes in the clear',
    (reply) =>
      trial(
        { faults: { replies: { STARTTLS: `${reply}\r\n` } } },
        async ({ server, client, url }) => {
          const error = await failure(client.retrieve(url(1)))
          expect(error.code).toMatch(/^(?:tls-failed|protocol-violation)$/)
          if (/^[45]/.test(reply)) expect(error).toMatchObject({ code: 'tls-failed', reply })
          expect(server.received).toEqual(['STARTTLS'])
        },
        secured,
      ),
  )

  test('more than 382 in the clear', () =>
    trial(
      { faults: { replies: { STARTTLS: '382 go on\r\n281 in\r\n' } } },
      async ({ client, url }) => {
        expect(await failure(client.retrieve(url(1)))).toMatchObject({ code: 'protocol-violation' })
      },
      secured,
    ))

  test('a login that is wanted within TLS alone says how', () =>
    trial(
      { tls: 'explicit', auth: 'required' },
      async ({ client, url }) => {
        const error = await failure(client.retrieve(url(1)))
        expect(error).toMatchObject({ code: 'server-refused', reply: expect.stringMatching(/^483/) })
        expect(error.message).toContain('--ssl-reqd')
      },
      { credentials: () => ({ user: 'alice', password: 'secret' }) },
    ))
})

describe('an overview', () => {
  test('the newest first, as many as wanted', () =>
    trial({ articles: 5000 }, async ({ server, client, url }) => {
      const newest = await entriesOf(client, `${server.url}retriever.many`)
      expect(newest).toHaveLength(1000)
      expect([newest[0]?.url, newest[999]?.url]).toEqual([url(5000), url(4001)])
      const few = await entriesOf(client, `${server.url}retriever.many`, 3)
      expect(few.map((entry) => entry.url)).toEqual([url(5000), url(4999), url(4998)])
      expect(commands(server, 'OVER')).toEqual(['OVER 4001-5000', 'OVER 4998-5000'])
    }))

  test.each<[string, readonly number[], number | undefined]>([
    ['10-12', [12, 11, 10], undefined],
    ['198-', [200, 199, 198], undefined],
    ['190-300', [200, 199], 2],
    ['7-7', [7], undefined],
    ['300-400', [], undefined],
  ])('of a range: %s', (range, expected, limit) =>
    trial({}, async ({ server, client, url }) => {
      const entries = await entriesOf(client, url(range), limit)
      expect(entries.map(({ details }) => details?.number)).toEqual(expected)
      expect(commands(server, 'OVER')).toHaveLength(expected.length === 0 ? 0 : 1)
    }),
  )

  test.each<[string, NntpServerOptions]>([
    ['a server that keeps none', { overviews: false }],
    ['one of RFC 977', { kind: 'rfc977', overviews: false }],
  ])('of headers, from %s', (_, options) =>
    trial(options, async ({ server, client, url }) => {
      const [entry, ...others] = await entriesOf(client, url('150-199'))
      expect(others).toHaveLength(49)
      const [same] = await entriesOf(client, url('199-199'))
      expect(entry).toEqual(same)
      expect(entry).toMatchObject({ kind: 'article', url: url(199), details: { number: 199 } })
      expect(entry?.details?.messageId).toBe('many-199@example.net')
      expect(commands(server, 'HEAD')).toHaveLength(51)
      // What it does not know is not asked for again.
      expect(commands(server, 'OVER')).toHaveLength(1)
    }),
  )

  test('of headers, given up', () =>
    trial({ overviews: false }, async ({ client, url }) => {
      for await (const _ of (await client.retrieve(url('1-200'))).entries()) break
      await (await client.retrieve(url('1-200'))).cancel()
      await expectArticle(url(1), await (await client.retrieve(url(1))).text())
    }))
})

test('the header alone: HEAD', () =>
  trial({}, async ({ server, client, url }) => {
    const article = await client.retrieve(url(9), { head: true })
    expect(await article.text()).toBe('')
    expect(article.metadata).toMatchObject({ number: 9, header: { newsgroups: 'retriever.many' } })
    expect(commands(server, 'ARTICLE')).toEqual([])
  }))

test('an answer that nobody waits for is no reason to trust what follows it', async () => {
  // ARTICLE 1 relies on a GROUP that is refused; the server answers it all the same.
  await using played = await playTranscript(
    ['S: 200 hi', 'C: GROUP g', 'S: 411 none', 'C: ARTICLE 1', 'S: 220 1 <x@y>', 'S: Subject: x', 'S: .'].join('\n'),
  )
  await using client = createClient()
  expect(await failure(client.retrieve(`nntp://127.0.0.1:${played.port}/g/1`))).toMatchObject({ code: 'not-found' })
})
