/** The place of one retrieval: when it waits for it, keeps it and gives it back, and what it has seen of its server. */
import { type ErrorCode, type Phase, RetrievalError, resolve } from '@retriever/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Places } from '../../../packages/fetchers/src/client/batch/client-places.ts'
import { Seat, type Seats, siteOf } from '../../../packages/fetchers/src/client/batch/seat.ts'
import type { Retrieval } from '../../../packages/fetchers/src/client/retrieval.ts'
import { RetrievalDeadline } from '../../../packages/fetchers/src/kit/deadline.ts'
import { failure } from '../../support/failure.ts'
import { limits, shareOf } from './jobs.ts'

const transient = true
const failed = (code: ErrorCode, phase: Phase, details = {}) =>
  new RetrievalError(code, 'No.', { phase, transient, ...details })
const busy = failed('http-error', 'request', { status: 503 })
const waits = failed('http-error', 'request', { status: 429, retryAfter: 5000 })
const taken = failed('server-refused', 'login', { reply: '530 Too many users.' })
const closed = new RetrievalError('connect-failed', 'Refused.', { phase: 'connect' })

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 0 }))
afterEach(() => void vi.useRealTimers())

class TestSeat extends Seat {
  set deadline(deadline: RetrievalDeadline) {
    this.retrieval = { deadline } as unknown as Retrieval
  }
}

function site({ concurrency = 16, perHost = 4, givesUp = true } = {}) {
  const share = shareOf({ perHost, givesUp })
  const places = new Places(concurrency, perHost)
  const seats: Seats = { places, share, inFlight: (mechanism) => (mechanism === 'gopher' ? 3 : 1) }
  let count = 0
  const seatAt = (url: string): TestSeat => new TestSeat(seats, url, count++, 0, siteOf(resolve(url), seats))
  /** A seat with a place. */
  const seated = async (url: string): Promise<TestSeat> => {
    const seat = seatAt(url)
    await seat.come(resolve(url))
    return seat
  }
  return { share, places, seats, seatAt, seated }
}

/** Whether a promise has been settled by now. */
async function isOver(promise: Promise<unknown> | null): Promise<boolean> {
  let is = false
  promise?.then(
    () => (is = true),
    () => (is = true),
  )
  await settled()
  return is
}

test.each([
  ['http://h/', { host: 'h', port: 80, inFlight: 1 }],
  ['gopher://h:7070/', { host: 'h', port: 7070, inFlight: 3 }],
  ['data:,x', { host: '', port: 0, inFlight: 1 }],
  ['file:///x', { host: '', port: 0, inFlight: 1 }],
])('the place of %s is at its server', (url, expected) => {
  expect(siteOf(resolve(url), site().seats)).toEqual(expected)
})

test('it waits for its first place, and keeps it for a further request to the same server', async () => {
  const { share, seatAt } = site()
  const seat = seatAt('http://h/')
  expect([seat.isBack, seat.isRefused]).toEqual([false, false])
  const coming = seat.come(resolve('http://h/'))
  expect([coming === null, seat.isBack]).toEqual([false, true])
  await coming
  expect(share.places).toBe(1)
  seat.answered()
  expect(seat.seen.answers).toBe(0)
  expect(seat.come(resolve('http://h/other'))).toBe(null)
  // It has seen its own answer.
  expect(seat.seen.answers).toBe(1)
})

test.each(['http://other/', 'http://h:81/', 'gopher://h:80/'])('a redirect to %s takes a place there', async (to) => {
  const { share, seated, places } = site({ perHost: 1 })
  const seat = await seated('http://h/')
  const coming = seat.come(resolve(to))
  expect(coming === null).toBe(false)
  expect(seat.site).toEqual(siteOf(resolve(to), site().seats))
  await coming
  expect([share.places, places.isWanted]).toEqual([1, false])
  seat.leave()
  expect([share.places, seat.lane === null]).toEqual([0, true])
})

