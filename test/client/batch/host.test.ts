/** One host: the lanes of its batches, and when it rests. */
import { RetrievalError } from '@retriever/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Host } from '../../../packages/fetchers/src/client/batch/host.ts'
import { jobAt, limits, shareOf, waiting } from './jobs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 0 }))
afterEach(() => void vi.useRealTimers())

const web = { host: 'a', port: 80, inFlight: 1 }

function site() {
  const rested: number[] = []
  const host = new Host(() => rested.push(performance.now()))
  return { host, rested }
}

test('a batch has one lane for each server of a host, and the batches share the servers', () => {
  const { host } = site()
  const [one, other] = [shareOf(), shareOf()]
  const lane = host.laneOf(one, web)
  expect(host.laneOf(one, { ...web })).toBe(lane)
  const others = [
    host.laneOf(other, web),
    host.laneOf(one, { ...web, port: 81 }),
    host.laneOf(one, { ...web, inFlight: 2 }),
  ]
  expect(new Set([lane, ...others]).size).toBe(4)
  expect(others.map(({ server }) => server === lane.server)).toEqual([true, false, false])
  host.remove(lane)
  expect(host.lanes).toHaveLength(3)
  expect(host.laneOf(one, web).server === lane.server).toBe(true)
})

test('the places of a batch are those of its own lanes', () => {
  const { host } = site()
  const [one, other] = [shareOf(), shareOf()]
  host.laneOf(one, web).running = 3
  host.laneOf(one, { ...web, port: 81, inFlight: 2 }).running = 3
  host.laneOf(other, web).running = 5
  expect([host.placesOf(one), host.placesOf(other), host.placesOf(shareOf())]).toEqual([5, 5, 0])
})

test('a lane needs a further place when those of its jobs are full', () => {
  const { host } = site()
  const lane = host.laneOf(shareOf(), { ...web, inFlight: 2 })
  const counts = [0, 1, 2, 3].map((running) => {
    lane.running = running
    return [lane.places, lane.more]
  })
  expect(counts).toEqual([
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
  ])
})

test('jobs of other batches, and those that had a place, wait for the places of a batch', () => {
  const { host } = site()
  const [one, other] = [shareOf(), shareOf()]
  const lane = host.laneOf(one, web)
  expect([host.isHeldUpBy(one), host.isHeldUpBy(other)]).toEqual([false, false])
  lane.waiting.add(waiting('http://a/'))
  expect([host.isHeldUpBy(one), host.isHeldUpBy(other)]).toEqual([false, true])
  // No job waits in a second lane.
  host.laneOf(one, { ...web, port: 81 })
  expect(host.isHeldUpBy(other)).toBe(true)
  lane.waiting.addFirst(waiting('http://a/', { isBack: true }))
  expect([host.isHeldUpBy(one), host.isHeldUpBy(other)]).toEqual([true, true])
})

test('places are given back when the jobs left need fewer', () => {
  const { host } = site()
  const lane = host.laneOf(shareOf(), { ...web, inFlight: 2 })
  let left = 0
  for (let n = 0; n < 2; n++) lane.server.held.push(() => left++)
  host.places = 2
  for (let n = 0; n < 4; n++) host.begin(lane)
  const counts = [0, 1, 2, 3].map(() => {
    host.end(lane)
    return [lane.server.running, host.places, left]
  })
  expect(counts).toEqual([
    [3, 2, 0],
    [2, 1, 1],
    [1, 1, 1],
    [0, 0, 2],
  ])
})

test('without a rate and a trouble it never rests, and a server without room does', () => {
  const { host, rested } = site()
  const lane = host.laneOf(shareOf(), web)
  for (let n = 0; n < 9; n++) host.begin(lane)
  expect(host.isRested(lane)).toBe(true)
  const job = jobAt('http://a/', { seen: lane.server.seen })
  lane.server.failed(job, new RetrievalError('connect-failed', 'No.', { phase: 'connect' }), limits)
  expect(host.isRested(lane)).toBe(false)
  vi.advanceTimersByTime(10_000)
  // The end of another job tells, and no timer.
  expect(rested).toEqual([])
})

