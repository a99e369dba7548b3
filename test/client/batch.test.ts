import { createClient, type Representation } from '@retriever/fetchers'
import { expect, test } from 'vitest'
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

test('of one host, so many URLs wait and no more', async () => {
  const read = { count: 0 }
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], perHost: 1 })
  for await (const { representation } of client.retrieveAll(counted((n) => `http://h/${n}`, 100_000, read))) {
    await expect.poll(() => read.count, { timeout: 30_000 }).toBe(1 + 10_000)
    await representation?.cancel()
    break
  }
})

test('of all hosts together, so many URLs wait and no more', async () => {
  const read = { count: 0 }
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(endless().body))], perHost: 1 })
  for await (const { representation } of client.retrieveAll(counted((n) => `http://h${n % 10}/${n}`, 50_000, read))) {
    await expect.poll(() => read.count, { timeout: 30_000 }).toBe(10 + 10_000)
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
