/** Hosts of a batch that are in trouble: what pauses them, what that costs, and when they are given up. */
import type { ErrorCode, Phase } from '@retriever/core'
import { type Client, type ClientOptions, createClient } from '@retriever/fetchers'
import { serverStateOf } from '@retriever/fetchers/internal'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { random } from '../support/random.ts'

// The clock goes on to the next timer as soon as nothing else is left to do.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setTimerTickMode('nextTimerAsync')
  // The delays before further tries are drawn by chance: with a seed, each run takes the same time.
  vi.spyOn(Math, 'random').mockImplementation(random(1738))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** `running`: how many requests its host has, with this one. */
type Answer = (asked: {
  readonly place: string
  readonly time: number
  readonly tries: number
  readonly running: number
}) => Trouble
/** What goes wrong; null: nothing. */
type Trouble = 'refused' | 'full' | 'taken' | 'silent' | 'busy' | number | { readonly redirect: string } | null

/** Others have all places of the server. */
const taken = '530 Sorry, the maximum number of allowed clients (2) are already connected.'

/** Servers of all names that answer after 5 ms. */
function servers(answer: Answer, options: ClientOptions = {}) {
  const asked: { readonly place: string; readonly time: number }[] = []
  const tries = new Map<string, number>()
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const start = performance.now()
  const fetcher = fakeHttp(async ({ host, port, target }, { error }) => {
    const place = `${host}:${port}${target}`
    const time = performance.now() - start
    asked.push({ place, time })
    tries.set(place, (tries.get(place) ?? 0) + 1)
    const now = (running.get(host) ?? 0) + 1
    running.set(host, now)
    most.set(host, Math.max(most.get(host) ?? 0, now))
    const said = answer({ place, time, running: now, tries: tries.get(place) ?? 0 })
    await new Promise((resolve) => setTimeout(resolve, said === 'silent' ? 60_000 : 5))
    running.set(host, (running.get(host) ?? 0) - 1)
    if (said === null) return retrieved(chunks('x'))
    if (said === 'refused') throw error('connect-failed', 'Refused.', { phase: 'connect' })
    if (said === 'full') throw error('server-refused', 'Full.', { phase: 'greeting', transient: true, reply: '420' })
    if (said === 'taken') throw error('server-refused', 'Taken.', { phase: 'login', transient: true, reply: taken })
    if (said === 'silent') throw error('timeout', 'Silence.', { phase: 'request', transient: true })
    if (said === 'busy') throw error('http-error', 'Busy.', { phase: 'request', status: 503, transient: true })
    if (typeof said === 'object') return { outcome: 'redirect', location: said.redirect, status: 302 }
    throw error('http-error', 'Wait.', { phase: 'request', status: 429, transient: true, retryAfter: said })
  })
  const client = createClient({ fetchers: [fetcher], ...options })
  return { client, asked, most, [Symbol.asyncDispose]: () => client.close() }
}

/** How many URLs came, and the messages of those that did not. */
async function all(client: Client, urls: readonly string[], options = {}) {
  let came = 0
  const failed: string[] = []
  for await (const { error, representation } of client.retrieveAll(urls, options)) {
    if (error !== null) failed.push(error.message)
    else if ((await representation.text()) === 'x') came++
  }
  return { came, failed }
}

const urlsOf = (host: string, count: number): string[] => Array.from({ length: count }, (_, n) => `http://${host}/${n}`)

test('a URL that waits for its next try has no place', async () => {
  await using site = servers(({ place, tries }) => (place === 'a:80/0' && tries === 1 ? 'busy' : null), {
    concurrency: 1,
  })
  expect(await all(site.client, ['http://a/0', 'http://b/0', 'http://c/0'])).toEqual({ came: 3, failed: [] })
  expect(site.asked.map(({ place }) => place)).toEqual(['a:80/0', 'b:80/0', 'c:80/0', 'a:80/0'])
})

test('one of a higher priority than those that wait keeps it', async () => {
  await using site = servers(({ place, tries }) => (place === 'a:80/0' && tries === 1 ? 'busy' : null), {
    concurrency: 1,
  })
  const items = ['a', 'b', 'c'].map((host, n) => ({ url: `http://${host}/${n}`, priority: -n }))
  for await (const { representation } of site.client.retrieveAll(items)) await representation?.text()
  expect(site.asked.map(({ place }) => place)).toEqual(['a:80/0', 'a:80/0', 'b:80/1', 'c:80/2'])
})

