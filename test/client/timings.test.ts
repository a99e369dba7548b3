import { createClient, type Representation, type Timings } from '@retriever/fetchers'
import { startServers, testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** The steps that there were, in the order of their times. */
function steps({ startTime: _, ...times }: Timings): string[] {
  const taken = Object.entries(times).flatMap(([step, time]) => (time === null ? [] : [{ step, time }]))
  return taken.sort((one, other) => one.time - other.time).map(({ step }) => step)
}

async function read(representation: Representation): Promise<Timings> {
  expect(representation.timings.ended).toBeNull()
  await representation.bytes()
  const { startTime, ...times } = representation.timings
  const most = performance.now() - startTime
  expect(Object.values(times).every((time) => time === null || (time >= 0 && time <= most))).toBe(true)
  return representation.timings
}

const kinds = [
  { protocol: 'http', tls: false, path: 'pub/hello.txt', keeps: true },
  { protocol: 'http', tls: true, path: 'pub/hello.txt', keeps: true },
  { protocol: 'ftp', tls: false, path: 'pub/hello.txt', keeps: true },
  { protocol: 'ftp', tls: true, path: 'pub/hello.txt', keeps: true },
  { protocol: 'gopher', tls: false, path: '1/', keeps: false },
  { protocol: 'nntp', tls: false, path: '', keeps: true },
] as const

test.each(kinds)('$protocol, TLS: $tls', async ({ protocol, tls, path, keeps }) => {
  await using servers = await startServers({ [protocol]: { tls } })
  const { port } = servers[protocol]
  const scheme = tls ? `${protocol}s` : protocol
  const url = `${scheme}://localhost:${port}/${path}`
  await using client = createClient({ tls: { ca: testCa }, addresses: { [`localhost:${port}`]: ['127.0.0.1'] } })
  const before = performance.now()
  const fresh = await read(await client.retrieve(url))
  const opening = ['lookedUp', 'connected', ...(tls ? ['secured'] : [])]
  const exchange = ['requested', 'responded', 'ended']
  expect(steps(fresh)).toEqual([...opening, ...exchange])
  expect(fresh.startTime).toBeGreaterThanOrEqual(before)
  // A connection that was kept: nothing is looked up, connected or secured.
  const again = await read(await client.retrieve(url))
  expect(steps(again)).toEqual(keeps ? exchange : [...opening, ...exchange])
})

test('the steps are those of the last try of the last hop', async () => {
  let tries = 0
  await using client = createClient({
    limits: { maxRetryDelay: 1 },
    fetchers: [
      fakeHttp(({ target }, { stopwatch, error }) => {
        if (target === '/from') {
          stopwatch?.mark('connected')
          return { outcome: 'redirect', location: '/to', status: 302 }
        }
        if (++tries === 1) {
          stopwatch?.mark('secured')
          throw error('server-refused', 'Later.', { transient: true })
        }
        return retrieved(chunks('a'))
      }),
    ],
  })
  const timings = await read(await client.retrieve('http://h/from'))
  expect(steps(timings)).toEqual(['redirected', 'retried', 'responded', 'ended'])
})

test('they go with the event of the end, also of a failure', async () => {
  const told: Timings[] = []
  await using client = createClient({
    fetchers: [
      fakeHttp((_, { error }) => {
        throw error('not-found', 'No.')
      }),
    ],
    onEvent: (event) => {
      if (event.type === 'done') told.push(event.timings)
    },
  })
  await client.retrieve('http://h/').catch(() => {})
  expect(told.map(steps)).toEqual([['ended']])
})
