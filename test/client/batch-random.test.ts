/**
 * Batches and a walk of one client at servers that refuse, ask to wait, fall silent, redirect, and break bodies off at
 * random: each URL has one outcome, whole bodies are whole, and the caps hold.
 */
import { type Client, createClient } from '@retriever/fetchers'
import type { RetrievalContext } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Portion, ResumingSource } from '../../packages/fetchers/src/wire/resuming-source.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { entryOf } from '../support/fake-tree.ts'
import { random } from '../support/random.ts'
import { runs } from '../support/runs.ts'

// The clock goes on to the next timer as soon as nothing else is left to do.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => void vi.useRealTimers())

const seeds = Array.from({ length: runs(400) }, (_, number) => number + 1)

const body = 'xyz'

/** Counts the requests that are under way. */
class Load {
  readonly most = new Map<string, number>()
  readonly #running = new Map<string, number>()

  /** The function returned ends the request. */
  begin(host: string, { deadline }: RetrievalContext): () => void {
    this.#change(host, 1)
    let isOver = false
    const end = (): void => {
      if (!isOver) this.#change(host, -1)
      isOver = true
    }
    deadline.onAbort(end)
    return end
  }

  #change(host: string, by: number): void {
    for (const name of [host, 'all']) {
      const now = (this.#running.get(name) ?? 0) + by
      this.#running.set(name, now)
      this.most.set(name, Math.max(this.most.get(name) ?? 0, now))
    }
  }
}

function serversOf(next: () => number, load: Load) {
  const [failures, breaks] = [next() * 0.3, next() * 0.3]
  const sleep = (most: number) => new Promise((resolve) => setTimeout(resolve, next() * most))
  const failure = ({ error }: RetrievalContext): Error => {
    const kinds = [
      () => error('connect-failed', 'Refused.', { phase: 'connect' }),
      () => error('http-error', 'Busy.', { phase: 'request', status: 503, transient: true }),
      () => error('http-error', 'Wait.', { phase: 'request', status: 429, transient: true, retryAfter: next() * 5000 }),
      () => error('timeout', 'Silence.', { phase: 'request', transient: true }),
      () => error('not-found', 'None.', { phase: 'request', status: 404 }),
    ]
    return kinds[Math.floor(next() * kinds.length)]?.() ?? new Error('no kind')
  }
  const ask = async (host: string, context: RetrievalContext): Promise<() => void> => {
    const end = load.begin(host, context)
    await sleep(20)
    if (next() >= failures) return end
    end()
    throw failure(context)
  }
  const portion = (from: number, end: () => void, { error }: RetrievalContext): Portion => {
    let at = from
    const read = async (): Promise<Uint8Array | null> => {
      await sleep(10)
      const isCut = next() < breaks / 3
      if (isCut || at === body.length) end()
      if (isCut) throw error('partial', 'Cut.', { phase: 'body', transient: true })
      return at === body.length ? null : Buffer.from(body[at++] ?? '')
    }
    return { octets: { read, cancel: async () => end() } }
  }
  return fakeHttp(async ({ host, target }, context) => {
    const end = await ask(host, context)
    const isRedirect = next() < 0.05
    if (isRedirect || target.endsWith('/')) end()
    if (isRedirect) return { outcome: 'redirect', location: `http://${hostBy(next)}/r`, status: 302 }
    if (target.endsWith('/')) {
      const names = ['1', '2', '3', ...(target.length < 4 ? ['a/', 'b/'] : [])]
      async function* entries() {
        for (const name of names) yield entryOf(name, context.url)
      }
      return retrieved(chunks('listing'), { kind: 'listing', entries })
    }
    const proof = { ask: async (offset: number) => portion(offset, await ask(host, context), context) }
    return retrieved(new ResumingSource(context, proof, { offset: 0, portion: portion(0, end, context) }))
  })
}

function hostBy(next: () => number): string {
  return `h${Math.floor(next() * 4)}`
}

/** The number of outcomes of a list of URLs, some of which end by their own signals. */
async function outcomesOf(client: Client, count: number, next: () => number): Promise<number> {
  const items = Array.from({ length: count }, (_, number) => {
    const stop = new AbortController()
    if (next() < 0.1) setTimeout(() => stop.abort(), next() * 3000)
    const options = { signal: stop.signal }
    return { url: `http://${hostBy(next)}/${number}`, priority: Math.floor(next() * 2), options }
  })
  let outcomes = 0
  for await (const { value, error } of client.mapAll(items, (each) => each.text())) {
    outcomes++
    if (error === null) expect(value).toBe(body)
  }
  return outcomes
}

async function walked(client: Client): Promise<void> {
  for await (const { error } of client.walk('http://h1/')) if (error !== null) expect(error.code).not.toBe('aborted')
}

test.each(seeds)('seed %i', async (seed) => {
  const next = random(seed * 7919 + 13)
  const load = new Load()
  const [concurrency, perHost] = [1 + Math.floor(next() * 8), 1 + Math.floor(next() * 4)]
  const options = { concurrency, perHost, giveUpHosts: next() < 0.7, limits: { retryDelay: next() < 0.5 ? 0 : 5 } }
  await using client = createClient({ fetchers: [serversOf(next, load)], ...options })
  const walking = walked(client).catch(() => {})
  expect(await Promise.all([outcomesOf(client, 40, next), outcomesOf(client, 25, next)])).toEqual([40, 25])
  await walking
  for (const [name, most] of load.most) expect(most, name).toBeLessThanOrEqual(name === 'all' ? concurrency : perHost)
})
