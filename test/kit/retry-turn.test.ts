/** A retry budget asks the place that a URL of a batch has at its server; here it gets each answer. */
import { RetrievalError } from '@retriever/core'
import { defaultLimits, type Limits, type RetrievalEvent } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Retries, RetryContext } from '../../packages/fetchers/src/contract/retries.ts'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { RetryBudget, type RetryTurn } from '../../packages/fetchers/src/kit/retry.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const url = 'test:'
const busy = new RetrievalError('server-refused', 'Busy.', { phase: 'request', url, transient: true })
const gone = new RetrievalError('not-found', 'No.', { phase: 'request', url })
const refused = new RetrievalError('connect-failed', 'Refused.', { phase: 'connect', url })
const megabyte = 1024 * 1024

/** A budget with a turn that answers so, the calls of the turn, and a way to try again. */
function budget(answers: Partial<RetryTurn> = {}, more: Partial<Limits> = {}) {
  const calls: string[] = []
  const turn: RetryTurn = {
    failed: () => void calls.push('failed'),
    mayPass: () => false,
    spares: () => false,
    waitsOn: () => null,
    comeBack: async () => void calls.push('comeBack'),
    delivered: () => void calls.push('delivered'),
    ...answers,
  }
  const limits: Limits = { ...defaultLimits, totalTimeout: Number.POSITIVE_INFINITY, retryDelay: 1000, ...more }
  const emit: RetryContext['emit'] = (event) => {
    const { delay, offset, error } = event as RetrievalEvent & { type: 'retried' }
    calls.push(`${error.code} ${delay}${offset === undefined ? '' : ` from ${offset}`}`)
  }
  const context: RetryContext = { url, limits, emit, deadline: new RetrievalDeadline(url, limits) }
  const retries = new RetryBudget('transient', turn)
  /** Whether there is another try after an error, without a wait or after one of so many milliseconds. */
  const again = async (of: Retries, error: unknown = busy, offset?: number): Promise<boolean | 'waits'> => {
    const result = of.again(error, context, offset)
    await vi.advanceTimersByTimeAsync(0)
    const first = await Promise.race([result, Promise.resolve('waits' as const)])
    if (first === 'waits') await vi.advanceTimersByTimeAsync(limits.retryDelay)
    return first === 'waits' ? (await result) && 'waits' : first
  }
  return { calls, context, retries, again }
}

test('a try before a body takes its place itself', async () => {
  const { calls, retries, again } = budget()
  expect(await again(retries)).toBe('waits')
  expect(calls).toEqual(['server-refused 1000'])
})

test('a body gives its place back before it waits, and comes back afterwards', async () => {
  const { calls, retries, again } = budget()
  expect(await again(new RetryBudget(retries), busy, 7)).toBe('waits')
  expect(calls).toEqual(['failed', 'server-refused 1000 from 7', 'comeBack'])
})

test('a body that is tried at once keeps its place, but only for its first further try', async () => {
  const { calls, context, retries } = budget()
  const body = new RetryBudget(retries)
  expect(await body.wait(busy, context, { offset: 0, isFirstAtOnce: true })).toBe(true)
  expect(calls.splice(0)).toEqual(['server-refused 0'])
  const later = body.wait(busy, context, { offset: 0, isFirstAtOnce: true })
  expect(calls).toEqual(['failed', 'server-refused 1000'])
  await vi.advanceTimersByTimeAsync(1000)
  expect([await later, ...calls]).toEqual([true, 'failed', 'server-refused 1000', 'comeBack'])
})

test('what was tried before the body counts, and a URL that no batch has needs no place', async () => {
  const { calls, context, retries, again } = budget({}, { maxRetries: 2 })
  expect(await again(retries)).toBe('waits')
  const body = new RetryBudget(retries)
  expect([await again(body), await again(body)]).toEqual(['waits', false])
  expect(calls).toEqual(['server-refused 1000', 'failed', 'server-refused 1000', 'comeBack', 'failed'])
  expect(body.final(busy)).toMatchObject({ message: 'Busy. (It was tried 3 times; 0 octets of the body came.)' })
  const alone = new RetryBudget(new RetryBudget())
  const waiting = alone.again(busy, context)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await waiting).toBe(true)
})

test('a URL waits for its server without a timer, and it costs no try', async () => {
  const { calls, retries, again } = budget({ waitsOn: () => 400 }, { maxRetries: 0 })
  for (let times = 0; times < 3; times++) expect(await again(retries)).toBe(true)
  expect(await again(new RetryBudget(retries))).toBe(true)
  const each = 'server-refused 400'
  expect(calls).toEqual([each, each, each, 'failed', each, 'comeBack'])
})

test('a failure that the server spares costs no try, but some must be allowed, and maxRetryTime holds', async () => {
  const spared = budget({ spares: () => true }, { maxRetries: 1, maxRetryTime: 3000 })
  const tries = []
  for (let times = 0; times < 4; times++) tries.push(await spared.again(spared.retries))
  expect(tries).toEqual(['waits', 'waits', 'waits', false])
  const none = budget({ spares: () => true }, { maxRetries: 0 })
  expect(await none.again(none.retries)).toBe(false)
  const counted = budget({}, { maxRetries: 1 })
  expect([await counted.again(counted.retries), await counted.again(counted.retries)]).toEqual(['waits', false])
})

test('the server may know that a cause passes', async () => {
  const { retries, again } = budget({ mayPass: ({ code }) => code === 'not-found' })
  expect([await again(retries, gone), await again(retries, refused)]).toEqual(['waits', false])
  const other = budget()
  expect([await other.again(other.retries, gone), await other.again(other.retries, 'none of ours')]).toEqual([
    false,
    false,
  ])
})

test('a refused connection is tried again if octets came, or if the caller asked for it', async () => {
  const { retries, again } = budget()
  const body = new RetryBudget(retries)
  expect(await again(body, refused)).toBe(false)
  body.progress(1)
  expect(await again(body, refused)).toBe('waits')
  expect(await again(new RetryBudget(new RetryBudget('refused-connection')), refused)).toBe('waits')
  const foreign: Retries = { again: async () => true, wait: async () => true, progress() {}, final: (error) => error }
  expect(await again(new RetryBudget(foreign), refused)).toBe(false)
})

test('each megabyte between two failures is told once, and renews the tries', async () => {
  const { calls, retries, again } = budget({}, { maxRetries: 1 })
  const body = new RetryBudget(retries)
  body.progress(megabyte - 1)
  expect(await again(body)).toBe('waits')
  body.progress(megabyte - 1)
  expect(await again(body)).toBe(false)
  expect(calls.splice(0)).not.toContain('delivered')
  for (const octets of [megabyte - 1, 1, megabyte]) body.progress(octets)
  expect(calls.splice(0)).toEqual(['delivered'])
  expect([await again(body), await again(body)]).toEqual(['waits', false])
  body.progress(megabyte + 1)
  expect(calls.filter((call) => call === 'delivered')).toHaveLength(1)
  new RetryBudget(new RetryBudget()).progress(megabyte)
})
