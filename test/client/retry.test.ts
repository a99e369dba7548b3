import { RetrievalError } from '@retriever/core'
import {
  type ClientOptions,
  createClient,
  defaultLimits,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { reply } from '../protocols/http/support/http-answers.ts'
import { type Asked, type Reply, scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { victim } from '../support/wire/victim.ts'

let questions = 0
let lookupCode = ''
vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    questions++
    throw Object.assign(new Error(`getaddrinfo ${lookupCode}`), { code: lookupCode })
  },
}))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const hello = (): Reply => ({ octets: reply('200', {}, 'hello') })
const failing = (status: string, fields: Record<string, string> = {}): Reply => ({
  octets: reply(status, fields, 'no'),
})

/** The outcome of one retrieval on a clock that skips each wait, and the waits in milliseconds. */
async function retrieve(answer: (asked: Asked) => Reply, settings: ClientOptions = {}, options: RetrieveOptions = {}) {
  await using server = await scriptedHttp(answer)
  return {
    ...(await outcomeOf(server.url, settings, options)),
    asked: server.asked.map(({ target }) => target),
  }
}

async function outcomeOf(url: string, settings: ClientOptions = {}, options: RetrieveOptions = {}) {
  const retried: Extract<RetrievalEvent, { type: 'retried' }>[] = []
  await using client = createClient({
    ...settings,
    onEvent: (event) => {
      if (event.type !== 'retried') return
      retried.push(event)
      setImmediate(() => vi.advanceTimersByTime(event.delay))
    },
  })
  const outcome = await client.retrieve(url, options).then(
    async (representation) => ({ text: await representation.text() }),
    (error: unknown) => ({ error }),
  )
  return { ...outcome, delays: retried.map(({ delay }) => delay), codes: retried.map(({ error }) => error.code) }
}

describe('what fails for a cause that may pass is tried again', () => {
  test.each(['408', '425', '429', '500', '502', '503', '504'])('%s', async (status) => {
    const result = await retrieve(({ index }) => (index < 2 ? failing(status) : hello()))
    expect(result).toMatchObject({ text: 'hello', codes: ['http-error', 'http-error'] })
    expect(result.asked).toHaveLength(3)
  })

  test.each<[string, Reply, string]>([
    ['a connection that ends without an answer', { octets: '', end: 'fin' }, 'receive-failed'],
    ['one that ends in the head', { octets: 'HTTP/1.1 200 OK\r\nCont', end: 'fin' }, 'receive-failed'],
    ['one that is reset', { octets: '', end: 'reset' }, 'receive-failed'],
  ])('%s', async (_, said, code) => {
    const result = await retrieve(({ index }) => (index === 0 ? said : hello()))
    expect(result).toMatchObject({ text: 'hello', codes: [code] })
    expect(result.asked).toHaveLength(2)
  })

  test('silence in place of an answer (R33)', async () => {
    const result = await retrieve(({ index }) => {
      if (index > 0) return hello()
      setImmediate(() => vi.advanceTimersByTime(60_000))
      return { octets: 'HTTP/1.1 200 OK\r\n' }
    })
    expect(result).toMatchObject({ text: 'hello', codes: ['timeout'] })
  })

  test('a name that cannot be looked up now', async () => {
    questions = 0
    lookupCode = 'EAI_AGAIN'
    expect(await outcomeOf('http://www.example/')).toMatchObject({
      error: { code: 'host-not-found', transient: true },
      codes: ['host-not-found', 'host-not-found', 'host-not-found'],
    })
    expect(questions).toBe(4)
  })

  test('from the hop at which it failed', async () => {
    const result = await retrieve(({ target, index }) => {
      if (target === '/') return { octets: reply('302', { Location: '/y' }) }
      return index < 3 ? failing('503') : hello()
    })
    expect(result).toMatchObject({ text: 'hello', asked: ['/', '/y', '/y', '/y'] })
  })
})

describe('what will be the same is not (R13)', () => {
  test.each(['400', '401', '403', '404', '405', '407', '410', '416', '501', '505'])('%s', async (status) => {
    const result = await retrieve(() => failing(status, { 'Retry-After': '1' }))
    expect(result).toMatchObject({ error: { status: Number(status), transient: false }, delays: [] })
    expect(result.asked).toHaveLength(1)
  })

  test.each(['https', 'gophers', 'ftps', 'wss'])('silence in the TLS handshake of %s (R33)', async (scheme) => {
    await using silent = await victim(() => vi.advanceTimersByTime(30_000))
    const result = await outcomeOf(`${scheme}://127.0.0.1:${silent.port}/`)
    const message = expect.stringContaining('the server speaks no TLS on this port: use the scheme without TLS')
    expect(result).toMatchObject({ error: { code: 'timeout', phase: 'tls', transient: false, message }, codes: [] })
    expect(silent.connections).toBe(1)
  })

  test('what is no HTTP, a refused connection, an unknown name', async () => {
    const ssh = await retrieve(() => ({ octets: 'SSH-2.0-x\r\n', end: 'fin' }))
    expect(ssh).toMatchObject({ error: { code: 'protocol-violation', transient: false }, delays: [] })
    let closed = ''
    {
      await using server = await scriptedHttp(hello)
      closed = server.url
    }
    expect(await outcomeOf(closed)).toMatchObject({ error: { code: 'connect-failed', transient: false }, delays: [] })
    lookupCode = 'ENOTFOUND'
    const unknown = await outcomeOf('http://www.example/')
    expect(unknown).toMatchObject({ error: { code: 'host-not-found', transient: false }, delays: [] })
  })
})

