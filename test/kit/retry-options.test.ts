/** Which errors are tried again (retryOn), after how long (limits.retryDelay), and until when (limits.maxRetryTime). */
import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { closedPort } from '../support/closed-port.ts'
import { failure } from '../support/failure.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** The waits of one retrieval that fails, on a clock that passes over each of them at once, and its error. */
async function waits(url: string, options: ClientOptions) {
  const delays: number[] = []
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type !== 'retried') return
    delays.push(event.delay)
    setImmediate(() => vi.advanceTimersByTime(event.delay))
  }
  const limits = { connectTimeout: Number.POSITIVE_INFINITY, idleTimeout: Number.POSITIVE_INFINITY }
  await using client = createClient({ ...options, limits: { ...limits, ...options.limits }, onEvent })
  const error = await failure(client.retrieve(url).then((found) => found.bytes()))
  return { delays, code: error.code }
}

const failing = (status: number, fields: Record<string, string> = {}) => scriptedHttp(() => reply(status, fields))

describe('retryOn', () => {
  test.each([
    ['transient', 0],
    ['refused-connection', 3],
    ['any-error', 3],
  ] as const)('%s: a refused connection is tried again %i times', async (retryOn, times) => {
    const { delays, code } = await waits(`http://127.0.0.1:${await closedPort()}/`, {
      retryOn,
      limits: { retryDelay: 5 },
    })
    expect({ delays, code }).toEqual({ delays: Array(times).fill(5), code: 'connect-failed' })
  })

  test.each([
    ['transient', 0],
    ['refused-connection', 0],
    ['any-error', 3],
  ] as const)('%s: a 404 is tried again %i times', async (retryOn, times) => {
    await using server = await failing(404)
    expect(await waits(server.url, { retryOn, limits: { retryDelay: 5 } })).toEqual({
      delays: Array(times).fill(5),
      code: 'not-found',
    })
  })

  test('any-error tries nothing again that the caller has decided', async () => {
    const any = { retryOn: 'any-error' } as const
    await using server = await scriptedHttp(() => reply(200, {}, 'hello'))
    expect(await waits(server.url, { ...any, limits: { maxSize: 1 } })).toEqual({ delays: [], code: 'limit-exceeded' })
    expect(await waits('http://127.0.0.1:6000/', any)).toEqual({ delays: [], code: 'refused' })
  })

  test('of a call takes the place of the one of the client', async () => {
    await using server = await failing(404)
    await using client = createClient({ limits: { maxRetries: 1, retryDelay: 1 } })
    vi.useRealTimers()
    await failure(client.retrieve(server.url, { retryOn: 'any-error' }))
    expect(server.asked).toHaveLength(2)
    await failure(client.retrieve(server.url))
    expect(server.asked).toHaveLength(3)
  })

  test('is one of three words', () => {
    const retryOn = 'never' as 'transient'
    expect(() => createClient({ retryOn })).toThrow(
      'Expected `retryOn` to be one of "transient", "refused-connection", "any-error", got "never" (string).',
    )
  })
})

describe('limits.retryDelay', () => {
  test('is each wait, even beyond maxRetryDelay', async () => {
    await using server = await failing(503)
    const { delays } = await waits(server.url, { limits: { retryDelay: 300_000 } })
    expect(delays).toEqual([300_000, 300_000, 300_000])
  })

  test('gives way to Retry-After', async () => {
    await using server = await failing(503, { 'Retry-After': '7' })
    expect((await waits(server.url, { limits: { retryDelay: 1 } })).delays).toEqual([7000, 7000, 7000])
  })
})

describe('limits.maxRetryTime', () => {
  test('ends the tries once it is over', async () => {
    await using server = await failing(503)
    const { delays } = await waits(server.url, { limits: { maxRetries: 9, retryDelay: 1000, maxRetryTime: 2500 } })
    expect(delays).toEqual([1000, 1000, 1000])
  })

  test('does not wait for a time beyond it that the server names', async () => {
    await using server = await failing(503, { 'Retry-After': '3' })
    expect((await waits(server.url, { limits: { maxRetryTime: 2500 } })).delays).toEqual([])
  })
})
