import type { FtpPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { Places } from '../wire/places.ts'
import { sessionKey } from '../wire/pool-key.ts'
import { Acquaintances, type Preset } from './habits.ts'
import { Session } from './session.ts'

/** How long a session is kept for the next retrieval. Servers close idle ones after one to fifteen minutes. */
const idleTime = 15_000

/** Many servers allow a client three or four connections, and say 421 to the next. */
export const defaultConnections = 4

/** One session of a pool: in use by one retrieval, or idle. */
interface Member {
  readonly session: Session
  readonly server: string
  readonly key: string
  timer: NodeJS.Timeout | undefined
}

/**
 * The sessions of one fetcher. Idle ones serve whoever comes with the same host, port, user, password and trust; no more than
 * `connections` of one server are open at a time, and whoever comes then waits for one.
 */
export class Pool {
  readonly #connections: number
  readonly #acquaintances: Acquaintances
  readonly #idle: Member[] = []
  readonly #places = new Map<string, Places>()
  readonly #members = new Map<Session, Member>()
  #isClosed = false

  constructor(connections: number, preset: Preset) {
    this.#connections = connections
    this.#acquaintances = new Acquaintances(preset)
  }

  /** An idle session that gets where the plan goes, else a new one. `isFresh`: a new one in any case. */
  async lease(plan: FtpPlan, context: RetrievalContext, isFresh: boolean): Promise<Session> {
    const server = `${plan.host} ${plan.port}`
    const key = sessionKey(plan, context)
    const places = this.#placesAt(server)
    while (true) {
      const idle = isFresh ? undefined : this.#takeIdle(key, plan, server)
      if (idle !== undefined) {
        idle.attach(context)
        return idle
      }
      if (places.taken < this.#connections || this.#makeRoom(server)) return this.#add(plan, context, server, key)
      await places.turn(context)
    }
  }

  /** Takes back a session in good order. */
  giveBack(session: Session): void {
    const member = this.#members.get(session)
    if (member === undefined) return
    session.uses++
    session.detach()
    if (this.#isClosed || !session.control.isUsable) {
      this.drop(session)
      return
    }
    member.timer = setTimeout(() => this.drop(session), idleTime).unref()
    this.#idle.push(member)
    this.#placesAt(member.server).next()
  }

  /** Closes a session, in order where that is possible. */
  drop(session: Session): void {
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

  async #add(plan: FtpPlan, context: RetrievalContext, server: string, key: string): Promise<Session> {
    const places = this.#placesAt(server)
    places.taken++
    try {
      const session = await Session.open(plan, context, this.#acquaintances.of(server))
      this.#members.set(session, { session, server, key, timer: undefined })
      return session
    } catch (error) {
      places.leave()
      throw error
    }
  }

  /** One that is in the directory already goes before one that must go there. */
  #takeIdle(key: string, { cwd }: FtpPlan, server: string): Session | undefined {
    for (const { session } of [...this.#idle]) if (!session.control.isUsable) this.drop(session)
    const fitting = this.#idle.filter((member) => member.key === key)
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

  #placesAt(server: string): Places {
    const places = this.#places.get(server) ?? new Places()
    this.#places.set(server, places)
    return places
  }
}
