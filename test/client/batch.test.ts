import { createClient, type Representation } from '@retriever/fetchers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

function* counted(url: (n: number) => string, count: number, read: { count: number }): Generator<string> {
  for (let n = 0; n < count; n++) {
    read.count++
    yield url(n)
  }
}

test('a list is read as places become free, at most one URL ahead', async () => {
  const read = { count: 0 }
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('x')))], concurrency: 3 })
  let seen = 0
  for await (const { representation } of client.retrieveAll(counted((n) => `http://h${n}/`, 1_000_000, read))) {
    await new Promise((resolve) => setImmediate(resolve))
    // The one given out, whose small body no longer holds a place; three places; one ahead.
    expect(read.count).toBeLessThanOrEqual(seen + 5)
    await representation?.text()
    if (++seen === 50) break
  }
  expect(seen).toBe(50)
})

test('URLs of a host that has all its places do not hold up those of others', async () => {
  const read = { count: 0 }
  await using client = createClient({
    fetchers: [fakeHttp(({ host }) => retrieved(host === 'full' ? endless().body : chunks('x')))],
    perHost: 1,
    concurrency: 2,
  })
  const kept: Representation[] = []
  const urls = counted((n) => `http://${n % 10 === 0 ? 'other' : 'full'}/${n}`, 500, read)
  let others = 0
  for await (const { url, representation } of client.retrieveAll(urls, { keep: true })) {
    if (representation === null) continue
    if (url.includes('full')) kept.push(representation)
    else others += (await representation.text()).length
    if (others === 50) break
  }
  expect([others, kept.length]).toEqual([50, 1])
})

test.each([
  ['one host', 1],
  ['all hosts together', 10],
])('of %s, 10,000 URLs wait and no more', async (_name, hosts) => {
  // No time passes, after which an unread body would give its place to one of them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = { count: 0 }
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], perHost: 1 })
  const list = counted((n) => `http://h${n % hosts}/${n}`, 50_000, read)
  for await (const { representation } of client.retrieveAll(list)) {
    await expect.poll(() => read.count, { timeout: 30_000 }).toBe(hosts + 10_000)
    await representation?.cancel()
    break
  }
})

test('an error of the caller’s own list comes out of the loop, and what runs is aborted', async () => {
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))] })
  function* broken(): Generator<string> {
    yield 'http://h/1'
    throw new Error('The list broke.')
  }
  const kept: (Representation | null)[] = []
  const all = async (): Promise<void> => {
    for await (const { representation } of client.retrieveAll(broken())) kept.push(representation)
  }
  await expect(all()).rejects.toThrow('The list broke.')
})
