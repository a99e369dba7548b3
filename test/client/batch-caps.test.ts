/** The places of a client, which all its batches share, and the order in which URLs take them. */
import { type BatchItem, type Client, type ClientOptions, createClient, type Representation } from '@retriever/fetchers'
import { afterEach, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** A server for all hosts that counts; it answers a host of `held` only when that is let go. */
function countingServer(held: readonly string[] = []) {
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const begun: string[] = []
  let letGo = (): void => {}
  const gone = new Promise<void>((resolve) => (letGo = resolve))
  const change = (host: string, by: number): void => {
    for (const name of [host, 'all']) {
      const now = (running.get(name) ?? 0) + by
      running.set(name, now)
      most.set(name, Math.max(most.get(name) ?? 0, now))
    }
  }
  const fetcher = fakeHttp(async ({ host, target }) => {
    begun.push(`${host}${target}`)
    change(host, 1)
    if (held.includes(host)) await gone
    else for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    change(host, -1)
    return retrieved(chunks('x'))
  })
  return { fetcher, most, begun, letGo: () => letGo() }
}

function clientWith(server: ReturnType<typeof countingServer>, options: ClientOptions = {}): Client {
  return createClient({ fetchers: [server.fetcher], ...options })
}

async function readAll(client: Client, urls: Iterable<string | BatchItem>, options = {}): Promise<number> {
  let count = 0
  for await (const { representation, error } of client.retrieveAll(urls, options)) {
    if (error !== null) throw error
    await representation.text()
    count++
  }
  return count
}

const urlsOf = (host: string, count: number): string[] => Array.from({ length: count }, (_, n) => `http://${host}/${n}`)

test('R43: the caps hold over all calls of a client', async () => {
  const server = countingServer()
  await using client = clientWith(server, { concurrency: 3, perHost: 2 })
  const urls = ['a', 'b', 'c'].flatMap((host) => urlsOf(host, 20))
  expect(await Promise.all([readAll(client, urls), readAll(client, urls), readAll(client, urls)])).toEqual([60, 60, 60])
  expect(server.most.get('all')).toBe(3)
  for (const host of ['a', 'b', 'c']) expect(server.most.get(host)).toBe(2)
})

test('a call may have narrower caps, and no wider ones', async () => {
  const narrow = countingServer()
  await using client = clientWith(narrow, { concurrency: 8, perHost: 4 })
  await readAll(
    client,
    ['a', 'b', 'c'].flatMap((host) => urlsOf(host, 10)),
    { concurrency: 2, perHost: 1 },
  )
  expect([narrow.most.get('all'), narrow.most.get('a')]).toEqual([2, 1])
  const wide = countingServer()
  await using other = clientWith(wide, { concurrency: 2, perHost: 1 })
  await readAll(
    other,
    ['a', 'b', 'c'].flatMap((host) => urlsOf(host, 10)),
    { concurrency: 9, perHost: 9 },
  )
  expect([wide.most.get('all'), wide.most.get('a')]).toEqual([2, 1])
})

test('a slow host first in a list of 12,000 delays the others by nothing', async () => {
  const server = countingServer(['slow'])
  await using client = clientWith(server)
  const batch = client.retrieveAll([...urlsOf('slow', 11_000), ...['a', 'b', 'c', 'd'].flatMap((h) => urlsOf(h, 250))])
  let others = 0
  let slow = 0
  for await (const { url, representation } of batch) {
    if (url.startsWith('http://slow')) slow++
    else others++
    await representation?.text()
    // No URL of the slow host has been answered yet.
    if (others === 1000 && slow === 0) server.letGo()
  }
  expect([others, slow, server.most.get('slow')]).toEqual([1000, 11_000, 4])
})

test('a free place goes to the host that has the fewest', async () => {
  const server = countingServer()
  await using client = clientWith(server, { concurrency: 4, perHost: 4 })
  const first = readAll(client, urlsOf('a', 40))
  const second = readAll(client, urlsOf('b', 40))
  await Promise.all([first, second])
  // The second call is not behind all of the first.
  expect(server.begun.slice(0, 20).filter((each) => each.startsWith('b')).length).toBeGreaterThan(5)
})

test('a URL with a higher priority begins first', async () => {
  const server = countingServer()
  await using client = clientWith(server, { concurrency: 1 })
  const items = [1, 5, 3, 5].map((priority, n) => ({ url: `http://h/${n}`, priority }))
  await readAll(client, ['http://h/none', ...items])
  expect(server.begun).toEqual(['h/1', 'h/3', 'h/2', 'h/0', 'h/none'])
})

afterEach(() => void vi.useRealTimers())

/** The clock goes on to the next timer as soon as nothing else is left to do. */
function withoutWaiting(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
  vi.setTimerTickMode('nextTimerAsync')
}

test('of a host, no more begin within an interval than its cap, over all calls', async () => {
  withoutWaiting()
  const begun: number[] = []
  const fetcher = fakeHttp(() => {
    begun.push(performance.now())
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher], interval: 100, intervalCap: 2 })
  await Promise.all([readAll(client, urlsOf('a', 4)), readAll(client, urlsOf('a', 3))])
  expect(begun).toHaveLength(7)
  for (const [n, time] of begun.slice(2).entries()) expect(time - (begun[n] ?? 0)).toBeGreaterThanOrEqual(100)
})

