/** The times of a retrieval, on a clock that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StepStopwatch } from '../../packages/fetchers/src/kit/stopwatch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const none = {
  redirected: null,
  retried: null,
  waited: null,
  lookedUp: null,
  connected: null,
  secured: null,
  requested: null,
  responded: null,
  ended: null,
}

/** A stopwatch, and a way to use it at a time. */
function started() {
  vi.advanceTimersByTime(50)
  const stopwatch = new StepStopwatch()
  const { startTime } = stopwatch
  const at = (time: number, use: (watch: StepStopwatch) => void) => {
    vi.advanceTimersByTime(startTime + time - performance.now())
    use(stopwatch)
  }
  const times = () => stopwatch.timings
  return { startTime, at, times }
}

test('the first connection counts, the last request before the answer, the last answer, and the first end', () => {
  const { startTime, at, times } = started()
  expect(times()).toEqual({ startTime, ...none })
  for (const time of [1, 2]) {
    for (const step of ['waited', 'lookedUp', 'connected', 'secured'] as const) at(time, (watch) => watch.mark(step))
  }
  for (const time of [3, 4]) at(time, (watch) => watch.requested())
  for (const time of [5, 6]) at(time, (watch) => watch.responded())
  at(7, (watch) => watch.requested())
  for (const time of [8, 9]) at(time, (watch) => watch.ended())
  const first = { waited: 1, lookedUp: 1, connected: 1, secured: 1 }
  expect(times()).toEqual({ startTime, ...none, ...first, requested: 4, responded: 6, ended: 8 })
})

test('a further hop or try leaves only the time of the redirect', () => {
  const { startTime, at, times } = started()
  at(1, (watch) => watch.mark('connected'))
  at(2, (watch) => watch.responded())
  at(3, (watch) => watch.again('redirected'))
  expect(times()).toEqual({ startTime, ...none, redirected: 3 })
  at(4, (watch) => watch.requested())
  at(5, (watch) => watch.again('retried'))
  expect(times()).toEqual({ startTime, ...none, redirected: 3, retried: 5 })
  at(6, (watch) => watch.again('redirected'))
  expect(times()).toEqual({ startTime, ...none, redirected: 6 })
})
