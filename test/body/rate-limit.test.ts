/** limits.maxRate: a body comes in pieces, each once its time has come, and its source waits meanwhile. */
import { createClient } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { fakeHttp, retrieved } from '../support/fake-fetcher.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** The pieces of a body of these chunks, the time when each came, and how many chunks had been read by then. */
async function read(maxRate: number, chunks: readonly number[]) {
  let taken = 0
  async function* body() {
    for (const length of chunks) {
      taken++
      yield new Uint8Array(length)
    }
  }
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(body()))], limits: { maxRate } })
  const source = await client.retrieve('http://h/')
  const began = performance.now()
  const pieces: [octets: number, time: number, taken: number][] = []
  const clock = setInterval(() => vi.advanceTimersByTime(1), 0)
  try {
    for await (const piece of source) pieces.push([piece.length, Math.round(performance.now() - began), taken])
  } finally {
    clearInterval(clock)
  }
  return pieces
}

describe('limits.maxRate', () => {
  test('gives a chunk in pieces for a tenth of a second each, and reads the next one after the last of them', async () => {
    const pieces = await read(1000, [250, 100])
    expect(pieces.map(([octets]) => octets)).toEqual([100, 100, 50, 100])
    expect(pieces.map(([, , taken]) => taken)).toEqual([1, 1, 1, 2])
    const last = pieces.at(-1)?.[1] ?? 0
    expect(last).toBeGreaterThanOrEqual(350)
    expect(last).toBeLessThanOrEqual(360)
  })

  test('leaves chunks as they are where they are small enough', async () => {
    expect((await read(1_000_000, [250, 100])).map(([octets, time]) => [octets, time])).toEqual([
      [250, 0],
      [100, 0],
    ])
  })

  test('ends with the retrieval, in the middle of a wait', async () => {
    const controller = new AbortController()
    async function* body() {
      yield new Uint8Array(1000)
    }
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(body()))], limits: { maxRate: 1 } })
    const text = failure(client.retrieve('http://h/', { signal: controller.signal }).then((found) => found.text()))
    setImmediate(() => controller.abort())
    expect(await text).toMatchObject({ code: 'aborted', phase: 'body' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([0, -1, Number.NaN, '1'])('%j is refused', (maxRate) => {
    expect(() => createClient({ limits: { maxRate: maxRate as number } })).toThrow(/limits\.maxRate` to be a number/)
  })
})
