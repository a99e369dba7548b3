/** When the bodies of a batch that nobody reads give their places to URLs that wait. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Body } from '../../../packages/fetchers/src/body/body.ts'
import { UnreadBodies } from '../../../packages/fetchers/src/client/batch/unread-bodies.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The bodies of a batch; `log` has what happened to them. */
function site({ isWanted = true, isBlocking = false, unreadTimeout = 10_000 } = {}) {
  const log: string[] = []
  const job = (name: string) => {
    const body = {
      isOver: false,
      isUntouched: true,
      reads: 0 as number | null,
      warnUnread: () => log.push(`warn ${name}`),
      endPassedBy: () => log.push(`end ${name}`),
    }
    return { slot: -1, reads: null as number | null, body: body as typeof body & Body, giveBack: () => log.push(name) }
  }
  const state = { isWanted, isBlocking, kept: [] as ReturnType<typeof job>[] }
  const waiting = {
    isWanted: () => state.isWanted,
    isBlocking: () => state.isBlocking,
    kept: () => state.kept,
  }
  return { unread: new UnreadBodies(waiting, unreadTimeout), state, job, log }
}

/** The events after each second. */
function seconds(log: readonly string[], count: number, between: () => void = () => {}): readonly number[] {
  return Array.from({ length: count }, () => {
    between()
    vi.advanceTimersByTime(1000)
    return log.length
  })
}

test('those that are not read for a second give their places back, with a warning', () => {
  const { unread, job, log } = site()
  unread.add(job('a'))
  unread.add(job('b'))
  // In the first second it may not have been there to be read.
  expect(seconds(log, 1)).toEqual([0])
  vi.advanceTimersByTime(1000)
  expect(log).toEqual(['warn a', 'a', 'warn b', 'b'])
  expect(seconds(log, 3)).toEqual([4, 4, 4])
  expect(vi.getTimerCount()).toBe(0)
})

test('limits.unreadTimeout may be less than a second', () => {
  const { unread, job, log } = site({ unreadTimeout: 20 })
  unread.add(job('a'))
  vi.advanceTimersByTime(39)
  expect(log).toEqual([])
  vi.advanceTimersByTime(1)
  expect(log).toEqual(['warn a', 'a'])
})

test('while one of them is read, all keep their places', () => {
  const { unread, job, log } = site()
  const [read, idle] = [job('a'), job('b')]
  for (const each of [read, idle]) unread.add(each)
  expect(seconds(log, 5, () => Object.assign(read.body, { reads: (read.body.reads ?? 0) + 1 }))).toEqual([
    0, 0, 0, 0, 0,
  ])
  // It waits for octets.
  expect(seconds(log, 5, () => Object.assign(read.body, { reads: null }))).toEqual([0, 0, 0, 0, 0])
  Object.assign(read.body, { reads: 7 })
  expect(seconds(log, 2)).toEqual([0, 4])
})

test('without a URL that waits they keep their places', () => {
  const { unread, state, job, log } = site({ isWanted: false })
  unread.add(job('a'))
  expect(seconds(log, 4)).toEqual([0, 0, 0, 0])
  state.isBlocking = true
  expect(seconds(log, 1)).toEqual([2])
})

test('one that is added again counts from then on', () => {
  const { unread, job, log } = site()
  const late = job('a')
  late.reads = 0
  unread.add(late)
  expect(seconds(log, 2)).toEqual([0, 2])
})

test('those that are over or removed are not looked at', () => {
  const { unread, job, log } = site()
  const [over, gone, idle] = [job('a'), job('b'), job('c')]
  for (const each of [over, gone, idle]) unread.add(each)
  Object.assign(over.body, { isOver: true, reads: null })
  unread.remove(gone)
  vi.advanceTimersByTime(2000)
  expect(log).toEqual(['warn c', 'c'])
  unread.add(over)
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})

