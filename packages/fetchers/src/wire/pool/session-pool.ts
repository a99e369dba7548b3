import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { clampTimer } from '../../kit/deadline.ts'
import { IdleConnection, idleConnections } from '../../kit/files/open-files.ts'
import { errorAt } from './error-at.ts'
import { type LoginTarget, sessionKey } from './pool-key.ts'
import { RefusedLogins } from './refused-logins.ts'
import type { UnreadWatch } from './unread-watch.ts'

/** Many servers allow a client three or four connections. */
const defaultConnections = 4

/** How many milliseconds an idle session is kept. Servers close idle sessions after one to fifteen minutes. */
const defaultIdleTime = 15_000

/** How many milliseconds a server counts as full before we try another connection. */
const fullFor = 60_000

/** A connection that serves retrievals one after the other, or several at a time. */
export interface ReusableSession {
  /** True if another retrieval can begin: no command is under way, and no unexpected octets have arrived. */
  readonly isUsable: boolean
  /** True if the connection is closed or can no longer be used. */
  readonly isLost: boolean
  /** The sessionKey() of the login that a question for the password gave. Null: the URL's own login was used. */
  readonly loginKey?: string | null
  readonly unreadWatch: UnreadWatch
  /** How many retrievals this session has served. */
  served: number
  /** Tells an idle session that a retrieval begins. */
  attach(context: RetrievalContext): void
  /** Tells the session that it is idle; it must not keep the process alive. */
  detach(): void
  /** Closes the connection, in good order if possible. */
  close(): void
}

/** What differs by protocol. A `Plan` names server and login; `Quirks` holds what we learnt about a server. */
export interface SessionProtocol<Session extends ReusableSession, Plan extends LoginTarget, Quirks> {
  /** Makes the quirks of a server that we do not know yet. */
  newQuirks(): Quirks
  open(plan: Plan, context: RetrievalContext, quirks: Quirks, refused: RefusedLogins): Promise<Session>
  /** How many retrievals may use one session at a time. */
  capacity(quirks: Quirks): number
  /** The most sessions with one login. A further retrieval shares one of them, or waits. Default: no limit. */
  readonly perLogin?: number
  /**
   * Picks a session for a plan among those with room and the same login, which are ordered by users, fewest first.
   * Default: the first.
   */
  pick?(sessions: readonly Session[], plan: Plan): Session | undefined
  /** Whether an error of `open` says that the server has too many connections. Default: none does. */
  isFull?(error: unknown): error is RetrievalError
  /** How many milliseconds a body may stay unread while others wait for its session. Default: idleTimeout. */
  unreadLimit?(limits: RetrievalContext['limits']): number
}

/** One retrieval's use of a session. */
export interface Lease<Session> {
  readonly session: Session
  /** How many retrievals use the session now, including this one, and the most that did so at a time. */
  readonly usage: { readonly users: number; readonly mostUsers: number }
  /** Ends the use. The session stays in the pool unless it is lost. Only the first call counts. */
  giveBack(): void
  /** Closes the session, even if other retrievals use it. */
  drop(): void
}

/**
 * The sessions of one fetcher. A session serves retrievals with the same host, port, user, password and trust. At most
 * `connections` to one server are open at a time; a further retrieval shares one, or waits for a slot.
 */
export class SessionPool<Session extends ReusableSession, Plan extends LoginTarget, Quirks> {
  readonly #newServer: () => ServerPool<Session, Plan, Quirks>
  readonly #servers = new Map<string, ServerPool<Session, Plan, Quirks>>()

  constructor(
    protocol: SessionProtocol<Session, Plan, Quirks>,
    connections: number = defaultConnections,
    idleTime: number = defaultIdleTime,
  ) {
    this.#newServer = () => new ServerPool(protocol, connections, idleTime, () => this.#closeIdle())
  }

  /** Gives a retrieval a session. `isFresh` asks for a new one. */
  lease(plan: Plan, context: RetrievalContext, isFresh = false): Promise<Lease<Session>> {
    return this.#at(plan).lease(plan, context, isFresh)
  }

  /** Lowers the limit because the server refuses the newest session. Returns false if there are no other sessions. */
  lowerCap(plan: Plan): boolean {
    return this.#at(plan).lowerCap()
  }

  /** Whether a session with the server is open, or being opened. */
  hasSessions(plan: Plan): boolean {
    return this.#at(plan).hasSessions
  }

  /** Closes the idle sessions: a server that is full may have them all, by other names or ports. */
  #closeIdle(): void {
    for (const server of this.#servers.values()) server.closeIdle()
  }

  /** Closes the idle sessions. Those in use close when their retrievals end. */
  close(): void {
    for (const server of this.#servers.values()) server.close()
  }

  #at({ host, port }: Plan): ServerPool<Session, Plan, Quirks> {
    const name = `${host} ${port}`
    const server = this.#servers.get(name) ?? this.#newServer()
    this.#servers.set(name, server)
    return server
  }
}

interface PooledSession<Session> {
  readonly session: Session
  readonly key: string
  users: number
  mostUsers: number
  idleTimer: NodeJS.Timeout | undefined
  readonly idle: IdleConnection
}

