/** The pool that FTP and News share: which session a retrieval gets, and when it waits for one. */
import { type ErrorCode, RetrievalError } from '@retriever/core'
import type { ErrorExtras, RetrievalContext } from '@retriever/fetchers/plugin'
import { describe, expect, test } from 'vitest'
import type { Limits } from '../../packages/fetchers/src/contract/limits.ts'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { type ReusableSession, SessionPool } from '../../packages/fetchers/src/wire/pool/session-pool.ts'
import { UnreadWatch } from '../../packages/fetchers/src/wire/pool/unread-watch.ts'

class FakeSession implements ReusableSession {
  isUsable = true
  isLost = false
  served = 0
  unreadSince: number | null = null
  readonly unreadWatch = new UnreadWatch(this)
  attach(): void {}
  detach(): void {}
  evict(): void {}
  close(): void {
    this.isLost = true
  }
}

const plan = { host: 'h', port: 1, tls: 'none', user: null, password: null } as const
const bob = { ...plan, user: 'bob' }
const full = new RetrievalError('server-refused', 'full', { phase: 'greeting' })

function contextOf(unreadLimit = 60_000, signal?: AbortSignal): RetrievalContext {
  const limits = { idleTimeout: unreadLimit, totalTimeout: Number.POSITIVE_INFINITY } as Limits
  return {
    url: 'x://h/',
    limits,
    tls: {},
    deadline: new RetrievalDeadline('x://h/', limits, signal),
    emit() {},
    error: (code: ErrorCode, message: string, extras: ErrorExtras) =>
      new RetrievalError(code, message, { phase: 'connect', ...extras }),
  } as never
}

/** A pool and the sessions that it has opened. `most`: the server refuses further ones. */
function trial({ connections = 2, capacity = 1, most = 100, perLogin = Number.POSITIVE_INFINITY } = {}) {
  const opened: FakeSession[] = []
  const asked = { times: 0 }
  const open = async (): Promise<FakeSession> => {
    asked.times++
    if (opened.filter(({ isLost }) => !isLost).length >= most) throw full
    opened.push(new FakeSession())
    return opened.at(-1) as FakeSession
  }
  const pool = new SessionPool(
    {
      newQuirks: () => null,
      open,
      capacity: () => capacity,
      perLogin,
      pick: ([first]) => first,
      isFull: (error): error is RetrievalError => error === full,
      unreadLimit: ({ idleTimeout }) => idleTimeout,
    },
    connections,
  )
  return { pool, opened, asked }
}

