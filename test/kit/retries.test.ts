/** How long the waits between tries are, which errors are tried again, and what the last error tells about them. */
import { type ErrorCode, RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type Limits, type RetrievalEvent } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { part, reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'
import { fakeHttp } from '../support/fake-fetcher.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Details = ConstructorParameters<typeof RetrievalError>[2]

/** The waits of a retrieval that always fails like this, on a clock that passes over them at once, and its error. */
async function tries(
  code: ErrorCode,
  details: Partial<Details>,
  limits: Partial<Limits> = {},
  options: ClientOptions = {},
) {
  const delays: number[] = []
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type !== 'retried') return
    delays.push(event.delay)
    expect('offset' in event).toBe(false)
    setImmediate(() => vi.advanceTimersByTime(event.delay))
  }
  const http = fakeHttp(({ host }) => {
    throw new RetrievalError(code, 'No.', { phase: 'request', url: `http://${host}/`, ...details })
  })
  const all = { totalTimeout: Number.POSITIVE_INFINITY, ...limits }
  await using client = createClient({ fetchers: [http], onEvent, ...options, limits: all })
  const error = await failure(client.retrieve('http://h.example/'))
  return { delays, error }
}

const transient = { transient: true }

describe('the waits', () => {
  test.each([
    [0, [500, 1000, 2000, 4000]],
    [0.5, [750, 1500, 3000, 5000]],
    [1 - Number.EPSILON, [1000, 2000, 4000, 5000]],
  ])('double, between half of them and all, up to limits.maxRetryDelay: %d', async (random, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const { delays } = await tries('server-refused', transient, { maxRetries: 4, maxRetryDelay: 5000 })
    expect(delays).toEqual(expected)
  })

  test.each([
    [0, 100],
    [99, 100],
    [250, 250],
    [5000, 5000],
    [5001, null],
  ])('are as long as the server asks, %d ms, within bounds', async (retryAfter, expected) => {
    const details = { ...transient, retryAfter }
    const { delays, error } = await tries('server-refused', details, { maxRetries: 1, maxRetryDelay: 5000 })
    expect(delays).toEqual(expected === null ? [] : [expected])
    expect(error.retryAfter).toBe(retryAfter)
  })

  test.each([
    [1000, 2],
    [999, 1],
    [500, 1],
    [499, 0],
  ])('asked for do not go beyond limits.maxRetryTime: %d ms', async (maxRetryTime, count) => {
    const { delays } = await tries('server-refused', { ...transient, retryAfter: 500 }, { maxRetries: 9, maxRetryTime })
    expect(delays).toHaveLength(count)
  })
})

describe('another try', () => {
  test.each<[ErrorCode, Partial<Details>, ClientOptions['retryOn'], number]>([
    ['server-refused', transient, 'transient', 2],
    ['server-refused', {}, 'transient', 0],
    ['server-refused', {}, 'refused-connection', 0],
    ['server-refused', {}, 'any-error', 2],
    ['server-refused', { phase: 'save' }, 'any-error', 0],
    ['server-refused', { phase: 'policy' }, 'any-error', 0],
    ['server-refused', { phase: 'resolve' }, 'any-error', 0],
    ['connect-failed', {}, 'transient', 0],
    ['connect-failed', {}, 'refused-connection', 2],
    ['connect-failed', {}, 'any-error', 2],
    ['not-modified', {}, 'any-error', 0],
    ['handoff', {}, 'any-error', 0],
    ['limit-exceeded', {}, 'any-error', 0],
    ['refused', {}, 'any-error', 0],
    ['aborted', {}, 'any-error', 0],
  ])('after %s %j by %s: %i', async (code, details, retryOn = 'transient', count) => {
    const { delays, error } = await tries(code, details, { maxRetries: 2, retryDelay: 5 }, { retryOn })
    expect(delays).toHaveLength(count)
    expect(error.code).toBe(code)
    const told = / \(It was tried 3 times; 0 octets of the body came\.\)$/.test(error.message)
    expect(told).toBe(count > 0)
  })

  test('is none if none is allowed', async () => {
    expect((await tries('server-refused', transient, { maxRetries: 0 })).error.message).toBe('No.')
    expect((await tries('server-refused', transient, { maxRetryTime: 0 })).delays).toEqual([])
  })
})

test('a body that breaks off goes on where it ended, and the last error counts its octets', async () => {
  const told: unknown[] = []
  const fields = { ETag: '"a"', 'Accept-Ranges': 'bytes' }
  await using server = await scriptedHttp((asked) => {
    const { range } = asked.fields
    const whole = range === undefined ? reply(200, fields, 'abc') : part(asked, 'abc', fields)
    // The head, and one octet of the body for the first request alone.
    return { octets: whole.subarray(0, whole.indexOf('\r\n\r\n') + 4 + (asked.index === 0 ? 1 : 0)), end: 'fin' }
  })
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type !== 'retried') return
    told.push('offset' in event ? event.offset : null)
    setImmediate(() => vi.advanceTimersByTime(event.delay))
  }
  await using client = createClient({ onEvent, limits: { maxRetries: 2, idleTimeout: Number.POSITIVE_INFINITY } })
  const error = await failure((await client.retrieve(server.url)).bytes())
  expect(error.message).toMatch(/ \(It was tried 3 times; 1 octet of the body came\.\)$/)
  expect(told).toEqual([1, 1])
})
