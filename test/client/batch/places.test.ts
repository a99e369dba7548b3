/** Which job gets a place of a client, and when. */
import { RetrievalError } from '@retriever/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Places } from '../../../packages/fetchers/src/client/batch/client-places.ts'
import type { Lane } from '../../../packages/fetchers/src/client/batch/host.ts'
import type { Job } from '../../../packages/fetchers/src/client/batch/job.ts'
import type { Share } from '../../../packages/fetchers/src/client/batch/share.ts'
import { type Details, limits, shareOf as shareWith, waiting } from './jobs.ts'

const transient = true
const busy = new RetrievalError('http-error', 'Busy.', { phase: 'request', status: 503, transient })
const waits = (retryAfter: number) =>
  new RetrievalError('http-error', 'Wait.', { phase: 'request', status: 429, transient, retryAfter })

/** p-queue begins a task in a later microtask. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The places of a client, and the names of the jobs that have begun or were refused. */
function site(concurrency = 16, perHost = 4) {
  const places = new Places(concurrency, perHost)
  const begun: string[] = []
  const refused: string[] = []
  const add = (share: Share, url: string, details: Details = {}): Job => {
    const job = waiting(url, {
      ...details,
      onBegin: () => {
        begun.push(job.url.slice('http://'.length))
        details.onBegin?.()
      },
      onRefused: ({ message }) => refused.push(message),
    })
    places.add(share, job)
    return job
  }
  /** The share of a batch, which has no more places of a host than the client unless `own` says so. */
  const shareOf = (own: Parameters<typeof shareWith>[0] = {}): Share => shareWith({ perHost, ...own })
  return { places, begun, refused, add, shareOf }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 0 }))
afterEach(() => void vi.useRealTimers())

test('a job waits for a free place of the client, of its host, of its batch, and of its batch at its host', async () => {
  const begunOf = async (caps: readonly [number, number], own: Parameters<typeof shareWith>[0], hosts: string) => {
    const { add, begun, shareOf } = site(...caps)
    const share = shareOf(own)
    for (const [index, host] of [...hosts].entries()) add(share, `http://${host}/${index}`, { index })
    await settled()
    return begun.join(' ')
  }
  expect(await begunOf([2, 9], {}, 'abc')).toBe('a/0 b/1')
  expect(await begunOf([9, 2], { perHost: 2 }, 'aaab')).toBe('a/0 a/1 b/3')
  expect(await begunOf([9, 2], { perHost: 1 }, 'aab')).toBe('a/0 b/2')
  expect(await begunOf([9, 9], { concurrency: 2 }, 'abc')).toBe('a/0 b/1')
  // A tree may have more places of a host than the client's lists.
  expect(await begunOf([9, 1], { perHost: 3 }, 'aaaa')).toBe('a/0 a/1 a/2')
})

test('places that are given back go to the next jobs, and each is given back once', async () => {
  const { places, add, begun, shareOf } = site(2)
  const share = shareOf()
  const jobs = [0, 1, 2, 3, 4].map((index) => add(share, `http://a/${index}`, { index }))
  await settled()
  expect([begun, share.waiting, share.places]).toEqual([['a/0', 'a/1'], 3, 2])
  for (const job of [jobs[0], jobs[0], jobs[1]]) places.leave(job as Job)
  await settled()
  expect([begun, share.waiting, share.places]).toEqual([['a/0', 'a/1', 'a/2', 'a/3'], 1, 2])
})

test('jobs that share a connection count for one place', async () => {
  const { places, add, begun, shareOf } = site(2, 1)
  const share = shareOf()
  const jobs = [0, 1, 2, 3].map((index) => add(share, `http://a/${index}`, { index, inFlight: 2 }))
  await settled()
  expect([begun, share.places]).toEqual([['a/0', 'a/1'], 1])
  places.leave(jobs[0] as Job)
  expect([begun.length, share.places]).toEqual([3, 1])
  for (const job of jobs.slice(1, 3)) places.leave(job)
  expect([begun.length, share.places]).toEqual([4, 1])
  places.leave(jobs[3] as Job)
  expect(share.places).toBe(0)
  // The place of the host is free, too.
  add(share, 'http://a/last')
  await settled()
  expect(begun.at(-1)).toBe('a/last')
})

