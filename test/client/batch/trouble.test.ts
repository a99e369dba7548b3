/** Which failures show that a server can take no requests, for how long it is left alone, and when it is given up. */
import { type ErrorCode, type Phase, RetrievalError } from '@retriever/core'
import { serverStateOf } from '@retriever/fetchers/internal'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { asksToWait, isFull, isTrouble, Trouble } from '../../../packages/fetchers/src/client/batch/trouble.ts'
import { jobAt, limits } from './jobs.ts'

type Details = Partial<ConstructorParameters<typeof RetrievalError>[2]>

function failed(code: ErrorCode, phase: Phase, details: Details = {}): RetrievalError {
  return new RetrievalError(code, 'No.', { phase, ...details })
}

const transient = true

test.each<[isTrouble: boolean, code: ErrorCode, phase: Phase, details: Details]>([
  [true, 'connect-failed', 'connect', {}],
  [true, 'timeout', 'connect', {}],
  [true, 'receive-failed', 'request', { transient }],
  [false, 'receive-failed', 'request', {}],
  [false, 'certificate', 'tls', {}],
  [false, 'timeout', 'resolve', {}],
  [false, 'timeout', 'policy', { transient }],
  [false, 'connect-failed', 'save', { transient }],
  [true, 'timeout', 'body', { transient }],
  [true, 'partial', 'body', {}],
  [false, 'limit-exceeded', 'body', {}],
  [false, 'timeout', 'body', {}],
  [true, 'server-refused', 'greeting', { transient, reply: '120 Soon.' }],
  [true, 'server-refused', 'login', { transient, reply: '530 Full.' }],
  [false, 'auth-failed', 'login', { reply: '530 No.' }],
  [true, 'server-refused', 'request', { transient, reply: '421 Going down.' }],
  [false, 'server-refused', 'request', { transient, reply: '450 In use.' }],
  [false, 'server-refused', 'request', { transient, reply: '550 See 421.' }],
  [true, 'http-error', 'request', { transient, status: 503 }],
  [true, 'http-error', 'request', { status: 429 }],
  [true, 'http-error', 'request', { status: 500, retryAfter: 1000 }],
  [false, 'http-error', 'request', { transient, status: 500 }],
  [false, 'timeout', 'request', { status: 408, transient }],
  [false, 'connect-failed', 'request', { reply: '' }],
])('trouble (%s): %s in the phase %s, %o', (is, code, phase, details) => {
  expect(isTrouble(failed(code, phase, details))).toBe(is)
})

test('an error that is none of a retrieval is no trouble', () => {
  expect(isTrouble(new Error('connect-failed'))).toBe(false)
})

test.each<[asks: boolean, details: Details]>([
  [true, { retryAfter: 0 }],
  [true, { status: 429 }],
  [false, { status: 503 }],
  [true, { reply: '44 Slow down.' }],
  [true, { reply: '44' }],
  [false, { reply: '441 Posting failed.' }],
  [false, { reply: '51 44' }],
  [false, {}],
])('a server asks to wait (%s) by %o', (asks, details) => {
  expect(asksToWait(failed('server-refused', 'request', details))).toBe(asks)
})

test.each<[is: boolean, details: Details]>([
  [true, { transient, reply: '530 Too many users.' }],
  [false, { reply: '530 Too many users.' }],
  [false, { transient, reply: '421 Going down.' }],
  [false, { transient }],
])('a server is full (%s) by %o', (is, details) => {
  expect(isFull(failed('server-refused', 'login', details))).toBe(is)
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 }))
afterEach(() => void vi.useRealTimers())

const busy = failed('http-error', 'request', { status: 503, transient, advice: { option: 'limits.maxRetries' } })
const waits = (retryAfter: number) => failed('http-error', 'request', { status: 429, transient, retryAfter })
const taken = failed('server-refused', 'login', { transient, reply: '530 Too many users.' })

/** A trouble with failures of so many URLs, each of which began after the failure before it. */
function troubleOf(errors: readonly RetrievalError[], at = 0, url = (n: number): string => `http://a/${n}`): Trouble {
  const trouble = new Trouble(0, 0)
  for (const [n, error] of errors.entries()) trouble.add(jobAt(url(n)), error, limits, at, true)
  return trouble
}

test.each<[pause: number, error: RetrievalError]>([
  [1000, busy],
  [1000, waits(10)],
  [70_000, waits(70_000)],
  [120_000, waits(500_000)],
])('a server is left alone for %i ms', (pause, error) => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  expect(troubleOf([error], 100).until).toBe(100 + pause)
  vi.restoreAllMocks()
})

test('the pause grows with each failure that is a further one, and a later one does not shorten it', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const trouble = new Trouble(0, 0)
  const pauses = [true, true, false, true].map((isFurther, n) => {
    trouble.add(jobAt(`http://a/${n}`), busy, limits, 0, isFurther)
    return trouble.until
  })
  expect(pauses).toEqual([1000, 2000, 2000, 4000])
  trouble.add(jobAt('http://a/5'), waits(50_000), limits, 0, true)
  trouble.add(jobAt('http://a/6'), waits(2000), limits, 10, true)
  expect(trouble.until).toBe(50_000)
  vi.restoreAllMocks()
})

test('a full server is asked again every eight seconds, or as seldom as limits.retryDelay says', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  expect(troubleOf(Array.from({ length: 6 }, () => taken)).until).toBe(8000)
  const rare = new Trouble(0, 0)
  rare.add(jobAt('http://a/'), taken, { ...limits, retryDelay: 9000 }, 0, true)
  expect(rare.until).toBe(9000)
  vi.restoreAllMocks()
})