test('each of its tries is a failure of its server, whose pause grows', async () => {
  await using site = servers(({ place }) => (place === 'a:80/0' ? 'busy' : null), { perHost: 1 })
  const items = [0, 1, 2].map((n) => ({ url: `http://a/${n}`, priority: -n }))
  for await (const { representation } of site.client.retrieveAll(items)) await representation?.text()
  const last = site.asked.findLast(({ place }) => place === 'a:80/0')
  const next = site.asked.find(({ place }) => place === 'a:80/1')
  // The fourth pause is 4 s, or down to half of that.
  expect((next?.time ?? 0) - (last?.time ?? 0)).toBeGreaterThanOrEqual(2000)
})

test('a redirect counts for the host that it leads to', async () => {
  await using site = servers(({ place }) => (place.startsWith('x') ? null : { redirect: 'http://x/' }), { perHost: 2 })
  const urls = Array.from({ length: 40 }, (_, n) => `http://h${n}/`)
  expect(await all(site.client, urls)).toEqual({ came: 40, failed: [] })
  expect(site.most.get('x')).toBe(2)
})

test('a server that is gone for two seconds costs no URL', async () => {
  await using site = servers(({ time }) => (time > 300 && time < 2300 ? 'refused' : null))
  expect(await all(site.client, urlsOf('a', 1500))).toEqual({ came: 1500, failed: [] })
  // Those that were under way, and some that ask one at a time.
  expect(site.asked.length).toBeLessThan(1500 + 4 + 8)
})

test.each([1, 2])('a server that takes %i at a time costs no URL, and is soon asked for no more', async (limit) => {
  let refused = 0
  const answer: Answer = ({ running }) => {
    if (running <= limit) return null
    refused++
    return 'full'
  }
  await using site = servers(answer, { perHost: 6 })
  expect(await all(site.client, urlsOf('a', 2000))).toEqual({ came: 2000, failed: [] })
  // Most of them before the first are tried again, after a second.
  expect(refused).toBeLessThan(1000)
})

test.each(['busy', 'full'] as const)(
  'a server that refuses every fourth URL at first (%s) is not asked for less',
  async (said) => {
    let count = 0
    await using site = servers(({ tries }) => (tries === 1 && count++ % 4 === 0 ? said : null), { perHost: 6 })
    expect(await all(site.client, urlsOf('a', 2000))).toEqual({ came: 2000, failed: [] })
    expect(site.asked.at(-1)?.time).toBeLessThan(6000)
  },
)

test('URLs that fail each time do not slow the others down', async () => {
  await using site = servers(({ place }) => (/[05]$/.test(place) ? 'full' : null))
  expect((await all(site.client, urlsOf('a', 1000))).came).toBe(800)
  // 200 URLs for each of four places, 5 ms each, and less than a second for those that fail.
  expect(site.asked.findLast(({ place }) => !/[05]$/.test(place))?.time).toBeLessThan(3000)
})

test('when a server asks for four seconds, its host gets no request within them', async () => {
  await using site = servers(({ time }) => (time > 300 && time < 4300 ? 4300 - time : null))
  expect(await all(site.client, urlsOf('a', 500))).toEqual({ came: 500, failed: [] })
  expect(site.asked.filter(({ time }) => time > 310 && time < 4300)).toEqual([])
})

test('the other port of a host, and other hosts, go on', async () => {
  await using site = servers(({ place, time }) => (place.startsWith('a:80/') && time < 5000 ? 10_000 : null))
  await all(site.client, [...urlsOf('a', 20), ...urlsOf('a:81', 20), ...urlsOf('b', 20)])
  const before = site.asked.filter(({ time }) => time < 1000).map(({ place }) => place.split('/')[0])
  expect(before.filter((place) => place === 'a:81').length).toBe(20)
  expect(before.filter((place) => place === 'b:80').length).toBe(20)
})

test('a silent server is given up after further tries one at a time, and the rest fails at once', async () => {
  await using site = servers(() => 'silent')
  const { came, failed } = await all(site.client, urlsOf('a', 100))
  expect([came, failed.length, site.asked.length]).toEqual([0, 100, 7])
  const reason = 'Not asked. The last 4 URLs tried of a:80 failed in the last 18\\d s. The error was: Silence.'
  expect(failed.filter((message) => new RegExp(`^http://a/\\d+: ${reason}$`).test(message)).length).toBe(93)
  expect(failed.filter((message) => message.includes('Not asked again.')).length).toBe(7)
})