test('those of one host that share none with each other take places each', async () => {
  const { add, begun, shareOf } = site(9, 2)
  const share = shareOf()
  for (const [index, port] of ['80', '81', '82'].entries()) add(share, `http://a:${port}/`, { index, inFlight: 2 })
  await settled()
  expect(begun).toEqual(['a:80/', 'a:81/'])
})

test.each<[first: string, of: readonly (readonly [url: string, batch: 'one' | 'other', details: Details])[]]>([
  [
    'a/priority',
    [
      ['a/back', 'other', { isBack: true }],
      ['a/priority', 'one', { priority: 1 }],
    ],
  ],
  [
    'b/back',
    [
      ['a/', 'one', {}],
      ['b/back', 'one', { isBack: true, index: 9 }],
    ],
  ],
  [
    'a/',
    [
      ['b/', 'one', {}],
      ['a/', 'one', { index: 9 }],
    ],
  ],
  [
    'd/other',
    [
      ['c/', 'one', {}],
      ['d/other', 'other', { index: 9 }],
    ],
  ],
  [
    'd/before',
    [
      ['c/', 'one', { index: 9 }],
      ['d/before', 'one', { index: 8 }],
    ],
  ],
  [
    'c/low',
    [
      ['a/lower', 'one', { priority: -2 }],
      ['c/low', 'one', { priority: -1 }],
    ],
  ],
])('%s is the first of those that wait for a place of the client', async (first, of) => {
  // `one` has a place of host a, and two of host b.
  for (const order of [of, of.toReversed()]) {
    const { places, add, begun, shareOf } = site(4, 9)
    const batches = { one: shareOf(), other: shareOf() }
    for (const host of ['a', 'b', 'b']) add(batches.one, `http://${host}/`)
    const last = add(batches.other, 'http://z/')
    await settled()
    for (const [url, batch, details] of order) add(batches[batch], `http://${url}`, details)
    places.leave(last)
    await settled()
    expect(begun.slice(4)).toEqual([first])
  }
})

test('one that had a place is before the others of its host, unless that is in trouble', async () => {
  const { places, add, begun, shareOf } = site(9, 1)
  const share = shareOf()
  const first = add(share, 'http://a/0')
  await settled()
  add(share, 'http://a/1')
  const back = add(share, 'http://a/back', { isBack: true })
  places.leave(first)
  await settled()
  expect(begun).toEqual(['a/0', 'a/back'])
  places.failed(back, busy, { ...limits, retryDelay: 1000 })
  add(share, 'http://a/again', { isBack: true })
  await vi.advanceTimersByTimeAsync(1000)
  await settled()
  expect(begun).toEqual(['a/0', 'a/back', 'a/1'])
})

test('one that goes on at another host is before those of its rank, and behind those of a higher one', async () => {
  const orderOf = async (priority: number) => {
    const { places, add, begun, shareOf } = site(9, 1)
    const share = shareOf({ concurrency: 1 })
    const job = add(share, 'http://a/0')
    await settled()
    add(share, 'http://a/1', { priority, index: 1 })
    places.leave(job, () => add(share, 'http://c/back', { isBack: true, index: 2 }))
    await settled()
    return begun
  }
  expect(await orderOf(0)).toEqual(['a/0', 'c/back'])
  expect(await orderOf(5)).toEqual(['a/0', 'a/1'])
})