test('it rests as long as the longest of the rates says, from the job on that began so many ago', () => {
  const { host, rested } = site()
  const rates = [
    { interval: 100, cap: 1 },
    { interval: 1000, cap: 3 },
  ]
  const lane = host.laneOf(shareOf({ rates }), web)
  const times: number[] = []
  while (times.length < 40) {
    if (host.isRested(lane)) {
      times.push(performance.now())
      host.begin(lane)
    } else vi.advanceTimersToNextTimer()
  }
  expect(times).toEqual(Array.from({ length: 40 }, (_, n) => Math.floor(n / 3) * 1000 + (n % 3) * 100))
  expect(rested).toEqual(times.slice(1))
})

test('its end is told once, at the earliest time that one of its batches waits for', () => {
  const { host, rested } = site()
  const slow = host.laneOf(shareOf({ rates: [{ interval: 5000, cap: 1 }] }), web)
  const fast = host.laneOf(shareOf({ rates: [{ interval: 50, cap: 1 }] }), web)
  host.begin(slow)
  expect([host.isRested(slow), host.isRested(fast), host.isRested(slow)]).toEqual([false, false, false])
  vi.advanceTimersByTime(60)
  expect([rested, host.isRested(fast), host.isRested(slow)]).toEqual([[50], true, false])
  vi.advanceTimersByTime(10_000)
  expect(rested).toEqual([50, 5000])
  // A rate of part of a millisecond ends with the next one.
  const short = host.laneOf(shareOf({ rates: [{ interval: 0.5, cap: 1 }] }), web)
  host.begin(short)
  expect(host.isRested(short)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(rested).toEqual([50, 5000, 10_061])
})

test('only the earliest end is told, unless a batch asks again', () => {
  const { host, rested } = site()
  const slow = host.laneOf(shareOf({ rates: [{ interval: 5000, cap: 1 }] }), web)
  const fast = host.laneOf(shareOf({ rates: [{ interval: 50, cap: 1 }] }), web)
  host.begin(slow)
  expect([host.isRested(slow), host.isRested(fast)]).toEqual([false, false])
  vi.advanceTimersByTime(10_000)
  expect(rested).toEqual([50])
})

test('when no job waits any more, its end is not told', () => {
  const { host, rested } = site()
  const rates = [{ interval: 100, cap: 1 }]
  const [one, other] = [host.laneOf(shareOf({ rates }), web), host.laneOf(shareOf({ rates }), web)]
  host.begin(one)
  expect([host.isRested(one), host.isRested(other)]).toEqual([false, false])
  other.waiting.add(waiting('http://a/'))
  host.remove(one)
  vi.advanceTimersByTime(100)
  expect(rested).toEqual([100])
  host.begin(other)
  expect(host.isRested(other)).toBe(false)
  other.waiting.take()
  host.remove(other)
  vi.advanceTimersByTime(1000)
  expect(rested).toEqual([100])
  // Another lane in which no job waits changes nothing.
  const [third, fourth] = [host.laneOf(shareOf({ rates }), web), host.laneOf(shareOf({ rates }), web)]
  host.begin(third)
  expect(host.isRested(fourth)).toBe(false)
  host.remove(third)
  vi.advanceTimersByTime(1000)
  expect(rested).toEqual([100])
  host.remove(fourth)
  // A later one is told again.
  const later = host.laneOf(shareOf({ rates }), web)
  host.begin(later)
  expect(host.isRested(later)).toBe(false)
  vi.advanceTimersByTime(100)
  expect(rested).toEqual([100, 2200])
})

test('it is idle if no job is there, and nothing has to be remembered', () => {
  const { host } = site()
  expect(host.isIdle).toBe(true)
  const rates = [
    { interval: 10, cap: 1 },
    { interval: 100, cap: 1 },
  ]
  const lane = host.laneOf(shareOf({ rates }), web)
  expect(host.isIdle).toBe(false)
  host.begin(lane)
  host.remove(lane)
  vi.advanceTimersByTime(99)
  expect(host.isIdle).toBe(false)
  vi.advanceTimersByTime(1)
  expect(host.isIdle).toBe(true)
  const wait = new RetrievalError('http-error', 'Wait.', { phase: 'request', status: 429, retryAfter: 5000 })
  lane.server.failed(jobAt('http://a/', { seen: lane.server.seen }), wait, limits)
  expect(host.isIdle).toBe(false)
  vi.advanceTimersByTime(5000)
  expect(host.isIdle).toBe(true)
})