test.each([1, 2, 4, 60])('a place that others have for 50 s is waited for by %i URLs', async (count) => {
  await using site = servers(({ time }) => (time < 50_000 ? 'taken' : null))
  expect(await all(site.client, urlsOf('a', count))).toEqual({ came: count, failed: [] })
  // At first those that began together; then one at a time, with pauses up to 8 s.
  expect(site.asked.filter(({ time }) => time < 50_000).length).toBeLessThan(4 + 16)
  expect(site.asked.findIndex(({ time }) => time > 60_000)).toBe(-1)
})

test.each([1, 2, 4, 60])('a server whose places others keep is given up within two minutes: %i URLs', async (count) => {
  await using site = servers(() => 'taken')
  const { came, failed } = await all(site.client, urlsOf('a', count))
  expect([came, failed.length]).toEqual([0, count])
  expect(site.asked.at(-1)?.time).toBeGreaterThan(55_000)
  expect(site.asked.at(-1)?.time).toBeLessThan(120_000)
})

test('the error of a URL that is not asked for has the advice of the last one', async () => {
  const fetcher = fakeHttp(async (_, { error }) => {
    const advice = { option: 'limits.connectTimeout' } as const
    throw error('timeout', 'Raise `limits.connectTimeout`.', { phase: 'connect', transient: true, advice })
  })
  await using client = createClient({ fetchers: [fetcher] })
  for await (const { error } of client.retrieveAll(urlsOf('a', 10))) {
    expect(error?.message).toContain('Raise `limits.connectTimeout`.')
    expect(error?.advice).toEqual({ option: 'limits.connectTimeout' })
  }
})

test('a host that was given up is asked again later, by one URL', async () => {
  await using site = servers(({ time }) => (time < 300_000 ? 'silent' : null))
  expect((await all(site.client, urlsOf('a', 20))).came).toBe(0)
  vi.advanceTimersByTime(400_000)
  const before = site.asked.length
  expect(await all(site.client, urlsOf('a', 20))).toEqual({ came: 20, failed: [] })
  const [first, second] = site.asked.slice(before)
  expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(5)
})

test('a host that was given up is not forgotten among many others', async () => {
  await using site = servers(({ place }) => (place.startsWith('a:80/') ? 3_600_000 : null))
  await all(site.client, ['http://a/0'])
  // Another port of it is well.
  await all(site.client, ['http://a:8080/'])
  const others = Array.from({ length: 1200 }, (_, n) => `http://h${n}/`)
  expect(await all(site.client, others)).toEqual({ came: 1200, failed: [] })
  const { failed } = await all(site.client, ['http://a/1'])
  expect(failed).toEqual([expect.stringMatching(/^http:\/\/a\/1: Not asked\. /)])
  expect(site.asked.filter(({ place }) => place.startsWith('a:80/'))).toHaveLength(1)
})

test.each([
  ['of a URL that is tried once', { maxRetryDelay: 1 }, 3_600_000],
  ['of one that is tried again and again', { maxRetries: 2 }, 'busy'],
] as const)('the error %s tells the state of its server until that is well', async (_name, limits, trouble) => {
  let isWell = false
  await using site = servers(() => (isWell ? null : trouble), { limits })
  const errors: unknown[] = []
  for await (const { error } of site.client.retrieveAll(['http://a/0'])) errors.push(error)
  expect(errors.map(serverStateOf)).toEqual([
    expect.objectContaining({ host: 'a', port: 80, until: expect.any(Date), failed: 1 }),
  ])
  isWell = true
  await new Promise((resolve) => setTimeout(resolve, 3_600_000))
  expect(errors.map(serverStateOf)).toEqual([null])
  for (const other of [null, undefined, 'a text', new Error('another')]) expect(serverStateOf(other)).toBe(null)
})

test('with giveUpHosts false, all wait for a host however long it takes', async () => {
  await using site = servers(({ time }) => (time < 3_600_000 ? 'busy' : null), { giveUpHosts: false })
  expect(await all(site.client, urlsOf('a', 50))).toEqual({ came: 50, failed: [] })
  // The pauses grow up to limits.maxRetryDelay.
  expect(site.asked.length).toBeLessThan(50 + 4 + 60)
})

test('R43: one URL that always fails stops none of the others', async () => {
  await using site = servers(({ place }) => (place === 'a:80/0' ? 'busy' : null), { perHost: 1 })
  const { came, failed } = await all(site.client, urlsOf('a', 50))
  expect([came, failed]).toEqual([49, ['http://a/0: Busy. (It was tried 4 times; 0 octets of the body came.)']])
})