test('one that leaves while it waits for its next place goes on without one', async () => {
  const { share, seated, seatAt } = site({ concurrency: 1 })
  await seated('http://h/')
  const seat = seatAt('http://h/')
  const coming = seat.come(resolve('http://h/'))
  expect([await isOver(coming), share.waiting]).toEqual([false, 1])
  seat.leave()
  expect([await isOver(coming), share.waiting, share.places, seat.lane === null]).toEqual([true, 0, 1, true])
})

test('the end of its retrieval ends the wait', async () => {
  const { share, seated, seatAt } = site({ concurrency: 1 })
  await seated('http://h/')
  const seat = seatAt('http://h/')
  const deadline = new RetrievalDeadline('http://h/', limits)
  seat.deadline = deadline
  const ended = failure(Promise.resolve(seat.come(resolve('http://h/'))))
  expect(share.waiting).toBe(1)
  deadline.fail(failed('aborted', 'request'))
  expect([(await ended).code, share.waiting]).toEqual(['aborted', 0])
  // One that is over waits for none.
  expect((await failure(Promise.resolve(seat.come(resolve('http://h/'))))).code).toBe('aborted')
  expect(share.waiting).toBe(0)
})

test('a server that was given up ends the wait with its error, and there is no further try', async () => {
  const { share, seated, seatAt } = site({ concurrency: 1 })
  const first = await seated('http://h/')
  const seat = seatAt('http://h/')
  const ended = failure(Promise.resolve(seat.come(resolve('http://h/'))))
  first.failed(failed('http-error', 'request', { status: 429, retryAfter: 500_000 }), limits)
  expect((await ended).message).toContain('Not asked')
  expect([seat.isRefused, first.isRefused, share.waiting, seat.lane === null]).toEqual([true, false, 0, true])
  seat.leave()
  expect([share.waiting, share.places]).toEqual([0, 0])
})

test('parts of a body that go on together wait for one place, and each time anew', async () => {
  const { share, seated, places } = site({ concurrency: 1 })
  const seat = await seated('http://h/')
  await seat.comeBack()
  seat.answered()
  await seat.comeBack()
  expect(seat.seen.answers).toBe(1)
  places.leave(seat)
  const other = await seated('http://other/')
  const parts = [seat.comeBack(), seat.comeBack()]
  expect([share.waiting, seat.isBack]).toEqual([1, true])
  expect(await isOver(Promise.race(parts))).toBe(false)
  other.leave()
  await Promise.all(parts)
  expect([share.waiting, share.places]).toEqual([0, 1])
  places.leave(seat)
  await settled()
  const again = seat.comeBack()
  expect(share.places + share.waiting).toBe(1)
  await again
  expect(share.places).toBe(1)
})

test('a part of a body that comes back while another waits does not have the place yet', async () => {
  const { seated, places } = site({ concurrency: 1 })
  const seat = await seated('http://h/')
  places.leave(seat)
  const other = await seated('http://other/')
  const first = seat.comeBack()
  const second = seat.comeBack()
  expect([await isOver(first), await isOver(second)]).toEqual([false, false])
  other.leave()
  expect([await isOver(first), await isOver(second)]).toEqual([true, true])
})

test('a body that goes on while its retrieval has its place keeps that', async () => {
  const { share, places, seatAt } = site()
  const seat = seatAt('http://h/')
  places.add(share, seat)
  await settled()
  await seat.comeBack()
  expect([seat.isBack, share.places]).toEqual([false, 1])
})

test('after the end of its batch it needs no place', async () => {
  const { share, seated, places } = site()
  const seat = await seated('http://h/')
  seat.leave()
  places.remove(share)
  await seat.comeBack()
  expect([share.waiting, share.places, seat.lane === null]).toEqual([0, 0, true])
})

