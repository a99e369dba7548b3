/** Bodies of a batch that the caller does not read: the batch goes on all the same. */
import { createClient, type Representation, type RetrievalEvent } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const urls = Array.from({ length: 12 }, (_, n) => `http://h/${n}`)

test('small ones are in memory, and give their places back at once', async () => {
  const small = 'x'.repeat(65_535)
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks(small, 'y')))], concurrency: 1 })
  const kept: Representation[] = []
  for await (const { representation } of client.retrieveAll(urls)) if (representation) kept.push(representation)
  expect(kept).toHaveLength(12)
  for (const representation of kept) expect(await representation.text()).toBe(`${small}y`)
})

test('large ones give their places back with an event, and end with an error that names the URL', async () => {
  const events: RetrievalEvent[] = []
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(endless().body))],
    concurrency: 2,
    limits: { unreadTimeout: 20 },
    onEvent: (event) => events.push(event),
  })
  const kept: Representation[] = []
  for await (const { representation } of client.retrieveAll(urls)) if (representation) kept.push(representation)
  expect(kept).toHaveLength(12)
  const told = events.filter(({ type }) => type === 'unread')
  expect(told.length).toBeGreaterThanOrEqual(10)
  expect(told[0]).toMatchObject({ type: 'unread', url: expect.stringContaining('http://h/'), timeout: 20 })
  const [first] = kept
  await first?.finished
  const error = await failure(first?.bytes() ?? Promise.resolve())
  expect(error).toMatchObject({ code: 'timeout', url: first?.url, advice: { option: 'limits.unreadTimeout' } })
  expect(error.message).toContain(first?.url)
  for (const each of kept) await each.cancel()
})

test('one that is read after it gave its place back comes whole', async () => {
  const parts = Array.from({ length: 200 }, () => 'z'.repeat(1000))
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(chunks(...parts)))],
    concurrency: 1,
    limits: { unreadTimeout: 5000 },
  })
  const batch = client.retrieveAll(urls.slice(0, 2))
  const first = (await batch.next()).value?.representation
  const second = (await batch.next()).value?.representation
  expect((await first?.text())?.length).toBe(200_000)
  expect((await second?.text())?.length).toBe(200_000)
})

test('while the caller reads one, the others keep their places', async () => {
  let running = 0
  let most = 0
  const slow = fakeHttp(() => {
    most = Math.max(most, ++running)
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 100; n++) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        yield Buffer.alloc(1000)
      }
      running--
    }
    return retrieved(body())
  })
  await using client = createClient({ fetchers: [slow], concurrency: 2, limits: { unreadTimeout: 30 } })
  for await (const { representation, error } of client.retrieveAll(urls.slice(0, 5))) {
    expect(error).toBe(null)
    expect((await representation?.bytes())?.length).toBe(100_000)
  }
  expect(most).toBe(2)
})

test.each([
  ['of the same host', 'h', {}],
  ['of another host', 'other', { concurrency: 4 }],
])('those of results that the caller does not have yet hold up no other batch, %s', async (_name, host, options) => {
  const fetcher = fakeHttp(() => retrieved(chunks('x'.repeat(40_000), 'y'.repeat(40_000))))
  await using client = createClient({ fetchers: [fetcher], limits: { unreadTimeout: 20 }, ...options })
  let count = 0
  for await (const { representation } of client.retrieveAll(urls)) {
    expect((await representation?.text())?.length).toBe(80_000)
    for await (const nested of client.retrieveAll([`http://${host}/0`, `http://${host}/1`])) {
      expect((await nested.representation?.text())?.length).toBe(80_000)
      count++
    }
  }
  expect(count).toBe(24)
})

test('a function of mapAll() may wait for a batch of the same host', async () => {
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(chunks('x')))],
    limits: { unreadTimeout: 20 },
  })
  const values: unknown[] = []
  const use = async (representation: Representation): Promise<number> => {
    await representation.text()
    let count = 0
    for await (const { value } of client.mapAll(urls.slice(0, 3), (each) => each.text())) count += value?.length ?? 0
    return count
  }
  for await (const { value } of client.mapAll(urls, use)) values.push(value)
  expect(values).toEqual(urls.map(() => 3))
})

test('with keep, bodies that nobody reads give their places to URLs that wait, with an event', async () => {
  const told: string[] = []
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(endless().body))],
    concurrency: 2,
    limits: { unreadTimeout: 20 },
    onEvent: (event) => event.type === 'unread' && told.push(event.url),
  })
  const batch = client.retrieveAll(urls, { keep: true })
  for (const index of [0, 1, 2]) expect((await batch.next()).value?.index).toBe(index)
  expect(told.slice(0, 2).sort()).toEqual(['http://h/0', 'http://h/1'])
  await batch.return()
})

