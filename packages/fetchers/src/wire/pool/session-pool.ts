import type { RetrievalError } from '@retriever/core'
import { clampTimer } from '../../plugin/deadline.ts'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Slots } from './connection-slots.ts'
import { type LoginTarget, sessionKey } from './pool-key.ts'
import type { UnreadWatch } from './unread-watch.ts'

/** Many servers allow a client three or four connections. */
const defaultConnections = 4

/** How long an idle session is kept, in milliseconds. Servers close idle ones after one to fifteen minutes. */
const defaultIdleTime = 15_000

/** How long a server counts as full, in milliseconds, before another connection is tried. */
const fullFor = 60_000

/** A connection on which one retrieval follows the other, or several go on at a time. */
export interface ReusableSession {
  /** Another retrieval can begin: no command is under way, and the server has sent nothing that was not asked for. */
  readonly isUsable: boolean
  /** The connection is closed, or no longer of use. */
  readonly isLost: boolean
  /** sessionKey() of who has really logged in, where a password was asked for; null: as the URL says. */
  readonly loginKey?: string | null
  readonly unreadWatch: UnreadWatch
  /** Retrievals that it has served. */
  served: number
  /** A retrieval begins on an idle session. */
  attach(context: RetrievalContext): void
  /** The session becomes idle; it does not keep the process alive. */
  detach(): void
  /** Closes the connection, with a word to the server where that is possible. */
  close(): void
}

/** What is particular to a protocol. `Plan` says where to go, `Quirks` is what has been found out about a server. */
export interface SessionProtocol<Session extends ReusableSession, Plan extends LoginTarget, Quirks> {
  /** The quirks of a server that is not known yet. */
  newQuirks(): Quirks
  open(plan: Plan, context: RetrievalContext, quirks: Quirks): Promise<Session>
  /** How many retrievals may use one session at a time. */
  capacity(quirks: Quirks): number
  /** The session that suits a plan best, of those with room and the same login, the least busy first. */
  pick(sessions: readonly Session[], plan: Plan): Session | undefined
  /** Whether an error of `open` says that the server has too many connections. */
  isFull(error: unknown): error is RetrievalError
  /** How long a body may stay unread while others wait for its session, in milliseconds. */
  unreadLimit(limits: RetrievalContext['limits']): number
}

/** The use of a session by one retrieval. */
export interface Lease<Session> {
  readonly session: Session
  /** Retrievals that use the session now, this one among them. */
  readonly users: number
  /** The most that ever used it at a time. */
  readonly mostUsers: number
  /** Ends the use; the session is in good order unless it is lost. Only the first call counts. */
  giveBack(): void
  /** Closes the session, whoever uses it. */
  drop(): void
}

/** One server: a host and port. */
interface Server<Session, Quirks> {
  readonly quirks: Quirks
  readonly slots: Slots
  /** The one that became idle last is at the end. */
  readonly sessions: Set<PooledSession<Session, Quirks>>
  readonly waiters: Set<Waiter>
  /** The server has said that it takes no more connections than these. */
  cap: { readonly most: number; readonly until: number } | undefined
}

interface PooledSession<Session, Quirks> {
  readonly session: Session
  readonly server: Server<Session, Quirks>
  readonly key: string
  users: number
  mostUsers: number
  idleTimer: NodeJS.Timeout | undefined
}

/** A retrieval that waits for a slot: how long it lets a body be unread, and what ends the watches on the bodies. */
interface Waiter {
  readonly limit: number
  readonly stops: (() => void)[]
}

/**
 * The sessions of one fetcher. A session with room serves retrievals with the same host, port, user, password and
 * trust. No more than `connections` to one server are open at a time; a retrieval beyond them shares one, or waits for
 * a slot.
 */
export class SessionPool<Session extends ReusableSession, Plan extends LoginTarget, Quirks> {
  readonly #protocol: SessionProtocol<Session, Plan, Quirks>
  readonly #connections: number
  readonly #idleTime: number
  readonly #servers = new Map<string, Server<Session, Quirks>>()
  #isClosed = false

  constructor(
    protocol: SessionProtocol<Session, Plan, Quirks>,
    connections: number = defaultConnections,
    idleTime: number = defaultIdleTime,
  ) {
    this.#protocol = protocol
    this.#connections = connections
    this.#idleTime = idleTime
  }