/** A retrieval that waits for a slot. It lets bodies stay unread for `limit` milliseconds; `stops` end its watches. */
interface Waiter {
  readonly key: string
  readonly limit: number
  readonly stops: (() => void)[]
  wake(): void
  refuse(error: RetrievalError): void
}

/** The sessions with one server. */
class ServerPool<Session extends ReusableSession, Plan extends LoginTarget, Quirks> {
  readonly #protocol: SessionProtocol<Session, Plan, Quirks>
  readonly #connections: number
  readonly #idleTime: number
  readonly #onAlone: () => void
  readonly #quirks: Quirks
  readonly #refused = new RefusedLogins()
  /** Ordered by use: the session that became idle last is at the end. */
  readonly #sessions = new Set<PooledSession<Session>>()
  /** Ordered by arrival: the first is served first. */
  readonly #waiters = new Set<Waiter>()
  /** How many connections are open or being opened, in all and for each login. */
  #taken = 0
  readonly #takenBy = new Map<string, number>()
  /** How many connections the server allowed when it refused another, and until when that limit holds. */
  #cap: { readonly most: number; readonly until: number } | undefined
  #isClosed = false

  /** `onAlone` is called if the server has no room for a session, although there is no other. */
  constructor(
    protocol: SessionProtocol<Session, Plan, Quirks>,
    connections: number,
    idleTime: number,
    onAlone: () => void,
  ) {
    this.#protocol = protocol
    this.#connections = connections
    this.#idleTime = idleTime
    this.#onAlone = onAlone
    this.#quirks = protocol.newQuirks()
  }

