/** Servers that ask a batch for fewer requests, and do not say for how long. */
import { createClient } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { random } from '../support/random.ts'

// The clock goes on to the next timer as soon as nothing else is left to do.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const answers = { 'HTTP 429': { status: 429 }, 'Gemini 44': { reply: '44 slow down' } } as const

/** Asks a server for 60 URLs; each request is turned away if `isFull`. */
async function outcomeOf(kind: keyof typeof answers, seed: number, isFull: (next: () => number) => boolean) {
  const next = random(seed)
  vi.spyOn(Math, 'random').mockImplementation(random(seed + 1000))
  let asked = 0
  const fetcher = fakeHttp(async (_, { error }) => {
    asked++
    const isTurnedAway = isFull(next)
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (!isTurnedAway) return retrieved(chunks('x'))
    throw error('server-refused', 'Slow down.', { phase: 'request', transient: true, ...answers[kind] })
  })
  await using client = createClient({ fetchers: [fetcher] })
  const start = performance.now()
  let failed = 0
  const urls = Array.from({ length: 60 }, (_, n) => `http://a/${n}`)
  for await (const { error } of client.mapAll(urls, (each) => each.text())) if (error !== null) failed++
  return { failed, asked, seconds: (performance.now() - start) / 1000 }
}

test.each(['HTTP 429', 'Gemini 44'] as const)(
  'one that turns three of ten away at random costs no URL: %s',
  async (kind) => {
    for (let seed = 1; seed <= 12; seed++) {
      expect(await outcomeOf(kind, seed, (next) => next() < 0.3)).toMatchObject({ failed: 0 })
    }
  },
)

test.each(['HTTP 429', 'Gemini 44'] as const)(
  'one that answers nothing else is given up within two minutes: %s',
  async (kind) => {
    const { failed, asked, seconds } = await outcomeOf(kind, 1, () => true)
    expect(failed).toBe(60)
    // Those that were under way, and some that ask one at a time.
    expect(asked).toBeLessThan(4 + 8)
    expect(seconds).toBeLessThan(120)
  },
)
