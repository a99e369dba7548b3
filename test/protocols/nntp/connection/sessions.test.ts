/** Sessions with a news server: kept, shared, pipelined, lost. */
import { RetrievalError } from '@retriever/core'
import { type Client, type ClientOptions, createClient } from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import type { Faults, TestServer } from '@retriever/servers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { failure } from '../../../support/failure.ts'
import { runs } from '../../../support/runs.ts'
import { Player } from '../../../support/transcript/player.ts'
import { commands, expectArticle, list, numbers, retrieveAll, trial } from '../support/nntp-trial.ts'
import { article, type NewsPeer, scriptedNews } from '../support/scripted-news.ts'

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

  test('of long message-ids are asked for without a listener for each', async () => {
    // 512 commands of 250 octets are more than a socket holds before it wants to drain.
    const ids = numbers(1, 512).map((number) => `${number}-${'i'.repeat(220)}@x.example`)
    await using server = await scriptedNews(() => undefined)
    await using client = createClient({ fetchers: [nntpFetcher({ connections: 1 })] })
    const warnings: string[] = []
    const note = ({ message }: Error): void => void warnings.push(message)
    process.on('warning', note)
    try {
      const urls = ids.map((id) => `news://127.0.0.1:${server.port}/${id}`)
      const texts = urls.map(async (url) => (await client.retrieve(url)).text())
      expect(await Promise.all(texts)).toEqual(ids.map((id) => article(`<${id}>`)))
    } finally {
      process.off('warning', note)
    }
    expect(warnings).toEqual([])
  })

  test('are asked for 512 at a time on one connection', async () => {
    const urls = numbers(1, 512)
    let asked = ''
    await using server = await scriptedNews((_, line) => {
      const [, number] = /^ARTICLE (\d+)$/.exec(line) ?? []
      if (number === undefined) return undefined
      asked += `220 ${number} <${number}@x>\r\n${article(number)}.\r\n`
      // None is answered before all have been asked for.
      return number === '512' ? asked : ''
    })
    await using client = createClient({ limits: { maxRetries: 0 }, fetchers: [nntpFetcher({ connections: 1 })] })
    const bodies: string[] = []
    for await (const { representation } of client.retrieveAll(urls.map((number) => `${server.url}a.b/${number}`))) {
      bodies.push((await representation?.text()) ?? '')
    }
    expect(bodies).toEqual(urls.map((number) => article(`${number}`)))
    expect(server.peers).toHaveLength(1)
  })

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

test.each([
  '400 Too many connections from your host',
  '502 Too many connections from your host',
  '502 The maximum number of connections is reached',
])('a server that takes two connections (%s): they are shared', async (words) => {
  let refused = 0
  const greeting = ({ index }: NewsPeer): string => {
    if (index < 2) return '200 hello\r\n'
    refused++
    return `${words}\r\n`
  }
  await using news = await scriptedNews(() => undefined, greeting)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const urls = numbers(0, 40).map((number) => `${news.url}g.${number}/${(number % 9) + 1}`)
  const texts: string[] = []
  for await (const { index, representation, error } of client.retrieveAll(urls)) {
    texts[index] = error?.message ?? (await representation?.text()) ?? ''
  }
  expect(texts).toEqual(numbers(0, 40).map((number) => expect.stringContaining(`body of ${(number % 9) + 1}`)))
  expect(refused).toBeLessThanOrEqual(2)
})

test('a server that takes no connection now says so', async () => {
  await using news = await scriptedNews(() => undefined, '502 Too many connections\r\n')
  await using client = createClient({ limits: { maxRetries: 0 } })
  const error = await failure(client.retrieve(`${news.url}g/1`))
  expect(error).toMatchObject({ code: 'server-refused', transient: true, reply: '502 Too many connections' })
})

describe('a retrieval that is aborted or cancelled', () => {
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
      // 10,000 headings take a busy machine longer than five seconds.
      { ...one, limits: { idleTimeout: 30_000 } },
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
    trial(
      { faults: { cutAfter: 100, bodies: 1 } },
      async ({ client, url, events }) => {
        const outcomes = await retrieveAll(client, numbers(1, 40).map(url))
        expect(outcomes.filter(({ error }) => error !== null)).toEqual([])
        expect(retries(events).length).toBeGreaterThan(0)
      },
      { limits: { maxRetries: 1, maxRetryDelay: 1 } },
    ))
})

test('each article that comes whole is the right one, in any order of cancelled bodies and lost sessions', () =>
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
    { numRuns: runs(50) },
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
      const entries = await list(client, `${server.url}retriever.many`, 5)
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

test('a group is refused, and its article sent all the same: the refusal counts', async () => {
  // ARTICLE 1 relies on a GROUP that is refused; the server answers it all the same.
  await using played = await Player.replay(
    ['S: 200 hi', 'C: GROUP g', 'S: 411 none', 'C: ARTICLE 1', 'S: 220 1 <x@y>', 'S: Subject: x', 'S: .'].join('\n'),
  )
  await using client = createClient()
  expect(await failure(client.retrieve(`nntp://127.0.0.1:${played.port}/g/1`))).toMatchObject({ code: 'not-found' })
})