  /** Gives a retrieval a session, with `isFresh` a new one in any case. */
  async lease(plan: Plan, context: RetrievalContext, isFresh = false): Promise<Lease<Session>> {
    const server = this.#serverOf(plan)
    const key = sessionKey(plan, context)
    while (true) {
      let pooled = isFresh ? null : this.#reuse(server, key, plan, context)
      if (pooled === null) {
        if (this.#hasSlot(server)) pooled = await this.#open(server, key, plan, context)
        else await this.#waitForSlot(server, context)
      }
      if (pooled === null) continue
      // The next retrieval that waits may share it.
      if (pooled.users < this.#protocol.capacity(server.quirks)) server.slots.next()
      return this.#leaseOf(pooled)
    }
  }

  /** The server takes no more sessions for now than there are beside a new one. False: there are none beside it. */
  lowerCap(plan: Plan): boolean {
    const server = this.#serverOf(plan)
    const most = server.slots.taken - 1
    if (most < 1) return false
    server.cap = { most, until: performance.now() + fullFor }
    return true
  }

  /** Closes the idle sessions; those in use end with their retrievals. */
  close(): void {
    this.#isClosed = true
    for (const { sessions } of this.#servers.values()) {
      for (const pooled of [...sessions]) if (pooled.users === 0) this.#drop(pooled)
    }
  }

  #leaseOf(pooled: PooledSession<Session, Quirks>): Lease<Session> {
    let isHeld = true
    return {
      session: pooled.session,
      get users() {
        return pooled.users
      },
      get mostUsers() {
        return pooled.mostUsers
      },
      giveBack: () => {
        if (isHeld) this.#giveBack(pooled)
        isHeld = false
      },
      drop: () => this.#drop(pooled),
    }
  }

  /** A session that is idle, or that is shared where no other may be opened. */
  #reuse(
    server: Server<Session, Quirks>,
    key: string,
    plan: Plan,
    context: RetrievalContext,
  ): PooledSession<Session, Quirks> | null {
    for (const pooled of [...server.sessions]) {
      const { isLost, isUsable } = pooled.session
      if (isLost || (pooled.users === 0 && !isUsable)) this.#drop(pooled)
    }
    const capacity = this.#protocol.capacity(server.quirks)
    const fitting = [...server.sessions]
      .filter((each) => each.users < capacity && (each.key === key || each.session.loginKey === key))
      .reverse()
      .sort((one, other) => one.users - other.users)
    const picked = this.#protocol.pick(
      fitting.map(({ session }) => session),
      plan,
    )
    const pooled = fitting.find(({ session }) => session === picked)
    if (pooled === undefined || (pooled.users > 0 && server.slots.taken < this.#capOf(server))) return null
    clearTimeout(pooled.idleTimer)
    if (pooled.users++ === 0) pooled.session.attach(context)
    pooled.mostUsers = Math.max(pooled.mostUsers, pooled.users)
    return pooled
  }

  /** Null: the server takes no more connections than there are. */
  async #open(
    server: Server<Session, Quirks>,
    key: string,
    plan: Plan,
    context: RetrievalContext,
  ): Promise<PooledSession<Session, Quirks> | null> {
    server.slots.taken++
    try {
      const session = await this.#protocol.open(plan, context, server.quirks)
      const pooled = { session, server, key, users: 1, mostUsers: 1, idleTimer: undefined }
      session.unreadWatch.onEvicted = () => this.#drop(pooled)
      for (const { limit, stops } of server.waiters) stops.push(session.unreadWatch.addWaiting(limit))
      server.sessions.add(pooled)
      return pooled
    } catch (error) {
      const isToWait = this.#protocol.isFull(error) && this.lowerCap(plan)
      server.slots.leave()
      if (!isToWait) throw error
      context.emit({ type: 'retried', url: context.url, error, delay: 0 })
      return null
    }
  }

  /** A body that stays unread meanwhile loses its session in the end. */
  async #waitForSlot(server: Server<Session, Quirks>, context: RetrievalContext): Promise<void> {
    const limit = this.#protocol.unreadLimit(context.limits)
    const stops = [...server.sessions].map(({ session }) => session.unreadWatch.addWaiting(limit))
    const waiter: Waiter = { limit, stops }
    server.waiters.add(waiter)
    try {
      await server.slots.acquire(context)
    } finally {
      server.waiters.delete(waiter)
      for (const stop of stops) stop()
    }
  }

  /** An idle session of another login makes room. */
  #hasSlot(server: Server<Session, Quirks>): boolean {
    if (server.slots.taken < this.#capOf(server)) return true
    const idle = [...server.sessions].find(({ users }) => users === 0)
    if (idle !== undefined) this.#drop(idle)
    return idle !== undefined
  }

  #giveBack(pooled: PooledSession<Session, Quirks>): void {
    const { session, server } = pooled
    pooled.users--
    if (!server.sessions.has(pooled)) return
    const { isLost } = session
    if (!isLost) session.served++
    const isIdle = pooled.users === 0
    if (isIdle) session.detach()
    if (isLost || (isIdle && (this.#isClosed || this.#idleTime === 0 || !session.isUsable))) {
      this.#drop(pooled)
      return
    }
    if (isIdle) this.#keep(pooled)
    server.slots.next()
  }

  #keep(pooled: PooledSession<Session, Quirks>): void {
    const { sessions } = pooled.server
    sessions.delete(pooled)
    sessions.add(pooled)
    if (this.#idleTime === Number.POSITIVE_INFINITY) return
    pooled.idleTimer = setTimeout(() => this.#drop(pooled), clampTimer(this.#idleTime)).unref()
  }

  #drop(pooled: PooledSession<Session, Quirks>): void {
    const { session, server } = pooled
    if (!server.sessions.delete(pooled)) return
    clearTimeout(pooled.idleTimer)
    session.close()
    server.slots.leave()
  }

  #capOf({ cap }: Server<Session, Quirks>): number {
    return cap === undefined || cap.until < performance.now() ? this.#connections : cap.most
  }

  #serverOf({ host, port }: Plan): Server<Session, Quirks> {
    const name = `${host} ${port}`
    const known = this.#servers.get(name)
    if (known !== undefined) return known
    const server: Server<Session, Quirks> = {
      quirks: this.#protocol.newQuirks(),
      slots: new Slots(),
      sessions: new Set(),
      waiters: new Set(),
      cap: undefined,
    }
    this.#servers.set(name, server)
    return server
  }
}