describe('how often, and when', () => {
  test('limits.maxRetries times, then the last error stands', async () => {
    for (const maxRetries of [0, 1, 5]) {
      const result = await retrieve(() => failing('503'), { limits: { maxRetries } })
      expect(result).toMatchObject({ error: { code: 'http-error', status: 503, transient: true } })
      expect(result.asked).toHaveLength(maxRetries + 1)
    }
    expect((await retrieve(() => failing('503'))).asked).toHaveLength(4)
  })

  test.each([
    [0, [500, 1000, 2000, 4000, 5000]],
    [0.999_999, [1000, 2000, 4000, 5000, 5000]],
  ])(
    'each wait is twice the one before, less a part of chance (%f), up to limits.maxRetryDelay',
    async (random, waits) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      const limits = { maxRetries: 5, maxRetryDelay: 5000 }
      expect((await retrieve(() => failing('503'), { limits })).delays).toEqual(waits)
    },
  )

  const date = 'Sat, 03 Feb 2001 04:05:06 GMT'
  test.each<[Record<string, string>, number]>([
    [{ 'Retry-After': '5' }, 5000],
    [{ 'Retry-After': '120' }, 120_000],
    [{ 'Retry-After': '0' }, 100],
    [{ 'Retry-After': 'Sat, 03 Feb 2001 04:05:16 GMT', Date: date }, 10_000],
    [{ 'Retry-After': 'Saturday, 03-Feb-01 04:05:16 GMT', Date: date }, 10_000],
    [{ 'Retry-After': 'Sat Feb  3 04:05:16 2001', Date: date }, 10_000],
    [{ 'Retry-After': date, Date: 'Sat, 03 Feb 2001 05:05:06 GMT' }, 100],
  ])('the server says when (R12): %j', async (fields, delay) => {
    const result = await retrieve(({ index }) => (index === 0 ? failing('503', fields) : hello()))
    expect(result).toMatchObject({ text: 'hello', delays: [delay] })
  })

  test('what it says wrongly does not count', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const result = await retrieve(({ index }) => (index === 0 ? failing('503', { 'Retry-After': 'soon' }) : hello()))
    expect(result).toMatchObject({ text: 'hello', delays: [500] })
  })

  test('a server that asks for longer than limits.maxRetryDelay is given up at once, and it is said', async () => {
    const result = await retrieve(() => failing('429', { 'Retry-After': '99999' }))
    expect(result).toMatchObject({ error: { status: 429, retryAfter: 99_999_000, transient: true }, delays: [] })
    expect(result.asked).toHaveLength(1)
    expect((result as { error: Error }).error.message).toContain(
      'The server wants no request now. Try again in 99999 s, longer than 120 s (`limits.maxRetryDelay`). (429 x)',
    )
  })

  test('an abort ends the wait, and leaves nothing open (R40)', async () => {
    await using server = await scriptedHttp(() => failing('503'))
    const abort = new AbortController()
    const client = createClient({
      onEvent: ({ type }) => {
        if (type === 'retried') setImmediate(() => abort.abort('enough'))
      },
    })
    await expect(client.retrieve(server.url, { signal: abort.signal })).rejects.toMatchObject({
      code: 'aborted',
      cause: 'enough',
    })
    await client.close()
    expect(vi.getTimerCount()).toBe(0)
    await server.closed()
    expect(server.asked).toHaveLength(1)
  })

  test('property 21: limits.totalTimeout ends the wait', async () => {
    const result = await retrieve(() => failing('503', { 'Retry-After': '60' }), { limits: { totalTimeout: 30_000 } })
    expect(result).toMatchObject({ error: { code: 'timeout', transient: false }, delays: [60_000] })
    expect((result as { error: Error }).error.message).toContain('totalTimeout')
    expect(result.asked).toHaveLength(1)
  })

  test('a client that closes ends it too', async () => {
    await using server = await scriptedHttp(() => failing('503'))
    const client = createClient({
      onEvent: ({ type }) => {
        if (type === 'retried') setImmediate(() => void client.close())
      },
    })
    await expect(client.retrieve(server.url)).rejects.toMatchObject({ code: 'aborted' })
  })
})

test("an answer that nobody asked for, on a connection that lies idle, is nobody's (case 39)", async () => {
  await using server = await scriptedHttp(({ target, socket, index }) => {
    if (index === 0) setImmediate(() => socket.write(reply('200', {}, 'poison')))
    return { octets: reply('200', {}, target) }
  })
  await using client = createClient()
  const one = await client.retrieve(`${server.url}1`)
  expect(await one.text()).toBe('/1')
  // The connection goes, rather than to serve again.
  await server.closed()
  expect(await (await client.retrieve(`${server.url}2`)).text()).toBe('/2')
  expect(server.sockets).toHaveLength(2)
})

test('a deadline has as many tries at a time as are wanted, and Node says nothing of it', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  const whole = new RetrievalDeadline('http://h/', defaultLimits)
  const tries = Array.from({ length: 16 }, () => whole.attempt())
  const error = new RetrievalError('aborted', 'enough', { phase: 'body' })
  tries[0]?.fail(new RetrievalError('timeout', 'too late', { phase: 'body' }))
  expect([whole, ...tries].map(({ signal }) => signal.aborted)).toEqual([false, true, ...Array(15).fill(false)])
  tries[1]?.end()
  whole.fail(error)
  expect(tries.map(({ signal }) => signal.reason === error)).toEqual([false, false, ...Array(14).fill(true)])
  expect(warned).not.toHaveBeenCalled()
})