test('only one with a place tells what its server did', async () => {
  const { seated, seatAt, places } = site({ concurrency: 1 })
  const holder = await seated('http://h/')
  const lane = holder.lane
  const seat = seatAt('http://h/')
  const tell = (): void => {
    seat.answered()
    seat.delivered()
    seat.failed(busy, limits)
  }
  tell()
  void seat.come(resolve('http://h/'))
  expect(seat.lane === lane).toBe(true)
  tell()
  expect(lane?.server.seen).toEqual({ answers: 0, bodies: 0, failures: 0, running: 1 })
  expect(seat.waitsOn(busy)).toBe(null)
  seat.leave()
  holder.answered()
  holder.delivered()
  expect(lane?.server.seen).toMatchObject({ answers: 1, bodies: 1 })
  places.leave(holder)
  holder.answered()
  expect(lane?.server.seen.answers).toBe(1)
})

test.each([
  [true, true, closed],
  [false, false, closed],
  [false, true, failed('connect-failed', 'tls')],
  [false, true, failed('timeout', 'connect')],
])('a refused connection may pass (%s) if its server has answered (%s): %s', async (passes, isKnown, error) => {
  const { seated } = site()
  const other = await seated('http://h/')
  const seat = await seated('http://h/')
  expect(seat.mayPass(error)).toBe(false)
  if (isKnown) other.answered()
  seat.failed(error, limits)
  expect(seat.mayPass(error)).toBe(passes)
})

test('a server that asks to wait, and answers others between two failures, costs no try', async () => {
  const { seated } = site()
  const seat = await seated('http://h/')
  expect([seat.spares(waits), seat.spares(taken)]).toEqual([false, false])
  /** Whether it is spared; then others are answered, or not, and it has a place again. */
  const fail = async (error: RetrievalError, isAnswered: boolean): Promise<boolean> => {
    seat.failed(error, limits)
    const spares = seat.spares(error)
    await vi.advanceTimersByTimeAsync(120_000)
    if (isAnswered) {
      const other = await seated('http://h/')
      other.answered()
      other.leave()
    }
    const coming = seat.come(resolve('http://h/'))
    await vi.advanceTimersByTimeAsync(120_000)
    await coming
    return spares
  }
  expect(await fail(waits, false)).toBe(false)
  expect(await fail(waits, true)).toBe(false)
  expect(await fail(waits, true)).toBe(true)
  // It says nothing of waiting.
  expect(await fail(busy, false)).toBe(false)
  expect(await fail(waits, false)).toBe(false)
})

test('a server that is full costs none while its trouble is young', async () => {
  const { seated } = site()
  const seat = await seated('http://h/')
  const spares: boolean[] = []
  for (let n = 0; n < 20; n++) {
    seat.failed(taken, limits)
    spares.push(seat.spares(taken))
    expect([seat.spares(busy), seat.spares(waits)]).toEqual([false, false])
    if (seat.lane?.server.trouble?.isGivenUp === true) break
    const coming = seat.come(resolve('http://h/'))
    await vi.advanceTimersByTimeAsync(8000)
    if (seat.isRefused) break
    await coming
  }
  expect([spares[0], spares.at(-1), spares.length > 7]).toEqual([true, false, true])
})

test('in a batch that gives no server up, it waits for its own as long as the trouble lasts', async () => {
  await vi.advanceTimersByTimeAsync(1234)
  const { seated } = site({ givesUp: false })
  const seat = await seated('http://h/')
  expect(seat.waitsOn(busy)).toBe(null)
  seat.failed(waits, limits)
  expect([seat.waitsOn(waits), seat.waitsOn(closed)]).toEqual([5000, null])
  const known = await seated('http://known/')
  known.answered()
  expect(known.come(resolve('http://known/'))).toBe(null)
  known.failed(closed, { ...limits, retryDelay: 700.4 })
  expect([known.waitsOn(closed), known.waitsOn(busy)]).toEqual([700, 700])
  // An error that is none of the server's leaves it well.
  const well = await seated('http://well/')
  well.failed(failed('not-found', 'request', { status: 404 }), limits)
  expect(well.waitsOn(busy)).toBe(null)
  const { seated: seatedElsewhere } = site()
  const other = await seatedElsewhere('http://h/')
  other.failed(waits, limits)
  expect(other.waitsOn(waits)).toBe(null)
})