test('if another batch is held up, so do results that the caller does not have, unless it reads', () => {
  const { unread, state, job, log } = site({ isBlocking: true, isWanted: false })
  const [kept, read] = [job('kept'), job('read')]
  state.kept = [kept]
  unread.add(read)
  expect(seconds(log, 3, () => Object.assign(read.body, { reads: (read.body.reads ?? 0) + 1 }))).toEqual([0, 0, 0])
  expect(seconds(log, 1)).toEqual([3])
  expect(log).toEqual(['kept', 'warn read', 'read'])
  const other = site({ isBlocking: false })
  other.state.kept = [other.job('kept')]
  other.unread.watch(false)
  expect(seconds(other.log, 4)).toEqual([0, 0, 0, 0])
  // While those are read, those that the caller has give their places all the same.
  const third = site({ isBlocking: true })
  const busy = third.job('busy')
  third.state.kept = [busy]
  third.unread.add(third.job('a'))
  expect(seconds(third.log, 2, () => Object.assign(busy.body, { reads: (busy.body.reads ?? 0) + 1 }))).toEqual([0, 2])
})

test('one that is passed by gives its place back at once if a URL waits, and the oldest ends', () => {
  const { unread, job, log } = site()
  const jobs = ['a', 'b', 'c', 'd'].map(job)
  for (const each of jobs) unread.add(each)
  const [a, b, c, d] = jobs as [(typeof jobs)[0], (typeof jobs)[0], (typeof jobs)[0], (typeof jobs)[0]]
  unread.passBy(a, 2)
  // Twice is once.
  unread.passBy(a, 2)
  unread.passBy(b, 2)
  expect(log).toEqual(['warn a', 'a', 'warn b', 'b'])
  unread.passBy(c, 2)
  expect(log.slice(4)).toEqual(['warn c', 'c', 'end a'])
  // A body that is read, or over, no longer counts among those that can be read for a while.
  Object.assign(b.body, { isUntouched: false })
  unread.passBy(d, 2)
  expect(log.slice(7)).toEqual(['warn d', 'd'])
  const [e, f] = [job('e'), job('f')]
  unread.add(e)
  Object.assign(c.body, { isOver: true })
  unread.passBy(e, 2)
  expect(log.slice(9)).toEqual(['warn e', 'e'])
  unread.add(f)
  unread.passBy(f, 2)
  expect(log.slice(11)).toEqual(['warn f', 'f', 'end d'])
})

test('one that the caller has touched, or for which no URL waits, keeps its place', () => {
  const { unread, state, job, log } = site()
  const [touched, idle] = [job('a'), job('b')]
  for (const each of [touched, idle]) unread.add(each)
  Object.assign(touched.body, { isUntouched: false })
  unread.passBy(touched, 2)
  state.isWanted = false
  unread.passBy(idle, 2)
  expect(log).toEqual([])
  unread.passBy({ ...job('none'), body: null }, 2)
  expect(log).toEqual([])
})

test('the end of a batch stops the clock if the caller has no bodies', () => {
  const { unread, job } = site({ isWanted: false })
  unread.end()
  unread.watch(true)
  expect(vi.getTimerCount()).toBe(1)
  unread.end()
  expect(vi.getTimerCount()).toBe(0)
  const other = site()
  other.unread.add(job('a'))
  other.unread.end()
  vi.advanceTimersByTime(2000)
  expect(vi.getTimerCount()).toBe(0)
})

test('it keeps the process alive only while a function waits, or another batch is held up', () => {
  // At the end of a file vitest puts back what was spied on, which must not be a virtual timer.
  vi.useRealTimers()
  const unref = vi.fn()
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => ({ unref })) as never)
  const calls = (begin: (unread: UnreadBodies, job: ReturnType<typeof site>['job']) => void): number => {
    const { unread, job } = site()
    unref.mockClear()
    begin(unread, job)
    return unref.mock.calls.length
  }
  expect(calls((unread) => unread.watch(true))).toBe(0)
  expect(calls((unread) => unread.watch(false))).toBe(1)
  expect(calls((unread, job) => unread.add(job('a')))).toBe(1)
  const ended = calls((unread, job) => {
    unread.watch(true)
    unread.add(job('a'))
    unref.mockClear()
    unread.end()
  })
  expect(ended).toBe(1)
  const held = [true, false].map((isBlocking) => {
    const { unread, state, job } = site({ isBlocking, isWanted: false })
    unread.add(job('a'))
    state.kept = [job('kept')]
    const look = timers.mock.calls.at(-1)?.[0]
    unref.mockClear()
    look?.()
    return unref.mock.calls.length
  })
  expect(held).toEqual([0, 1])
  timers.mockRestore()
})