test.each<[isKnown: boolean, ErrorCode, Phase, tries: number]>([
  [true, 'connect-failed', 'connect', 2],
  [false, 'connect-failed', 'connect', 1],
  [true, 'connect-failed', 'tls', 1],
  [true, 'certificate', 'connect', 1],
])('a server that has answered (%s) and then fails by %s in the phase %s is asked %i times', async (...row) => {
  const [isKnown, code, phase, tries] = row
  const asked: string[] = []
  const fetcher = fakeHttp(({ target }, { error }) => {
    asked.push(target)
    if (target === '/1' && asked.filter((each) => each === '/1').length === 1) throw error(code, 'No.', { phase })
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [fetcher], perHost: 1 })
  const { came } = await all(client, isKnown ? ['http://a/0', 'http://a/1'] : ['http://a/1'])
  expect(asked.filter((each) => each === '/1')).toHaveLength(tries)
  expect(came).toBe(tries - 1 + Number(isKnown))
})

test('with giveUpHosts false, the event of a further try tells for how long it waits', async () => {
  const delays: number[] = []
  await using site = servers(({ tries }) => (tries === 1 ? 3000 : null), {
    giveUpHosts: false,
    onEvent: (event) => event.type === 'retried' && delays.push(event.delay),
  })
  expect(await all(site.client, ['http://a/'])).toEqual({ came: 1, failed: [] })
  expect(delays).toEqual([3000])
})

test('12,000 URLs of a server that is given up fail, and none of them counts as one that waits', async () => {
  await using site = servers(() => 'busy')
  function* list(): Generator<string> {
    yield* urlsOf('a', 12_000)
  }
  let failed = 0
  for await (const { error } of site.client.retrieveAll(list())) if (error !== null) failed++
  expect(failed).toBe(12_000)
})

test('with giveUpHosts false, such a URL is not asked for without a pause', async () => {
  await using site = servers(({ place, time }) => (place === 'a:80/0' && time < 2000 ? 'busy' : null), {
    giveUpHosts: false,
  })
  expect(await all(site.client, urlsOf('a', 1500))).toEqual({ came: 1500, failed: [] })
  expect(site.asked.filter(({ place }) => place === 'a:80/0').length).toBeLessThan(10)
})

test('without retries nobody waits for a host', async () => {
  await using site = servers(() => 'busy', { limits: { maxRetries: 0 } })
  expect((await all(site.client, urlsOf('a', 20))).failed).toHaveLength(20)
  expect(site.asked).toHaveLength(20)
})

test('a server that wants an hour is given up at once', async () => {
  await using site = servers(() => 3_600_000)
  const { failed } = await all(site.client, urlsOf('a', 50))
  expect([failed.length, site.asked.length]).toEqual([50, 4])
})

test('a server that asks for 119 s before each answer gets them', async () => {
  const answers = { count: 0 }
  await using site = servers(() => (answers.count++ % 2 === 0 ? 119_000 : null), { perHost: 1 })
  expect(await all(site.client, urlsOf('a', 20))).toEqual({ came: 20, failed: [] })
  for (const [at, { time }] of site.asked.entries()) {
    if (at % 2 === 1) expect(time - (site.asked[at - 1]?.time ?? 0)).toBeGreaterThanOrEqual(119_000)
  }
})

test('such a server is in trouble all the while, so limits.maxRetryTime gives it up', async () => {
  const answers = { count: 0 }
  await using site = servers(() => (answers.count++ % 2 === 0 ? 119_000 : null), {
    perHost: 1,
    limits: { maxRetryTime: 600_000 },
  })
  const { came, failed } = await all(site.client, urlsOf('a', 20))
  expect([came, failed.length]).toEqual([6, 14])
  const reason = 'The last URL of a:80 failed just now; it has been in trouble for 596 s. The error was: Wait.'
  expect(failed.filter((message) => message.includes(reason))).toHaveLength(14)
})

test('the signal of a URL that waits for its host ends it alone', async () => {
  await using site = servers(({ time }) => (time < 10_000 ? 10_000 - time : null), { perHost: 1 })
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 2000)
  const items = ['http://a/0', 'http://a/1'].map((url, n) => ({
    url,
    ...(n === 0 && { options: { signal: abort.signal } }),
  }))
  const codes: unknown[] = []
  for await (const { index, error, representation } of site.client.retrieveAll(items)) {
    codes[index] = error?.code ?? (await representation?.text())
  }
  expect(codes).toEqual(['aborted', 'x'])
})
