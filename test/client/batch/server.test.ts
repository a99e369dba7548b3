/** How many jobs one server may have, by what it has answered. */
import { type Phase, RetrievalError } from '@retriever/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Job } from '../../../packages/fetchers/src/client/batch/job.ts'
import { Server } from '../../../packages/fetchers/src/client/batch/server.ts'
import { jobAt, limits } from './jobs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 }))
afterEach(() => void vi.useRealTimers())

const transient = true
const busy = new RetrievalError('http-error', 'Busy.', { phase: 'request', status: 503, transient })
const cut = new RetrievalError('partial', 'Cut.', { phase: 'body', transient })
const closed = new RetrievalError('connect-failed', 'Refused.', { phase: 'connect' })
const waits = (retryAfter: number) =>
  new RetrievalError('http-error', 'Wait.', { phase: 'request', status: 429, transient, retryAfter })
const away = (phase: Phase) => new RetrievalError('receive-failed', 'Full.', { phase, transient })

/** A server, and its jobs, each of which has a URL of its own. */
function site() {
  const server = new Server({ host: 'a', port: 80, inFlight: 1 })
  let count = 0
  const begin = (url = `http://a/${count++}`): Job => {
    server.running++
    return jobAt(url, { seen: server.seen })
  }
  const failed = (job: Job, error: unknown, own = limits): void => {
    server.failed(job, error, own)
    server.running--
  }
  const answered = (job: Job): boolean => {
    server.running--
    return server.answered(job)
  }
  const delivered = (job: Job): boolean => server.delivered(job)
  /** How many jobs may begin one after the other. */
  const room = (): number => {
    const before = server.running
    while (server.hasRoom && server.running < before + 100) server.running++
    const found = server.running - before
    server.running = before
    return found
  }
  return { server, begin, failed, answered, delivered, room }
}

test('a server that is well takes any number of jobs', () => {
  const { server, room, begin, answered } = site()
  expect([room(), server.isKnown, server.seen]).toEqual([
    100,
    false,
    { answers: 0, bodies: 0, failures: 0, running: 0 },
  ])
  for (let n = 0; n < 200; n++) expect(answered(begin())).toBe(false)
  expect([room(), server.isKnown]).toEqual([100, true])
  expect(server.seen).toEqual({ answers: 200, bodies: 0, failures: 0, running: 0 })
})

test('after a trouble it takes one, and with each answer one more, up to sixteen', () => {
  const { server, room, begin, failed, answered } = site()
  failed(begin(), busy)
  expect([room(), server.trouble === null]).toEqual([1, false])
  const rooms: number[] = []
  for (let n = 0; n < 15; n++) {
    expect(answered(begin())).toBe(true)
    rooms.push(room())
  }
  expect(rooms).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
  expect([answered(begin()), room(), server.trouble]).toEqual([true, 100, null])
  expect(answered(begin())).toBe(false)
})

test('while it is in trouble, what it fails counts since it was well', () => {
  const { server, begin, failed, answered } = site()
  const own = { ...limits, maxRetryTime: 300_000, retryDelay: 1000 }
  const fail = (): boolean => {
    failed(begin(), busy, own)
    return server.isGivenUp(performance.now())
  }
  expect(fail()).toBe(false)
  vi.advanceTimersByTime(290_000)
  answered(begin())
  // An answer does not make it well.
  expect([server.trouble, fail()]).toEqual([null, false])
  vi.advanceTimersByTime(10_000)
  answered(begin())
  expect(fail()).toBe(true)
  for (let n = 0; n < 16; n++) answered(begin())
  // Sixteen do.
  vi.advanceTimersByTime(10_000)
  expect(fail()).toBe(false)
})

test('a server that was given up is asked again when its pause is over', () => {
  const { server, begin, failed } = site()
  expect(server.isGivenUp(0)).toBe(false)
  failed(begin(), waits(limits.maxRetryDelay + 1))
  expect([server.isGivenUp(limits.maxRetryDelay - 1), server.isGivenUp(limits.maxRetryDelay)]).toEqual([true, false])
  const other = site()
  other.failed(other.begin(), waits(5000))
  expect(other.server.isGivenUp(0)).toBe(false)
})

test('an answer to a request before the one that it asked to wait changes nothing', () => {
  const { server, begin, failed, answered, room } = site()
  const [early, asked] = [begin(), begin()]
  failed(asked, waits(5000))
  expect([answered(early), room(), server.trouble === null]).toEqual([false, 1, false])
  expect([answered(begin()), server.trouble]).toEqual([true, null])
  // Without such words, it is as good as any other.
  const other = site()
  const before = other.begin()
  other.failed(other.begin(), busy)
  expect([other.answered(before), other.server.trouble]).toEqual([true, null])
})

test('without retries, and by errors of a URL, nothing is learnt', () => {
  const { server, begin, failed } = site()
  failed(begin(), busy, { ...limits, maxRetries: 0 })
  failed(begin(), new Error('of a caller'))
  expect([server.trouble, server.seen.failures]).toEqual([null, 0])
})