test.each<[isGivenUp: boolean, of: string, errors: readonly RetrievalError[]]>([
  [false, 'three URLs', [busy, busy, busy]],
  [true, 'four URLs', [busy, busy, busy, busy]],
  [false, 'four URLs at a full server', [taken, taken, taken, taken]],
  [false, 'four URLs at a server that asks for two seconds', [busy, busy, busy, waits(2000)]],
  [false, 'four URLs at a server that has asked for two seconds', [waits(2000), busy, busy, busy]],
  [false, 'four URLs, the last one at a server that asks for a minute', [busy, busy, busy, waits(60_000)]],
  [true, 'four URLs, the last one at a server that asks for more', [busy, busy, busy, waits(60_001)]],
  [false, 'one URL at a server that asks for two minutes', [waits(120_000)]],
  [true, 'one URL at a server that asks for more', [waits(120_001)]],
])('a server is given up (%s) after the failures of %s', (isGivenUp, _, errors) => {
  expect(troubleOf(errors).isGivenUp).toBe(isGivenUp)
})

test('as many URLs as there are retries are tried before it is given up, and one URL proves nothing', () => {
  const more = new Trouble(0, 0)
  const add = (n: number): void => more.add(jobAt(`http://a/${n}`), busy, { ...limits, maxRetries: 5 }, 0, true)
  for (let n = 0; n < 5; n++) add(n)
  expect(more.isGivenUp).toBe(false)
  add(5)
  expect(more.isGivenUp).toBe(true)
  const one = troubleOf(
    Array.from({ length: 9 }, () => busy),
    0,
    () => 'http://a/',
  )
  expect([one.isGivenUp, one.urls]).toEqual([false, 1])
})

test('failures of tries that began together count once', () => {
  const trouble = new Trouble(0, 0)
  for (let n = 0; n < 9; n++) trouble.add(jobAt(`http://a/${n}`), busy, limits, 0, n === 0)
  expect([trouble.isGivenUp, trouble.urls]).toEqual([false, 1])
})

test('a server that was last well before limits.maxRetryTime is given up', () => {
  const add = (began: number): boolean => {
    const trouble = new Trouble(700_000, began)
    trouble.add(jobAt('http://a/'), busy, { ...limits, retryDelay: 1000, maxRetryTime: 600_000 }, 700_000, true)
    return trouble.isGivenUp
  }
  expect([add(101_000), add(100_999)]).toEqual([false, true])
})

test('a server that asks to wait is young for a minute', () => {
  const isYoung = (wait: number): boolean => {
    const trouble = new Trouble(70_000, 0)
    trouble.add(jobAt('http://a/'), waits(wait), limits, 70_000, true)
    return trouble.isYoung
  }
  expect([isYoung(60_000), isYoung(60_001)]).toEqual([true, false])
})

test.each([
  [true, false, 'paused'],
  [true, true, 'given-up'],
  [false, true, 'paused'],
] as const)(
  'its state, if the batch gives servers up (%s) and this one was (%s), is %s',
  (givesUp, isGivenUp, state) => {
    const error = waits(isGivenUp ? 500_000 : 50_000)
    const trouble = new Trouble(0, 0)
    trouble.add(jobAt('http://a:81/', { givesUp }), error, limits, 0, true)
    const until = new Date(isGivenUp ? 120_000 : 50_000)
    expect(serverStateOf(error)).toEqual({ host: 'a', port: 81, state, until, failed: 1 })
    vi.advanceTimersByTime(isGivenUp ? 120_000 : 50_000)
    expect(serverStateOf(error)).toBe(null)
  },
)

test('the error of a URL that is not asked for says since when its server fails, and by what', () => {
  const trouble = troubleOf([busy, busy])
  const refused = trouble.refusal(jobAt('http://a/9'), 1001)
  expect(refused).toMatchObject({
    code: 'http-error',
    phase: 'request',
    url: 'http://a/9',
    status: 503,
    transient: true,
  })
  expect(refused.cause).toBe(busy)
  expect(refused.advice).toEqual({ option: 'limits.maxRetries' })
  expect('retryAfter' in refused && refused.retryAfter).toBe(undefined)
  expect(refused.message).toBe(
    'http://a/9: Not asked. The last 2 URLs tried of a:80 failed in the last 2 s. The error was: No.',
  )
  expect(serverStateOf(refused)).toMatchObject({ host: 'a', port: 80, state: 'paused', failed: 2 })
})

test('it names one URL, an IPv6 address in brackets, and a try that was one of several', () => {
  const job = jobAt('http://[::1]:81/', { host: '::1', isBack: true })
  const trouble = new Trouble(5000, 2000)
  trouble.add(job, waits(7), limits, 5000, true)
  const refused = trouble.refusal(job, 5000)
  expect(refused.message).toBe(
    'http://[::1]:81/: Not asked again. The last URL of [::1]:81 failed just now; it has been in trouble for 3 s. ' +
      'The error was: No.',
  )
  expect(refused).toMatchObject({ code: 'http-error', status: 429, retryAfter: 7 })
  const givenUp = troubleOf([waits(500_000)]).refusal(job, 0)
  expect(serverStateOf(givenUp)).toMatchObject({ host: '::1', port: 81, state: 'given-up' })
})