test('thousands of jobs that end as soon as they begin need no deep stack', async () => {
  const { places, add, shareOf } = site()
  const share = shareOf()
  add(share, 'http://a/', { inFlight: 2 })
  await settled()
  share.isPaused = true
  let ended = 0
  for (let n = 0; n < 8000; n++) {
    const job: Job = add(share, 'http://a/', {
      inFlight: 2,
      onBegin: () => {
        ended++
        places.leave(job)
      },
    })
  }
  share.isPaused = false
  places.advance()
  expect([ended, share.waiting, share.places]).toEqual([8000, 0, 1])
})

test('a job that waits no longer takes no place', async () => {
  const failed = vi.fn()
  process.once('unhandledRejection', failed)
  const { places, add, begun, shareOf } = site(1)
  let calls = 0
  const share = shareOf({ onNoneReady: () => calls++ })
  const first = add(share, 'http://a/0')
  await settled()
  const second = add(share, 'http://b/1')
  expect([places.isWanted, share.ready.size, share.waiting]).toEqual([true, 1, 1])
  calls = 0
  places.withdraw(second)
  expect([places.isWanted, share.ready.size, share.waiting, calls, second.lane === null]).toEqual([
    false,
    0,
    0,
    1,
    true,
  ])
  // Neither does one that has a place, or none, wait.
  for (const job of [first, second]) places.withdraw(job)
  expect([share.waiting, first.lane === null]).toEqual([0, false])
  places.leave(first)
  await settled()
  expect([begun, share.places]).toEqual([['a/0'], 0])
  add(share, 'http://c/2')
  await settled()
  process.off('unhandledRejection', failed)
  expect([begun.at(-1), failed.mock.calls]).toEqual(['c/2', []])
})

test('answers after a trouble let further jobs of the host begin, of each batch', async () => {
  const { places, add, begun, shareOf } = site(9, 4)
  const [one, other] = [shareOf(), shareOf()]
  const first = add(one, 'http://a/0')
  await settled()
  places.failed(first, busy, limits)
  expect([first.lane === null, one.places]).toEqual([true, 0])
  const jobs = [add(one, 'http://a/1'), add(other, 'http://a/2'), add(other, 'http://a/3'), add(other, 'http://a/4')]
  await settled()
  expect(begun).toEqual(['a/0'])
  await vi.advanceTimersByTimeAsync(2000)
  expect(begun).toEqual(['a/0', 'a/1'])
  places.delivered(jobs[0] as Job)
  await settled()
  expect(begun).toEqual(['a/0', 'a/1'])
  places.answered(jobs[0] as Job)
  await settled()
  expect(begun).toEqual(['a/0', 'a/1', 'a/2'])
})

test('after a body that broke off, bodies do', async () => {
  const { places, add, begun, shareOf } = site(9, 4)
  const share = shareOf()
  const first = add(share, 'http://a/0')
  await settled()
  places.failed(first, new RetrievalError('partial', 'Cut.', { phase: 'body', transient }), limits)
  const jobs = [add(share, 'http://a/1'), add(share, 'http://a/2'), add(share, 'http://a/3')]
  await vi.advanceTimersByTimeAsync(2000)
  places.answered(jobs[0] as Job)
  await settled()
  expect(begun).toEqual(['a/0', 'a/1'])
  places.delivered(jobs[0] as Job)
  await settled()
  expect(begun).toEqual(['a/0', 'a/1', 'a/2'])
})

test('the jobs of a server that is given up fail, but for those of batches that wait on', async () => {
  const { places, add, begun, refused, shareOf } = site(1)
  let calls = 0
  const share = shareOf({ onNoneReady: () => calls++ })
  const patient = shareOf({ givesUp: false })
  const first = add(share, 'http://a/0')
  await settled()
  for (const n of [1, 2, 3]) add(share, `http://a/${n}`)
  add(patient, 'http://a/4')
  expect([share.ready.size, share.waiting]).toEqual([1, 3])
  calls = 0
  places.failed(first, waits(limits.maxRetryDelay + 1), limits)
  expect(refused).toHaveLength(3)
  expect([share.ready.size, share.waiting, calls, patient.waiting]).toEqual([0, 0, 1, 1])
  // One more of its own waits for nothing, either.
  const late = add(share, 'http://a/5')
  expect([refused.at(-1), late.lane === null, share.waiting]).toEqual([
    expect.stringContaining('http://a/5: Not'),
    true,
    0,
  ])
  await vi.advanceTimersByTimeAsync(limits.maxRetryDelay)
  expect(begun).toEqual(['a/0', 'a/4'])
})