test('a failure is that of a URL if the server has answered others meanwhile, unless it asks to wait', () => {
  const { server, begin, failed, answered } = site()
  const [slow, rude] = [begin(), begin()]
  answered(begin())
  failed(slow, busy)
  expect(server.trouble).toBe(null)
  failed(rude, waits(1000))
  expect(server.trouble).not.toBe(null)
})

test('failures of tries that began together count once', () => {
  const { server, begin, failed } = site()
  const jobs = [begin(), begin(), begin()]
  for (const job of jobs) failed(job, busy)
  expect([server.seen.failures, server.trouble?.urls]).toEqual([1, 1])
  failed(begin(), busy)
  expect([server.seen.failures, server.trouble?.urls]).toEqual([2, 2])
})

test('after a body that broke off, only bodies are answers, and as many jobs as run go on', () => {
  const { server, begin, failed, answered, delivered, room } = site()
  const jobs = [begin(), begin(), begin()]
  failed(begin(), cut)
  expect([server.trouble === null, room()]).toEqual([false, 1])
  const [one, other] = jobs as [Job, Job]
  expect([answered(one), server.trouble === null]).toEqual([false, false])
  expect([delivered(one), server.trouble]).toEqual([true, null])
  expect(server.seen).toMatchObject({ answers: 1, bodies: 1 })
  // A body that broke off before another came is that of its URL.
  failed(other, cut)
  expect(server.trouble).toBe(null)
})

test('a body that breaks off is a fault of its server, whatever else was answered meanwhile', () => {
  const { server, begin, failed, answered } = site()
  const job = begin()
  answered(begin())
  failed(job, cut)
  expect(server.trouble).not.toBe(null)
})

test('a body that breaks off when no other comes leaves room for one job', () => {
  const { begin, failed, room, server } = site()
  const job = begin()
  server.running = 0
  failed(job, cut)
  server.running = 0
  expect(room()).toBe(1)
})

test('a body that breaks off makes no more room than there was', () => {
  const { begin, failed, room, server } = site()
  const jobs = [begin(), begin(), begin(), begin()]
  failed(begin(), busy)
  for (const job of jobs) failed(job, cut)
  expect([server.running, room()]).toEqual([0, 1])
})

test('while no body has broken off, a body is no answer', () => {
  const { begin, failed, delivered, server, room } = site()
  failed(begin(), busy)
  expect([delivered(begin()), server.trouble === null]).toEqual([false, false])
  server.running = 0
  expect(room()).toBe(1)
})

test('a server that recovers from broken bodies takes answers again', () => {
  const { begin, failed, delivered, answered, room, server } = site()
  failed(begin(), cut)
  for (let n = 0; n < 16; n++) {
    delivered(begin())
    server.running--
  }
  expect(room()).toBe(100)
  failed(begin(), busy)
  expect([answered(begin()), room()]).toEqual([true, 2])
})

test('the error of a job that is not asked for names the last failure, if there was one', () => {
  const { server, begin, failed } = site()
  expect(server.refusal(jobAt('http://a/x'), 0).message).toMatch(/^http:\/\/a\/x: Not asked\. .* Try later\.$/)
  failed(begin(), busy)
  expect(server.refusal(jobAt('http://a/x'), 0).message).toMatch(/The error was: Busy\.$/)
})

test('jobs share the places that are held', () => {
  const server = new Server({ host: 'a', port: 80, inFlight: 3 })
  const hasShared = [0, 1, 3].map((running) => {
    server.running = running
    return server.hasShared
  })
  server.held.push(() => {})
  const withPlace = [0, 2, 3].map((running) => {
    server.running = running
    return server.hasShared
  })
  expect([hasShared, withPlace]).toEqual([
    [false, false, false],
    [true, true, false],
  ])
})

/** A server that turns jobs away at the door, while it answers others, and takes those jobs later. */
function crowded(phase: Phase = 'greeting') {
  const all = site()
  const { begin, failed, answered } = all
  /** `running`: how many run when the job begins, with itself. */
  const turnAway = (running: number): Job => {
    const others = Array.from({ length: running - 1 }, () => begin())
    const job = begin()
    for (const other of others) answered(other)
    failed(job, away(phase))
    return job
  }
  const takeLater = (job: Job): boolean => {
    all.server.running++
    return answered(job)
  }
  return { ...all, turnAway, takeLater }
}

test.each(['connect', 'greeting'] as const)(
  'jobs that were turned away (%s) and come later show how many it takes',
  (phase) => {
    const { turnAway, takeLater, room } = crowded(phase)
    const jobs = [2, 2].map(turnAway)
    expect(room()).toBe(100)
    for (const job of jobs) takeLater(job)
    expect(room()).toBe(1)
  },
)

test('half of those that ran then, rounded up, are the limit', () => {
  const { takeLater, room, begin, failed, answered } = crowded()
  const jobs = [begin(), begin(), begin(), begin(), begin()]
  for (const [n, job] of jobs.entries()) if (n < 2) answered(job)
  for (const [n, job] of jobs.entries()) if (n >= 2) failed(job, away('greeting'))
  for (const job of jobs.slice(4)) takeLater(job)
  expect(room()).toBe(3)
})

