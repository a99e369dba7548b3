/** Articles that are asked for and not read: those behind them come all the same. */
import { type ClientOptions, createClient, type Representation, type RetrievalEvent } from '@retriever/fetchers'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { describe, expect, test } from 'vitest'
import { retries } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'
import { trial as newsTrial } from './support/nntp-trial.ts'
import { article, type NewsScript, type ScriptedNews, scriptedNews } from './support/scripted-news.ts'

const long = `Subject: long\r\n\r\n${'x'.repeat(70)}\r\n`.concat(`${'y'.repeat(70)}\r\n`.repeat(5000))

/** Number 1 to 9: of hundreds of KiB. */
const longArticles: NewsScript = (_, line) => {
  const number = /^ARTICLE (\d)$/.exec(line)?.[1]
  return number === undefined ? undefined : `220 ${number} <${number}@x>\r\n${long}.\r\n`
}

/** After this time an unread body loses its session; on a busy machine an answer can take as long. */
const soon: ClientOptions['limits'] = { idleTimeout: 1000, maxRetries: 1 }

async function retrieveUnread(server: ScriptedNews, limits: ClientOptions['limits'], connections = 4) {
  const client = createClient({ limits: { maxRetries: 1, ...limits }, fetchers: [nntpFetcher({ connections })] })
  const numbers = Array.from({ length: connections + 2 }, (_, index) => index + 1)
  const all = await Promise.all(numbers.map((number) => client.retrieve(`${server.url}g/${number}`)))
  return { client, all }
}

const readAll = (all: readonly Representation[]): Promise<string[]> => Promise.all(all.map((each) => each.text()))

describe('more articles than connections, none of them read', () => {
  test.each([1, 4])('small ones all come, over %i connections, and are read in any order', async (connections) => {
    await using server = await scriptedNews(() => undefined)
    const { client, all } = await retrieveUnread(server, {}, connections)
    const texts = all.map((_, index) => article(String(index + 1)))
    expect(await readAll(all.toReversed())).toEqual(texts.reverse())
    expect(server.peers.length).toBeLessThanOrEqual(connections)
    await client.close()
  })

  test.each([1, 4])(
    'large ones come too, whole, once the first have lost their sessions: %i connections',
    async (connections) => {
      await using server = await scriptedNews(longArticles)
      const { client, all } = await retrieveUnread(server, soon, connections)
      for (const each of all) expect(await each.text()).toBe(long)
      await client.close()
    },
  )

  test('from a server that answers one article a connection', async () => {
    // It closes where a second command comes before the first answer was read: the client sends one at a time then.
    await newsTrial({ faults: { closeAfter: 2 } }, async ({ client, url }) => {
      const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => client.retrieve(url(number))))
      const texts = await readAll(all)
      for (const [index, text] of texts.entries()) expect(text).toContain(`This is article ${index + 1}.`)
    })
  })

  test('of another login, which waits for a slot', async () => {
    await using server = await scriptedNews(longArticles)
    await using client = createClient({ limits: { ...soon }, fetchers: [nntpFetcher({ connections: 1 })] })
    const unread = await client.retrieve(`${server.url}g/1`)
    const other = await client.retrieve(`${server.url.replace('//', '//alice:secret@')}g/2`)
    expect(await other.text()).toBe(long)
    expect(await unread.text()).toBe(long)
  })
})

test('of five large ones that nothing reads, an event names those that keep others waiting, for how long', async () => {
  await using server = await scriptedNews(longArticles)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { unreadTimeout: 300, maxRetries: 1 },
    onEvent: (event) => events.push(event),
  })
  const numbers = [1, 2, 3, 4, 5]
  const all = await Promise.all(numbers.map((number) => client.retrieve(`${server.url}g/${number}`)))
  const unread = events.filter(({ type }) => type === 'unread')
  expect(unread[0]).toMatchObject({ type: 'unread', url: expect.stringContaining(`${server.url}g/`), timeout: 300 })
  for (const each of all) expect(await each.text()).toBe(long)
})

test('of five large ones that are read, no event says that one is unread', async () => {
  await using server = await scriptedNews(longArticles)
  const events: RetrievalEvent[] = []
  await using client = createClient({ onEvent: (event) => events.push(event) })
  const numbers = [1, 2, 3, 4, 5]
  await Promise.all(numbers.map(async (number) => (await client.retrieve(`${server.url}g/${number}`)).text()))
  expect(events.filter(({ type }) => type === 'unread')).toEqual([])
})

test('a listing that is too large to wait in memory, and that nothing reads, says why it ended', async () => {
  const groups = 'some.group 9 1 y\r\n'.repeat(20_000)
  await using server = await scriptedNews((_, line) => (line === 'LIST ACTIVE' ? `215 x\r\n${groups}.\r\n` : undefined))
  await using client = createClient({ limits: { ...soon }, fetchers: [nntpFetcher({ connections: 1 })] })
  const listing = await client.retrieve(server.url)
  expect(await (await client.retrieve(`${server.url}g/1`)).text()).toBe(article('1'))
  const error = await failure(listing.text())
  expect(error).toMatchObject({ code: 'partial', url: server.url })
  expect(error.message).toContain(`${server.url}: The body was left unread`)
})

test('an article that is read slowly, with others behind it, keeps its connection', async () => {
  await using server = await scriptedNews(longArticles)
  const events: Parameters<NonNullable<ClientOptions['onEvent']>>[0][] = []
  await using client = createClient({
    limits: soon,
    fetchers: [nntpFetcher({ connections: 1 })],
    onEvent: (event) => events.push(event),
  })
  const slow = await client.retrieve(`${server.url}g/1`)
  const behind = client.retrieve(`${server.url}g/2`).then((each) => each.text())
  let read = ''
  for await (const chunk of slow) {
    read += Buffer.from(chunk).toString('latin1')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(read).toBe(long)
  expect(await behind).toBe(long)
  expect(retries(events)).toEqual([])
  expect(server.peers).toHaveLength(1)
})

test('an unread article that is cancelled leaves nothing open', async () => {
  await using server = await scriptedNews(longArticles)
  const { client, all } = await retrieveUnread(server, soon, 2)
  await Promise.all(all.map((each) => each.cancel()))
  await client.close()
  await server.closed()
  expect(server.peers.length).toBeGreaterThan(0)
})
