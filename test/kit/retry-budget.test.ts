/** limits.maxRetries is one budget for a retrieval, of whatever mechanism, which substantial progress alone renews. */
import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startFtpServer, startNntpServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { part, reply } from '../protocols/http/support/http-answers.ts'
import { type Asked, type Reply, scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { expectSame } from '../support/octets.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const megabyte = 1024 * 1024
const etag = '"a"'
const large = Buffer.alloc(6 * megabyte, 'large\n')

interface Result {
  readonly received: Buffer
  readonly error: { readonly code: string; readonly message: string } | null
  readonly delays: readonly number[]
}

/** One retrieval and all that comes of it, on a clock that passes over each wait at once. */
async function retrieve(url: string, limits: ClientOptions['limits'] = {}): Promise<Result> {
  const delays: number[] = []
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type !== 'retried') return
    delays.push(event.delay)
    setImmediate(() => vi.advanceTimersByTime(event.delay))
  }
  await using client = createClient({ limits: { ...limits, idleTimeout: Number.POSITIVE_INFINITY }, onEvent })
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of await client.retrieve(url)) chunks.push(chunk)
    return { received: Buffer.concat(chunks), error: null, delays }
  } catch (error) {
    return { received: Buffer.concat(chunks), error: error as NonNullable<Result['error']>, delays }
  }
}

/** The answers of an HTTP server that ends each connection after so many octets of the body. */
function cutAfter(octets: number): (asked: Asked) => Reply {
  return (asked) => {
    const fields = { ETag: etag, 'Accept-Ranges': 'bytes' }
    const whole = asked.fields.range === undefined ? reply(200, fields, large) : part(asked, large, fields)
    return { octets: whole.subarray(0, whole.indexOf('\r\n\r\n') + 4 + octets), end: 'fin' }
  }
}

describe('a server that cuts each 6000 octets is given up after limits.maxRetries further tries', () => {
  test.each([0, 1, 3])('HTTP, %i', async (maxRetries) => {
    await using server = await scriptedHttp(cutAfter(6000))
    const { received, error, delays } = await retrieve(server.url, { maxRetries })
    expect(error).toMatchObject({ code: 'partial' })
    expect(server.asked).toHaveLength(maxRetries + 1)
    expect(delays).toHaveLength(maxRetries)
    expectSame(received, large.subarray(0, 6000 * (maxRetries + 1)))
    const told = `tried ${maxRetries + 1} times; ${received.length} octets of the body came`
    expect(error?.message.includes(told)).toBe(maxRetries > 0)
  })

  test.each([0, 1, 3])('FTP, %i', async (maxRetries) => {
    await using server = await startFtpServer({ files: { '/large': large }, faults: { cutAfter: 6000 } })
    const { received, error, delays } = await retrieve(`${server.url}large`, { maxRetries })
    expect(error).toMatchObject({ code: 'partial' })
    expect(server.accepted).toBe(maxRetries + 1)
    expect(delays).toHaveLength(maxRetries)
    expectSame(received, large.subarray(0, received.length))
    const told = `tried ${maxRetries + 1} times; ${received.length} octets of the body came`
    expect(error?.message.includes(told)).toBe(maxRetries > 0)
  })

  test.each([0, 1, 3])('News, %i', async (maxRetries) => {
    await using server = await startNntpServer({ articles: 2, faults: { cutAfter: 60 } })
    const { error, delays } = await retrieve(`${server.url}retriever.many/1`, { maxRetries })
    expect(error).toMatchObject({ code: 'partial' })
    expect(server.received.filter((line) => line.startsWith('ARTICLE'))).toHaveLength(maxRetries + 1)
    expect(delays).toHaveLength(maxRetries)
  })
})

describe('a server that cuts each megabyte is continued, after a wait each time', () => {
  test('HTTP', async () => {
    await using server = await scriptedHttp(cutAfter(megabyte))
    const { received, error, delays } = await retrieve(server.url, { maxRetries: 1 })
    expect(error).toBe(null)
    expectSame(received, large)
    expect(delays).toHaveLength(5)
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(500)
  })

  test('FTP', async () => {
    // Octets asked for again, to compare, are no progress.
    await using server = await startFtpServer({ files: { '/large': large }, faults: { cutAfter: megabyte + 4096 } })
    const { received, error, delays } = await retrieve(`${server.url}large`, { maxRetries: 1 })
    expect(error).toBe(null)
    expectSame(received, large)
    expect(delays.length).toBeGreaterThanOrEqual(5)
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(500)
  })
})

test('the waits of a body that breaks off grow', async () => {
  await using server = await startFtpServer({ files: { '/large': large }, faults: { cutAfter: 6000 } })
  vi.spyOn(Math, 'random').mockReturnValue(0.999_999)
  expect((await retrieve(`${server.url}large`, { maxRetries: 4 })).delays).toEqual([1000, 2000, 4000, 8000])
})

test('what was tried before the body came is of the same budget', async () => {
  await using server = await scriptedHttp((asked) => {
    return asked.index < 2 ? { octets: reply('503', {}, 'no') } : cutAfter(6000)(asked)
  })
  const { error } = await retrieve(server.url, { maxRetries: 3 })
  expect(server.asked).toHaveLength(4)
  expect(error?.message).toContain('It was tried 4 times; 12000 octets of the body came.')
})

test('a server that is down for a while during a body is tried again, although it refuses connections', async () => {
  const server = await scriptedHttp(cutAfter(6000))
  await using client = createClient({
    onEvent: (event) => {
      if (event.type !== 'retried') return
      setImmediate(() => vi.advanceTimersByTime(event.delay))
    },
  })
  const representation = await client.retrieve(server.url)
  await server[Symbol.asyncDispose]()
  const failed = await representation.bytes().catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'partial', message: expect.stringContaining('tried 4 times') })
})