test.each(['login', 'request'] as const)('a failure in the phase %s shows no limit', (phase) => {
  const { turnAway, takeLater, room } = crowded(phase)
  for (const job of [2, 2, 2].map(turnAway)) takeLater(job)
  expect(room()).toBe(100)
})

test('a job that was turned away and never came shows no limit, nor one of a server that answers most', () => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  turnAway(2)
  turnAway(2)
  expect(room()).toBe(100)
  const job = turnAway(2)
  for (let n = 0; n < 10; n++) answered(begin())
  takeLater(job)
  expect(room()).toBe(100)
})

test('a server with a limit gets one job more after each hundred answers, and one less if it turns that away', () => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  for (const job of [3, 3].map(turnAway)) takeLater(job)
  const limit = room()
  const calm = (): readonly boolean[] => Array.from({ length: 100 }, () => answered(begin()))
  const told = calm()
  expect([room(), told.indexOf(true), told.filter(Boolean).length]).toEqual([limit + 1, 99, 1])
  turnAway(limit + 1)
  expect(room()).toBe(limit)
  calm()
  calm()
  expect(room()).toBe(limit + 2)
})

test('from sixteen on, it has none any more', () => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  for (const job of [2, 2].map(turnAway)) takeLater(job)
  const rooms = [room()]
  for (let n = 0; n < 16; n++) {
    for (let m = 0; m < 100; m++) answered(begin())
    rooms.push(room())
  }
  expect(rooms).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 100])
})

test('a refused connection to a server that answers nobody is a trouble, and shows no limit', () => {
  const { server, begin, failed, answered, room } = site()
  const job = begin()
  failed(job, closed)
  expect([server.trouble === null, room()]).toEqual([false, 1])
  server.running++
  answered(job)
  expect(room()).toBe(2)
})

test('one that recovers shows its limit, too, by a job that it turns away after the others', () => {
  const limitOf = (fail: (all: ReturnType<typeof crowded>) => Job): number => {
    const all = crowded()
    all.failed(all.begin(), busy)
    const job = fail(all)
    // It comes later.
    all.takeLater(job)
    return all.room()
  }
  const one = ({ begin, failed }: ReturnType<typeof crowded>): Job => {
    const job = begin()
    failed(job, away('greeting'))
    return job
  }
  const last = ({ begin, failed, answered }: ReturnType<typeof crowded>): Job => {
    answered(begin())
    const [other, job] = [begin(), begin()]
    failed(job, away('greeting'))
    expect(other).not.toBe(job)
    return job
  }
  const together = ({ begin, failed, answered }: ReturnType<typeof crowded>): Job => {
    answered(begin())
    const [other, job] = [begin(), begin()]
    failed(other, busy)
    failed(job, away('greeting'))
    return job
  }
  expect([limitOf(one), limitOf(last), limitOf(together)]).toEqual([2, 0, 2])
})

test('a job that was turned away when more ran than it takes shows nothing, and one of as many lowers the limit', () => {
  const { turnAway, takeLater, room } = crowded()
  const early = turnAway(5)
  const [first] = [3, 3, 3, 3, 3].map(turnAway)
  expect([takeLater(first as Job), room()]).toEqual([false, 2])
  // Without a trial before them, these are no proof yet.
  const [job] = [2, 2].map(turnAway)
  expect(room()).toBe(2)
  expect([takeLater(early), room()]).toEqual([false, 2])
  expect([takeLater(job as Job), room()]).toEqual([false, 1])
})

test('the second answer to a job that was turned away is one as any other', () => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  const jobs = [2, 2].map(turnAway)
  for (const job of jobs) takeLater(job)
  for (let n = 0; n < 99; n++) answered(begin())
  expect(room()).toBe(1)
  expect(takeLater(jobs[0] as Job)).toBe(true)
  expect(room()).toBe(2)
})

test.each<[room: number, of: string, answers: readonly number[]]>([
  // So many answers, and then one job that is turned away.
  [1, 'turns many away after it has answered a thousand', [1000, ...Array(40).fill(0)]],
  [100, 'turns two away after it has answered twenty', [20, 0]],
  [100, 'turns one of ten away all the time', Array(30).fill(10)],
])('%i are the room of a server that %s', (expected, _, answers) => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  const jobs = answers.map((count) => {
    for (let n = 0; n < count; n++) answered(begin())
    return turnAway(2)
  })
  takeLater(jobs.at(-1) as Job)
  expect(room()).toBe(expected)
})

test('a server that turned many away long ago, and takes all now, has no limit', () => {
  const { turnAway, takeLater, room, begin, answered } = crowded()
  const jobs = Array.from({ length: 200 }, () => turnAway(2))
  for (let n = 0; n < 50; n++) answered(begin())
  takeLater(jobs.at(-1) as Job)
  expect(room()).toBe(100)
})