test('a call may be more polite than the client; other hosts do not wait', async () => {
  withoutWaiting()
  const begun = new Map<string, number[]>()
  const fetcher = fakeHttp(({ host }) => {
    begun.set(host, [...(begun.get(host) ?? []), performance.now()])
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher] })
  const order: string[] = []
  for await (const { url, representation } of client.retrieveAll([...urlsOf('a', 3), ...urlsOf('b', 1)], {
    interval: 100,
  })) {
    order.push(url)
    await representation?.text()
  }
  const [first = 0, second = 0, third = 0] = begun.get('a') ?? []
  expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(100)
  expect(order.slice(0, 2).sort()).toEqual(['http://a/0', 'http://b/0'])
})

test('a batch with a longer interval holds up no other one', async () => {
  await using client = clientWith(countingServer())
  const polite = client.retrieveAll(urlsOf('a', 2), { interval: 3_600_000 })
  const { value } = await polite.next()
  await value?.representation?.text()
  expect(await readAll(client, urlsOf('a', 3), { interval: 10 })).toBe(3)
  await polite.return()
})

test('jobs of many short-lived hosts leave no place taken', async () => {
  const server = countingServer()
  await using client = clientWith(server, { concurrency: 5 })
  const urls = Array.from({ length: 3000 }, (_, n) => `http://h${n}/`)
  expect(await readAll(client, urls)).toBe(3000)
  expect(await readAll(client, urlsOf('h1', 5))).toBe(5)
  expect(server.most.get('all')).toBe(5)
})

/** So many hosts that the client forgets those of which nothing has to be remembered. */
const manyHosts = Array.from({ length: 1200 }, (_, n) => `http://h${n}/`)

test('a host that still answers is not forgotten among many others', async () => {
  const server = countingServer(['held'])
  await using client = clientWith(server, { perHost: 1 })
  const others = new Set(manyHosts)
  for await (const { url, representation } of client.retrieveAll([
    'http://held/0',
    ...manyHosts,
    'http://held/1',
    'http://last/',
  ])) {
    await representation?.text()
    others.delete(url)
    if (others.size === 0) server.letGo()
  }
  expect(server.most.get('held')).toBe(1)
  expect(server.begun.filter((each) => each.startsWith('held'))).toEqual(['held/0', 'held/1'])
})

test('nor is one whose interval is not over', async () => {
  withoutWaiting()
  const begun: number[] = []
  const fetcher = fakeHttp(({ host }) => {
    if (host === 'polite') begun.push(performance.now())
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher], interval: 60_000 })
  expect(await readAll(client, ['http://polite/0', ...manyHosts])).toBe(1201)
  expect(await readAll(client, ['http://polite/1'])).toBe(1)
  expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
})

test('a list is read on as soon as all URLs that were read have begun', async () => {
  const begun: string[] = []
  const silent = fakeHttp(({ host, target }, { deadline }) => {
    begun.push(host + target)
    return deadline.unlimited(() => new Promise(() => {}))
  })
  await using client = createClient({ fetchers: [silent], concurrency: 2 })
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const full = client.retrieveAll(urlsOf('held', 2))
  const first = full.next()
  while (begun.length < 2) await turns()
  const batch = client.retrieveAll(new Set(urlsOf('late', 2)))
  const next = batch.next()
  await turns()
  expect(begun).toEqual(['held/0', 'held/1'])
  await full.return()
  await first
  await turns()
  expect(begun.slice(2)).toEqual(['late/0', 'late/1'])
  await batch.return()
  await next
})

test('a function of mapAll() keeps its place until it has ended', async () => {
  const server = countingServer()
  await using client = clientWith(server, { concurrency: 1 })
  const states: number[] = []
  const use = async (representation: Representation): Promise<void> => {
    await representation.text()
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    states.push(server.begun.length)
  }
  for await (const { error } of client.mapAll(urlsOf('a', 3), use)) expect(error).toBe(null)
  expect(states).toEqual([1, 2, 3])
})
