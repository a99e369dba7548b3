/** The share of one batch in the places of a client. */
import { expect, test } from 'vitest'
import { Host } from '../../../packages/fetchers/src/client/batch/host.ts'
import { isBefore, type Share } from '../../../packages/fetchers/src/client/batch/share.ts'
import { type Details, shareOf, waiting } from './jobs.ts'

/** A lane in which so many jobs wait. */
function laneAt(share: Share, host: string, jobs: readonly Details[] = [{}], inFlight = 1) {
  const lane = new Host(() => {}).laneOf(share, { host, port: 80, inFlight })
  for (const job of jobs) lane.waiting.add(waiting(`http://${host}/`, job))
  return lane
}

test('it wants a further URL unless it is paused, a job is ready, or its results fill its places', () => {
  const share = shareOf({ concurrency: 2 })
  const lane = laneAt(share, 'a')
  const states = [
    () => share.isHungry,
    () => {
      share.setReady(lane, true)
      return share.isHungry
    },
    () => {
      share.setReady(lane, false)
      share.isPaused = true
      return share.isHungry
    },
    () => {
      share.isPaused = false
      share.kept = 1.5
      return share.isHungry
    },
    () => {
      share.kept = 2
      return share.isHungry
    },
  ]
  expect(states.map((state) => state())).toEqual([true, false, false, true, false])
})

test('it tells when its last lane is not ready any more, once', () => {
  let calls = 0
  const share = shareOf({ onNoneReady: () => calls++ })
  const lanes = [laneAt(share, 'a'), laneAt(share, 'b')] as const
  for (const lane of lanes) share.setReady(lane, true)
  share.setReady(lanes[0], false)
  expect(calls).toBe(0)
  share.setReady(lanes[1], false)
  expect(calls).toBe(1)
  for (const lane of lanes) share.setReady(lane, false)
  expect(calls).toBe(1)
})

test('the next job fits in the places that its own jobs and results leave', () => {
  const share = shareOf({ concurrency: 2 })
  expect(share.next(false)).toBe(null)
  const lane = laneAt(share, 'a')
  share.setReady(lane, true)
  const isNext = (places: number, kept: number): boolean => {
    share.places = places
    share.kept = kept
    return share.next(false) === lane
  }
  expect([isNext(1, 0), isNext(2, 0), isNext(0, 1.9), isNext(1, 0.9), isNext(1, 1)]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
  share.isPaused = true
  expect(isNext(0, 0)).toBe(false)
})

test('while a place is asked for, only a job that shares one is next', () => {
  const share = shareOf()
  const [lane, shared] = [laneAt(share, 'a'), laneAt(share, 'b', [{ priority: -1 }], 2)]
  for (const each of [lane, shared]) share.setReady(each, true)
  expect([share.next(false) === lane, share.next(true)]).toEqual([true, null])
  shared.server.held.push(() => {})
  shared.server.running = 1
  expect([share.next(false) === lane, share.next(true) === shared]).toEqual([true, true])
})

test('a lane in which no job waits is before none', () => {
  const share = shareOf()
  const [full, empty] = [laneAt(share, 'a'), laneAt(share, 'b', [])]
  expect([isBefore(full, empty), isBefore(empty, full), isBefore(empty, empty), isBefore(full, full)]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('its ready jobs are held up by other batches, and those that had a place by its own', () => {
  const [share, other] = [shareOf(), shareOf()]
  expect(share.isHeldUpBy(other)).toBe(false)
  share.setReady(laneAt(share, 'a'), true)
  expect([share.isHeldUpBy(other), share.isHeldUpBy(share)]).toEqual([true, false])
  share.setReady(laneAt(share, 'b', [{ isBack: true }]), true)
  expect(share.isHeldUpBy(share)).toBe(true)
})