/** Whether a promise has settled once all that is under way is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise((resolve) => setTimeout(resolve, 5))
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

describe('a retrieval gets', () => {
  test('the session that was used last, of those with the same login', async () => {
    const { pool, opened } = trial({ connections: 3 })
    const leases = [await pool.lease(plan, contextOf()), await pool.lease(plan, contextOf())]
    leases[1]?.giveBack()
    leases[0]?.giveBack()
    expect((await pool.lease(plan, contextOf())).session).toBe(opened[0])
    expect((await pool.lease(bob, contextOf())).session).toBe(opened[2])
  })

  test('a new one where it asks for that, or the idle one is of no use', async () => {
    const { pool, opened } = trial()
    const first = await pool.lease(plan, contextOf())
    first.giveBack()
    const second = await pool.lease(plan, contextOf(), true)
    expect(second.session).toBe(opened[1])
    second.giveBack()
    for (const session of opened) session.isUsable = false
    expect((await pool.lease(plan, contextOf())).session).toBe(opened[2])
    expect(opened.map(({ isLost }) => isLost)).toEqual([true, true, false])
  })

  test('a connection of its own while there are slots, then the session with the fewest users', async () => {
    const { pool, opened } = trial({ capacity: 2 })
    const sessions: FakeSession[] = []
    for (let each = 0; each < 4; each++) sessions.push((await pool.lease(plan, contextOf())).session)
    expect(opened).toHaveLength(2)
    expect(opened.map((each) => sessions.filter((session) => session === each).length)).toEqual([2, 2])
    expect(await isSettled(pool.lease(plan, contextOf()))).toBe(false)
  })

  test('the slot of an idle session of another login', async () => {
    const { pool, opened } = trial({ connections: 1 })
    const lease = await pool.lease(plan, contextOf())
    lease.giveBack()
    expect((await pool.lease(bob, contextOf())).session).toBe(opened[1])
    expect(opened[0]?.isLost).toBe(true)
  })
})

test('a server that is full gets back the idle sessions with it by another name', async () => {
  const { pool, opened } = trial({ most: 1 })
  const first = await pool.lease(plan, contextOf())
  const alias = { ...plan, host: 'alias' }
  await expect(pool.lease(alias, contextOf())).rejects.toBe(full)
  expect(opened[0]?.isLost).toBe(false)
  first.giveBack()
  await expect(pool.lease(alias, contextOf())).rejects.toBe(full)
  expect((await pool.lease(alias, contextOf())).session).toBe(opened[1])
  expect(opened[0]?.isLost).toBe(true)
})

test('a server that is full, and has none of our sessions, is not asked once for each that waits', async () => {
  const { pool, asked } = trial({ most: 0 })
  const leases = Array.from({ length: 50 }, () => pool.lease(plan, contextOf()))
  const outcomes = await Promise.allSettled(leases)
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ reason: { code: 'server-refused', phase: 'greeting' } })
  // Each of the two connections that it may have at first, and one to look again.
  expect(asked.times).toBeLessThanOrEqual(3)
})

describe('with one session for each login', () => {
  test('retrievals that come together share the first, which is opened once', async () => {
    const { pool, opened } = trial({ connections: 4, capacity: 10, perLogin: 1 })
    const leases = await Promise.all(Array.from({ length: 10 }, () => pool.lease(plan, contextOf())))
    expect(opened).toHaveLength(1)
    const next = pool.lease(plan, contextOf())
    expect(await isSettled(next)).toBe(false)
    leases[3]?.giveBack()
    expect((await next).session).toBe(opened[0])
  })

  test('another login passes those that wait for the first', async () => {
    const { pool, opened } = trial({ connections: 2, perLogin: 1 })
    const first = await pool.lease(plan, contextOf())
    const next = pool.lease(plan, contextOf())
    const other = await pool.lease(bob, contextOf())
    const third = pool.lease({ ...plan, user: 'carol' }, contextOf())
    expect(await isSettled(next)).toBe(false)
    other.giveBack()
    expect((await third).session).toBe(opened[2])
    first.giveBack()
    expect((await next).session).toBe(opened[0])
  })

  test('one that wants a new session gets it in place of the idle one', async () => {
    const { pool, opened } = trial({ connections: 4, perLogin: 1 })
    const first = await pool.lease(plan, contextOf())
    const fresh = pool.lease(plan, contextOf(), true)
    expect(await isSettled(fresh)).toBe(false)
    first.giveBack()
    expect((await fresh).session).toBe(opened[1])
    expect(opened[0]?.isLost).toBe(true)
  })
})

describe('a retrieval waits', () => {
  test('for its turn, and one that is aborted passes it on', async () => {
    const { pool } = trial({ connections: 1 })
    const held = await pool.lease(plan, contextOf())
    const controller = new AbortController()
    const aborted = pool.lease(plan, contextOf(60_000, controller.signal))
    const next = pool.lease(plan, contextOf())
    held.giveBack()
    held.giveBack()
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    expect((await next).session).toBe(held.session)
  })

  test('where the server is full, until a session is free', async () => {
    const { pool, opened } = trial({ connections: 4, most: 1 })
    const held = await pool.lease(plan, contextOf())
    const next = pool.lease(plan, contextOf())
    expect(await isSettled(next)).toBe(false)
    held.giveBack()
    expect((await next).session).toBe(opened[0])
  })

  test('not for ever: a body that stays unread loses its session, and only one for each that waits', async () => {
    const { pool, opened } = trial({ connections: 2 })
    const held = [await pool.lease(plan, contextOf()), await pool.lease(plan, contextOf())]
    for (const { session } of held) session.unreadSince = performance.now() - 1000
    expect((await pool.lease(plan, contextOf(20))).session).toBe(opened[2])
    expect(opened.filter(({ isLost }) => isLost)).toHaveLength(1)
  })

  test('as long as the body is read', async () => {
    const { pool, opened } = trial({ connections: 1 })
    await pool.lease(plan, contextOf())
    const next = pool.lease(plan, contextOf(300))
    for (let each = 0; each < 5; each++) {
      const [session] = opened
      if (session !== undefined) session.unreadSince = performance.now()
      expect(await isSettled(next)).toBe(false)
    }
    expect((await next).session).toBe(opened[1])
  })
})

test('a session in use when the pool closes is closed when it is given back', async () => {
  const { pool, opened } = trial()
  const lease = await pool.lease(plan, contextOf())
  pool.close()
  expect(opened[0]?.isLost).toBe(false)
  lease.giveBack()
  expect(opened[0]?.isLost).toBe(true)
})
