import type { FtpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Slots } from '../../wire/pool/connection-slots.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import { isFull } from './refusal-words.ts'
import { type Preset, QuirksByServer } from './server-quirks.ts'
import { FtpSession } from './session.ts'

/** How long a session is kept for the next retrieval, in milliseconds. Servers close idle ones after one to fifteen minutes. */
const defaultIdleTime = 15_000

/** setTimeout overflows beyond. */
const longestTimer = 2_147_483_647

/** Many servers allow a client three or four connections, and say 421 to the next. */
const defaultConnections = 4

/** Whether a server allows more by now is tried again after a minute. */
const capLifetime = 60_000

/** One session of a pool: in use by one retrieval, or idle. */
interface Member {
  readonly session: FtpSession
  readonly server: string
  readonly key: string
  timer: NodeJS.Timeout | undefined
}

/**
 * The sessions of one fetcher. Idle ones serve whoever comes with the same host, port, user, password and trust; no more than
 * `connections` of one server are open at a time, and whoever comes then waits for one.
 */
export class FtpPool {
  readonly #connections: number
  readonly #idleTime: number
  readonly #acquaintances: QuirksByServer
  readonly #idle: Member[] = []
  readonly #places = new Map<string, Slots>()
  /** Of servers that were found to allow fewer. */
  readonly #caps = new Map<string, { readonly most: number; readonly until: number }>()
  readonly #members = new Map<FtpSession, Member>()
  #isClosed = false

  constructor(preset: Preset, connections: number = defaultConnections, idleTime: number = defaultIdleTime) {
    this.#connections = connections
    this.#idleTime = idleTime
    this.#acquaintances = new QuirksByServer(preset)
  }

  /** Whether there are other sessions of that server; so many are what it allows for now. */
  lowerCap({ host, port }: FtpPlan): boolean {
    const server = `${host} ${port}`
    const others = this.#placesAt(server).taken - 1
    if (others < 1) return false
    this.#caps.set(server, { most: others, until: performance.now() + capLifetime })
    return true
  }

  /** An idle session that gets where the plan goes, else a new one. `isFresh`: a new one in any case. */
  async lease(plan: FtpPlan, context: RetrievalContext, isFresh: boolean): Promise<FtpSession> {
    const server = `${plan.host} ${plan.port}`
    const key = sessionKey(plan, context)
    const places = this.#placesAt(server)
    while (true) {
      const idle = isFresh ? undefined : this.#takeIdle(key, plan, server)
      if (idle !== undefined) {
        idle.attach(context)
        return idle
      }
      if (places.taken < this.#capOf(server) || this.#makeRoom(server)) {
        const session = await this.#add(plan, context, server, key)
        if (session !== null) return session
      } else await this.#turn(server, context)
    }
  }

  /** Takes back a session in good order. */
  giveBack(session: FtpSession): void {
    const member = this.#members.get(session)
    if (member === undefined) return
    session.uses++
    session.detach()
    if (this.#isClosed || this.#idleTime === 0 || !session.control.isUsable) {
      this.drop(session)
      return
    }
    if (Number.isFinite(this.#idleTime)) {
      member.timer = setTimeout(() => this.drop(session), Math.min(this.#idleTime, longestTimer)).unref()
    }
    this.#idle.push(member)
    this.#placesAt(member.server).next()
  }

  /** Closes a session, in order where that is possible. */
  drop(session: FtpSession): void {
    const member = this.#members.get(session)
    if (member === undefined) return
    this.#members.delete(session)
    this.#forget(member)
    session.end()
    this.#placesAt(member.server).leave()
  }

  /** Closes the idle ones; those in use end with their retrievals. */
  close(): void {
    this.#isClosed = true
    for (const { session } of [...this.#idle]) this.drop(session)
  }

  /** Null: the server allows no more than there are. */
  async #add(plan: FtpPlan, context: RetrievalContext, server: string, key: string): Promise<FtpSession | null> {
    const places = this.#placesAt(server)
    places.taken++
    try {
      const session = await FtpSession.open(plan, context, this.#acquaintances.of(server))
      this.#members.set(session, { session, server, key, timer: undefined })
      return session
    } catch (error) {
      const isToWait = isFull(error) && this.lowerCap(plan)
      places.leave()
      if (!isToWait) throw error
      context.emit({ type: 'retried', url: context.url, error, delay: 0 })
      return null
    }
  }

  /** Waits for a place; a body that nobody reads for as long as limits.idleTimeout gives its place up. */
  async #turn(server: string, context: RetrievalContext): Promise<void> {
    const limit = context.limits.idleTimeout
    const timer = Number.isFinite(limit)
      ? setInterval(() => this.#evict(server, limit), Math.min(limit / 4, 10_000))
      : undefined
    try {
      await this.#placesAt(server).acquire(context)
    } finally {
      clearInterval(timer)
    }
  }

  #evict(server: string, limit: number): void {
    const before = performance.now() - limit
    for (const { session, server: where } of this.#members.values()) {
      const since = session.body?.unreadSince ?? null
      if (where !== server || since === null || since > before) continue
      session.body?.evict()
      return
    }
  }

  #capOf(server: string): number {
    const cap = this.#caps.get(server)
    return cap === undefined || cap.until < performance.now() ? this.#connections : cap.most
  }

  /** One that is in the directory already goes before one that must go there. */
  #takeIdle(key: string, { cwd }: FtpPlan, server: string): FtpSession | undefined {
    for (const { session } of [...this.#idle]) if (!session.control.isUsable) this.drop(session)
    const fitting = this.#idle.filter((member) => member.key === key || member.session.loginKey === key)
    const member =
      fitting.find(({ session }) => session.isIn(cwd)) ?? fitting.find(({ session }) => session.reaches(cwd))
    if (member !== undefined) {
      this.#forget(member)
      return member.session
    }
    if (fitting.length > 0) this.#acquaintances.of(server).severalDirectories = true
    return undefined
  }

  /** An idle session is of no use to whoever comes now: its place is. */
  #makeRoom(server: string): boolean {
    const member = this.#idle.find((each) => each.server === server)
    if (member !== undefined) this.drop(member.session)
    return member !== undefined
  }

  #forget(member: Member): void {
    clearTimeout(member.timer)
    const at = this.#idle.indexOf(member)
    if (at !== -1) this.#idle.splice(at, 1)
  }

  #placesAt(server: string): Slots {
    const places = this.#places.get(server) ?? new Slots()
    this.#places.set(server, places)
    return places
  }
}