  async lease(plan: Plan, context: RetrievalContext, isFresh: boolean): Promise<Lease<Session>> {
    const key = sessionKey(plan, context)
    while (true) {
      let pooled = isFresh ? null : this.#reuse(key, plan, context)
      if (pooled === null) {
        if (this.#hasSlot(key)) pooled = await this.#open(key, plan, context)
        else await this.#waitForSlot(key, context)
      }
      if (pooled === null) continue
      // The next waiting retrieval may share the session.
      if (pooled.users < this.#protocol.capacity(this.#quirks)) this.#wakeNext()
      return this.#leaseOf(pooled)
    }
  }

  lowerCap(): boolean {
    const most = this.#taken - 1
    if (most < 1) {
      this.#onAlone()
      return false
    }
    this.#cap = { most, until: performance.now() + fullFor }
    return true
  }

  /** Whether a connection is open, or being opened, that is not lost. */
  get hasSessions(): boolean {
    let left = this.#taken
    for (const { session } of this.#sessions) if (session.isLost) left--
    return left > 0
  }

  close(): void {
    this.#isClosed = true
    this.closeIdle()
  }

  closeIdle(): void {
    for (const pooled of [...this.#sessions]) if (pooled.users === 0) this.#drop(pooled)
  }

  #leaseOf(pooled: PooledSession<Session>): Lease<Session> {
    let isHeld = true
    const giveBack = (): void => {
      if (isHeld) this.#giveBack(pooled)
      isHeld = false
    }
    return { session: pooled.session, usage: pooled, giveBack, drop: () => this.#drop(pooled) }
  }

  /** Returns an idle session, or a shared one if no other may be opened. */
  #reuse(key: string, plan: Plan, context: RetrievalContext): PooledSession<Session> | null {
    for (const pooled of this.#sessions) {
      const { isLost, isUsable } = pooled.session
      if (isLost || (pooled.users === 0 && !isUsable)) this.#drop(pooled)
    }
    const capacity = this.#protocol.capacity(this.#quirks)
    const fitting = [...this.#sessions]
      .filter((each) => each.users < capacity && fits(each, key))
      .reverse()
      .sort((one, other) => one.users - other.users)
    const sessions = fitting.map(({ session }) => session)
    const picked = this.#protocol.pick === undefined ? sessions[0] : this.#protocol.pick(sessions, plan)
    const pooled = fitting.find(({ session }) => session === picked)
    if (pooled === undefined || (pooled.users > 0 && this.#mayOpen(key))) return null
    clearTimeout(pooled.idleTimer)
    idleConnections.forget(pooled.idle)
    if (pooled.users++ === 0) pooled.session.attach(context)
    pooled.mostUsers = Math.max(pooled.mostUsers, pooled.users)
    return pooled
  }

  /** Opens a session. Returns null if the server takes no further connection. */
  async #open(key: string, plan: Plan, context: RetrievalContext): Promise<PooledSession<Session> | null> {
    this.#taken++
    this.#takenBy.set(key, (this.#takenBy.get(key) ?? 0) + 1)
    try {
      const session = await this.#protocol.open(plan, context, this.#quirks, this.#refused)
      const idle = new IdleConnection(() => this.#drop(pooled))
      const pooled: PooledSession<Session> = { session, key, users: 1, mostUsers: 1, idleTimer: undefined, idle }
      session.unreadWatch.onEvicted = () => this.#drop(pooled)
      for (const { limit, stops } of this.#waiters) stops.push(session.unreadWatch.addWaiting(limit))
      this.#sessions.add(pooled)
      return pooled
    } catch (error) {
      const isFull = this.#protocol.isFull?.(error) === true
      const isToWait = isFull && this.lowerCap()
      if (isFull && !isToWait) this.#refuseWaiters(key, error)
      this.#freeSlot(key)
      if (!isToWait) throw error
      context.emit({ type: 'retried', url: context.url, error, delay: 0 })
      return null
    }
  }

  /** Whether a connection may be opened. If necessary, an idle session of another login is closed to make room. */
  #hasSlot(key: string): boolean {
    if (this.#mayOpen(key)) return true
    const idle = this.#idleInTheWay(key)
    if (idle !== undefined) this.#drop(idle)
    return idle !== undefined
  }

  #mayOpen(key: string): boolean {
    return this.#taken < this.#most && !this.#hasAllOf(key)
  }

  /** Whether this login has all the sessions that it may have. */
  #hasAllOf(key: string): boolean {
    return (this.#takenBy.get(key) ?? 0) >= (this.#protocol.perLogin ?? Number.POSITIVE_INFINITY)
  }

  /** Returns an idle session that prevents another one from being opened. */
  #idleInTheWay(key: string): PooledSession<Session> | undefined {
    const isSame = this.#hasAllOf(key)
    return [...this.#sessions].find((each) => each.users === 0 && (!isSame || each.key === key))
  }

  /** Whether a retrieval would get a session at once. */
  #hasRoomFor(key: string): boolean {
    const capacity = this.#protocol.capacity(this.#quirks)
    const isShared = [...this.#sessions].some((each) => each.users < capacity && fits(each, key))
    return isShared || this.#mayOpen(key) || this.#idleInTheWay(key) !== undefined
  }

  get #most(): number {
    return this.#cap === undefined || this.#cap.until < performance.now() ? this.#connections : this.#cap.most
  }

  /** Waits without a limit of time. If a body meanwhile stays unread for too long, its session is closed. */
  async #waitForSlot(key: string, context: RetrievalContext): Promise<void> {
    const { deadline, limits, emit, url, stopwatch } = context
    emit({ type: 'waiting', url, for: 'connection', ahead: this.#waiters.size })
    const limit = this.#protocol.unreadLimit?.(limits) ?? limits.idleTimeout
    const stops = [...this.#sessions].map(({ session }) => session.unreadWatch.addWaiting(limit))
    const waiter: Waiter = { key, limit, stops, wake() {}, refuse() {} }
    this.#waiters.add(waiter)
    deadline.phase = 'connect'
    try {
      await deadline.unlimited(
        () =>
          new Promise<void>((resolve, reject) => {
            waiter.wake = resolve
            waiter.refuse = (error) => reject(errorAt(context, error))
          }),
      )
      stopwatch?.mark('waited')
    } catch (error) {
      // If a waiter is woken and then aborted, it wakes the next one, so that the free slot is not lost.
      if (!this.#waiters.delete(waiter)) this.#wakeNext()
      throw error
    } finally {
      for (const stop of stops) stop()
    }
  }

  /** Wakes the first waiter that would get a session. */
  #wakeNext(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoomFor(waiter.key)) continue
      this.#waiters.delete(waiter)
      waiter.wake()
      return
    }
  }

  /** Makes all that wait fail, since the server is full: each would be refused by a connection of its own. */
  #refuseWaiters(key: string, error: RetrievalError): void {
    for (const waiter of this.#waiters) {
      if (waiter.key !== key) continue
      this.#waiters.delete(waiter)
      waiter.refuse(error)
    }
  }

  #freeSlot(key: string): void {
    this.#taken--
    const left = (this.#takenBy.get(key) ?? 1) - 1
    if (left === 0) this.#takenBy.delete(key)
    else this.#takenBy.set(key, left)
    this.#wakeNext()
  }

  #giveBack(pooled: PooledSession<Session>): void {
    const { session } = pooled
    pooled.users--
    if (!this.#sessions.has(pooled)) return
    const { isLost } = session
    if (!isLost) session.served++
    const isIdle = pooled.users === 0
    if (isIdle) session.detach()
    if (isLost || (isIdle && (this.#isClosed || this.#idleTime === 0 || !session.isUsable))) this.#drop(pooled)
    else {
      if (isIdle) this.#keep(pooled)
      this.#wakeNext()
    }
  }

  #keep(pooled: PooledSession<Session>): void {
    this.#sessions.delete(pooled)
    this.#sessions.add(pooled)
    idleConnections.keep(pooled.idle)
    if (this.#idleTime === Number.POSITIVE_INFINITY) return
    pooled.idleTimer = setTimeout(() => this.#drop(pooled), clampTimer(this.#idleTime)).unref()
  }

  #drop(pooled: PooledSession<Session>): void {
    if (!this.#sessions.delete(pooled)) return
    clearTimeout(pooled.idleTimer)
    idleConnections.forget(pooled.idle)
    pooled.session.close()
    this.#freeSlot(pooled.key)
  }
}

/** Whether a session has the login of a key. */
function fits({ key, session }: PooledSession<ReusableSession>, wanted: string): boolean {
  return key === wanted || session.loginKey === wanted
}