describe('while the clock goes on', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** The octets of one body, which come when they are let go, and the events `unread`. */
  function held() {
    const told: RetrievalEvent[] = []
    let letGo: () => void = () => {}
    const gone = new Promise<void>((resolve) => (letGo = resolve))
    async function* body(): AsyncGenerator<Uint8Array> {
      await gone
      yield Buffer.from('x')
    }
    const client = createClient({
      fetchers: [fakeHttp(({ target }) => retrieved(target === '/0' ? body() : chunks('y')))],
      concurrency: 1,
      onEvent: (event) => event.type === 'unread' && told.push(event),
    })
    return { client, told, letGo: () => letGo(), [Symbol.asyncDispose]: () => client.close() }
  }

  test('one that nobody reads keeps its place if no URL waits for it', async () => {
    await using site = held()
    const { value } = await site.client.retrieveAll(urls.slice(0, 1)).next()
    await vi.advanceTimersByTimeAsync(5000)
    expect(site.told).toEqual([])
    site.letGo()
    expect(await value?.representation?.text()).toBe('x')
  })

  test('one that the caller waits for keeps its place, whoever waits for it', async () => {
    await using site = held()
    const batch = site.client.retrieveAll(urls.slice(0, 2), { keep: true })
    const reading = (await batch.next()).value?.representation?.text()
    const next = batch.next()
    await vi.advanceTimersByTimeAsync(5000)
    expect(site.told).toEqual([])
    site.letGo()
    expect(await reading).toBe('x')
    expect(await (await next).value?.representation?.text()).toBe('y')
  })
})

test('results that the caller has not taken keep their places, whichever URLs of their batch wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const begun: string[] = []
  const fetcher = fakeHttp(({ target }) => {
    begun.push(target)
    return retrieved(endless().body)
  })
  await using client = createClient({ fetchers: [fetcher], concurrency: 2 })
  const batch = client.retrieveAll(urls.slice(0, 4), { keep: true })
  // The first, which the caller has, gives its place to the third. The second keeps its own.
  for (const index of [0, 1]) {
    expect((await batch.next()).value?.index).toBe(index)
    await vi.advanceTimersByTimeAsync(index === 0 ? 5000 : 0)
    expect(begun).toEqual(['/0', '/1', '/2'])
  }
  await batch.return()
})

describe('a loop that reads no body', () => {
  // No timer fires, so nothing is given back because of the time that passes.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** Large bodies, and how many are open. */
  function large() {
    let open = 0
    let most = 0
    const fetcher = fakeHttp((_, { deadline }) => {
      most = Math.max(most, ++open)
      deadline.onAbort(() => open--)
      return retrieved(endless().body)
    })
    return { fetcher, most: () => most }
  }

  test('waits for no time, and has few bodies open', async () => {
    const { fetcher, most } = large()
    await using client = createClient({ fetchers: [fetcher] })
    let count = 0
    const many = Array.from({ length: 300 }, (_, n) => `http://h/${n}`)
    for await (const { error } of client.retrieveAll(many)) if (error === null) count++
    expect(count).toBe(300)
    // 4 of the host are under way, 16 can still be read.
    expect(most()).toBeLessThanOrEqual(24)
  })

  test('the oldest bodies end with an error that says how to keep them', async () => {
    const { fetcher } = large()
    await using client = createClient({ fetchers: [fetcher], concurrency: 2 })
    const kept: Representation[] = []
    for await (const { representation } of client.retrieveAll(urls)) if (representation) kept.push(representation)
    const error = await failure(kept[0]?.bytes() ?? Promise.resolve())
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('the option `keep`') })
    const [first] =
      (await kept[10]?.body
        .getReader()
        .read()
        .then(({ value }) => value ?? [])) ?? []
    expect(first).toBe(0)
    for (const each of kept.slice(10)) await each.cancel()
  })

  test('with keep, each body keeps its place', async () => {
    const { fetcher, most } = large()
    await using client = createClient({ fetchers: [fetcher], concurrency: 2 })
    const batch = client.retrieveAll(urls, { keep: true })
    const kept = [(await batch.next()).value?.representation, (await batch.next()).value?.representation]
    const third = batch.next()
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(most()).toBe(2)
    await kept[0]?.cancel()
    expect((await third).value?.index).toBe(2)
    await batch.return()
    for (const each of kept) await each?.cancel()
  })
})
