/** When a host is left alone. */
import { RetrievalError } from '@retriever/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace } from '../../packages/queue/src/turns/pace.ts'

const patience = { pause: 1000, maxPause: 5000, hostTries: 3 }
const refused = new RetrievalError('connect-failed', 'refused', { phase: 'connect' })
const busy = new RetrievalError('http-error', 'busy', { phase: 'request', status: 429, retryAfter: 60_000 })
const missing = new RetrievalError('not-found', 'missing', { phase: 'request', status: 404 })

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

test.each([
  [0, 1000],
  [1, 2000],
  [9, 5000],
])('after %i turns in trouble, the pause is %i ms', (troubles, pause) => {
  const pace = new Pace(troubles, patience)
  pace.failed(refused, 0)
  expect([pace.next, pace.troubles, pace.isHopeless]).toEqual([pause, troubles + 1, troubles >= 2])
})

test('a host that asks to wait gets its time, even if it answers others', () => {
  const pace = new Pace(0, patience)
  pace.answered()
  pace.failed(busy, 0)
  expect([pace.next, pace.trouble]).toEqual([60_000, busy])
})

test('a failure says nothing of a host that has answered since, and an error may be an answer', () => {
  const pace = new Pace(2, patience)
  pace.failed(missing, 0)
  expect([pace.answers, pace.troubles]).toEqual([1, 0])
  pace.failed(refused, 0)
  expect([pace.next, pace.trouble]).toEqual([0, null])
  pace.failed(refused, 1)
  expect([pace.next, pace.trouble]).toEqual([1000, refused])
})
