/** Servers that are in trouble while a tree is walked or mirrored: what that costs, and whom it delays. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, type ClientOptions, createClient, type MirrorOptions } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { entryOf } from '../support/fake-tree.ts'

let folder = ''
// The clock goes on to the next timer as soon as nothing else is left to do.
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trouble-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

interface Asked {
  readonly target: string
  readonly time: number
}
/** What goes wrong: refused connections, silence, or 429 with so many milliseconds to wait; null: nothing. */
type Trouble = 'refused' | 'silent' | number | null

/** A server of ten folders of twenty files each that answers after 5 ms. */
function serverOf(answer: (asked: Asked) => Trouble, options: ClientOptions = {}) {
  const asked: Asked[] = []
  const start = performance.now()
  const counts = { running: 0, most: 0 }
  const fetcher = fakeHttp(async ({ target }, { error, url }) => {
    const request = { target, time: performance.now() - start }
    asked.push(request)
    counts.most = Math.max(counts.most, ++counts.running)
    const said = answer(request)
    await new Promise((resolve) => setTimeout(resolve, said === 'silent' ? 60_000 : 5))
    counts.running--
    if (said === 'refused') throw error('connect-failed', 'Refused.', { phase: 'connect' })
    if (said === 'silent') throw error('timeout', 'Silence.', { phase: 'request', transient: true })
    if (said !== null)
      throw error('http-error', 'Wait.', { phase: 'request', status: 429, transient: true, retryAfter: said })
    if (!target.endsWith('/')) return retrieved(chunks('x'), { size: 1 })
    const names = target === '/' ? numbered(10, '/') : numbered(20)
    async function* entries() {
      for (const name of names) yield entryOf(name, url)
    }
    return retrieved(chunks('listing'), { kind: 'listing', entries })
  })
  const client = createClient({ fetchers: [fetcher], ...options })
  return { client, asked, counts, [Symbol.asyncDispose]: () => client.close() }
}

function numbered(count: number, end = ''): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${number}${end}`)
}

async function mirrored(client: Client, options: MirrorOptions = {}) {
  const { saved, failures } = await client.mirror('http://h/', folder, options)
  return { saved, failed: failures.map(({ error }) => error.message) }
}

test('a server that is gone for two seconds costs a mirror no file and no folder', async () => {
  await using site = serverOf(({ time }) => (time > 40 && time < 2040 ? 'refused' : null))
  expect(await mirrored(site.client)).toEqual({ saved: 200, failed: [] })
  // Those that were under way, and some that ask one at a time.
  expect(site.asked.length).toBeLessThan(211 + 4 + 8)
})

test('when a server asks for four seconds, a mirror asks nothing within them', async () => {
  await using site = serverOf(({ time }) => (time > 40 && time < 4040 ? 4040 - time : null))
  expect(await mirrored(site.client)).toEqual({ saved: 200, failed: [] })
  expect(site.asked.filter(({ time }) => time > 50 && time < 4040)).toEqual([])
})

test('a server that falls silent is given up, and the other files and folders fail at once', async () => {
  await using site = serverOf(({ time }) => (time > 40 ? 'silent' : null))
  const { saved, failed } = await mirrored(site.client)
  const before = site.asked.filter(({ time }) => time <= 40).length
  expect(saved).toBeLessThan(before)
  // Those that were under way, and some that ask one at a time.
  expect(site.asked.length - before).toBeLessThan(20)
  const reason = /Not asked\. The last 4 URLs tried of h:80 failed in the last \d+ s\. The error was: Silence\.$/
  expect(failed.filter((message) => reason.test(message)).length).toBeGreaterThan(10)
})

test('a walk and a batch of one client share the places and the pauses of a host', async () => {
  await using site = serverOf(({ time }) => (time > 40 && time < 4040 ? 4040 - time : null), { perHost: 2 })
  const walk = async (): Promise<number> => {
    let entries = 0
    for await (const { error } of site.client.walk('http://h/')) entries += Number(error === null)
    return entries
  }
  const batch = async (): Promise<number> => {
    let came = 0
    const urls = numbered(50).map((number) => `http://h/${number}`)
    for await (const { value } of site.client.mapAll(urls, (each) => each.text())) came += Number(value === 'x')
    return came
  }
  expect(await Promise.all([walk(), batch()])).toEqual([210, 50])
  expect(site.counts.most).toBe(2)
  expect(site.asked.filter(({ time }) => time > 50 && time < 4040)).toEqual([])
})

test('a mirror has as many places as its `concurrency` says, within what the client allows', async () => {
  await using wide = serverOf(() => null)
  await mirrored(wide.client, { concurrency: 9 })
  expect(wide.counts.most).toBe(9)
  await using narrow = serverOf(() => null, { perHost: 3 })
  await mirrored(narrow.client, { concurrency: 9 })
  expect(narrow.counts.most).toBe(3)
})

test.each(['signal', 'close'] as const)('a mirror that waits for its server ends at once by %s', async (end) => {
  await using site = serverOf(({ time }) => (time > 40 ? 100_000 : null))
  const stop = new AbortController()
  const start = performance.now()
  setTimeout(() => (end === 'signal' ? stop.abort() : void site.client.close()), 1000)
  const { code } = await failure(mirrored(site.client, { signal: stop.signal }))
  expect([code, performance.now() - start < 2000]).toEqual(['aborted', true])
})