test('a batch that is over has no jobs that wait, and those that had a place begin without one', async () => {
  const { places, add, begun, shareOf } = site(1)
  const [one, other] = [shareOf(), shareOf()]
  const first = add(one, 'http://a/0')
  await settled()
  add(other, 'http://c/2', { index: 2 })
  add(other, 'http://b/3', { index: 3 })
  add(other, 'http://b/1', { index: 1 })
  const back = add(other, 'http://b/back', { isBack: true })
  const next = add(one, 'http://z/')
  const left = places.remove(other)
  expect(left.map(({ url, lane }) => [url, lane === null])).toEqual([
    ['http://b/1', true],
    ['http://c/2', true],
    ['http://b/3', true],
  ])
  expect([begun, back.lane === null, other.waiting, other.isOver, one.isOver]).toEqual([
    ['a/0', 'b/back'],
    true,
    0,
    true,
    false,
  ])
  places.leave(first)
  await settled()
  expect([begun.at(-1), other.places, places.isWanted]).toEqual(['z/', 0, false])
  places.leave(next)
  await settled()
  add(one, 'http://y/')
  await settled()
  expect(begun.at(-1)).toBe('y/')
})

test('only a batch with places is in the way of others, if they are those that a job waits for', async () => {
  const held = async (caps: readonly [number, number], own: Parameters<typeof shareWith>[0], hosts: string) => {
    const all = site(...caps)
    const share = all.shareOf(own)
    for (const host of hosts) all.add(share, `http://${host}/`)
    await settled()
    /** Whether it is in the way of a job of another batch, which does not begin. */
    const ofOther = (host: string): boolean => {
      const other = all.shareOf()
      other.isPaused = true
      all.add(other, `http://${host}/`)
      const is = all.places.isBlocking(share)
      expect(all.places.isBlocking(other)).toBe(false)
      all.places.remove(other)
      return is
    }
    /** Whether it is in the way of a further job of its own. */
    const ofOwn = (host: string, isBack: boolean): boolean => {
      share.isPaused = true
      all.places.withdraw(all.add(share, `http://${host}/`, { isBack: false }))
      const job = all.add(share, `http://${host}/`, { isBack })
      const is = all.places.isBlocking(share)
      all.places.withdraw(job)
      share.isPaused = false
      return is
    }
    return { ...all, share, ofOther, ofOwn }
  }
  // All places of the client.
  const full = await held([2, 9], {}, 'ab')
  expect([full.ofOther('c'), full.ofOwn('c', false), full.ofOwn('c', true)]).toEqual([true, false, true])
  full.add(full.share, 'http://c/')
  expect(full.places.isBlocking(full.shareOf())).toBe(false)
  const half = await held([2, 9], {}, 'a')
  expect([half.ofOther('c'), half.ofOther('a'), half.ofOwn('a', true)]).toEqual([false, false, false])
  // All places of its own.
  const own = await held([9, 9], { concurrency: 2 }, 'ab')
  expect([own.ofOwn('c', true), own.ofOwn('c', false)]).toEqual([true, false])
  // All places of the host.
  const host = await held([9, 1], {}, 'a')
  expect([host.ofOther('a'), host.ofOther('b')]).toEqual([true, false])
  // All places of its own at the host.
  const few = await held([9, 4], { perHost: 1 }, 'a')
  expect([few.ofOwn('a', true), few.ofOwn('a', false), few.ofOwn('b', true)]).toEqual([true, false, false])
  // Another batch has one of the two places of the host, or both.
  const shared = await held([9, 2], {}, 'ab')
  shared.add(shared.shareOf(), 'http://a/')
  await settled()
  expect([shared.ofOther('a'), shared.ofOther('b')]).toEqual([true, false])
  const away = await held([9, 1], {}, 'b')
  away.add(away.shareOf(), 'http://a/')
  await settled()
  expect(away.ofOther('a')).toBe(false)
})

test('a job keeps its place for its next try if only jobs of lower priority wait', async () => {
  const kept = async (priority: number, others: readonly (readonly [host: string, priority: number])[]) => {
    const { places, add, shareOf } = site(1, 1)
    const share = shareOf()
    const job = add(share, 'http://a/', { priority })
    await settled()
    for (const [host, each] of others) add(share, `http://${host}/`, { priority: each })
    places.failed(job, busy, limits)
    return job.lane !== null
  }
  expect(await kept(0, [['b', 0]])).toBe(false)
  expect(await kept(1, [])).toBe(true)
  expect(await kept(0, [])).toBe(false)
  expect(await kept(0, [['a', -1]])).toBe(true)
  expect(await kept(0, [['b', -1]])).toBe(true)
  expect(await kept(1, [['a', 1]])).toBe(false)
  expect(await kept(1, [['b', 1]])).toBe(false)
  expect(
    await kept(0, [
      ['b', -1],
      ['c', 1],
    ]),
  ).toBe(false)
})

test('the jobs of another batch at its host do not make it give its place back', async () => {
  const { places, add, shareOf } = site(9, 1)
  const share = shareOf()
  const job = add(share, 'http://a/', { priority: 1 })
  await settled()
  add(shareOf(), 'http://a/', { priority: 2 })
  places.failed(job, busy, limits)
  expect(job.lane === null).toBe(false)
})

test('each rate of a batch holds for each host', async () => {
  const { add, begun, shareOf } = site(99, 99)
  const rates = [
    { interval: 100, cap: 1 },
    { interval: 1000, cap: 3 },
  ]
  const times: number[] = []
  const share = shareOf({ perHost: 99, rates })
  for (let index = 0; index < 8; index++)
    add(share, 'http://a/', { index, onBegin: () => times.push(performance.now()) })
  add(share, 'http://b/', { index: 9 })
  await settled()
  expect([times, begun]).toEqual([[0], ['a/', 'b/']])
  for (let n = 0; n < 60; n++) await vi.advanceTimersByTimeAsync(50)
  expect(times).toEqual([0, 100, 200, 1000, 1100, 1200, 2000, 2100])
})

test('a host keeps no lane in which no job runs or waits', async () => {
  const { places, add, shareOf } = site(1)
  const [share, other, third] = [shareOf(), shareOf(), shareOf()]
  const first = add(share, 'http://a/0')
  await settled()
  const { host } = first.lane as Lane
  const second = add(other, 'http://a/1')
  add(third, 'http://a/2')
  expect(host.lanes).toHaveLength(3)
  places.withdraw(second)
  expect(host.lanes).toHaveLength(2)
  places.remove(third)
  expect(host.lanes).toHaveLength(1)
  add(other, 'http://a/3')
  places.failed(first, waits(limits.maxRetryDelay + 1), limits)
  expect(host.lanes).toHaveLength(0)
})

test('a job that goes on after the end of its batch takes one place, and none for those that never began', async () => {
  const { places, add, begun, shareOf } = site(1)
  const share = shareOf()
  const first = add(share, 'http://a/0')
  add(share, 'http://b/1')
  await settled()
  places.remove(share)
  places.leave(first)
  const back = add(share, 'http://c/2', { isBack: true })
  await settled()
  places.leave(back)
  await settled()
  add(shareOf(), 'http://d/3')
  await settled()
  expect(begun).toEqual(['a/0', 'c/2', 'd/3'])
})
