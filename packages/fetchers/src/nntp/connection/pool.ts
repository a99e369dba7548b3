import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Slots } from '../../wire/pool/connection-slots.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import { SessionLost } from './command-queue.ts'
import type { Dialogue } from './exchange.ts'
import { openSession } from './open.ts'
import { maxDepth, type ServerQuirks } from './server-quirks.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** How long a session is kept for the next retrieval; servers close idle ones after some minutes (RFC 3977 3.1: at least three). */
const idleTime = 15_000

const maxLostWithOthers = 3

/** Does something in another session. */
export type InSession = <T>(use: (dialogue: Dialogue) => Promise<T>) => Promise<T>

/** One session, and how many retrievals it is busy with. */
interface Member {
  readonly session: NntpSession
  readonly server: string
  readonly key: string
  load: number
  /** The most that it was ever busy with. */
  peak: number
  /** While a retrieval waits for a place at the server: takes that back which the session was told. */
  noLongerWaiting: (() => void) | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * The sessions of one fetcher. No more than `connections` to one server are open at a time; beyond that retrievals share them, each
 * waiting for its answer behind those of others.
 */
export class NntpPool {
  readonly #connections: number
  readonly #members: Member[] = []
  readonly #places = new Map<string, Slots>()
  readonly #quirks = new Map<string, ServerQuirks>()
  /** Retrievals that wait for a place, by server. */
  readonly #waiting = new Map<string, number>()
  #isClosed = false

  constructor(connections: number) {
    this.#connections = connections
  }

  /**
   * Does something in a session; over again in another one where this one was lost after it had served others, or with others in it:
   * what it had been asked is not to blame then.
   */
  async inSession<T>(plan: ServerPlan, context: RetrievalContext, use: (dialogue: Dialogue) => Promise<T>): Promise<T> {
    // Where somebody is served each time, there is an end to it. Where nobody is yet, there need not be.
    let lostWithOthers = 0
    while (true) {
      const member = await this.#lease(plan, context)
      const { session } = member
      let isHeld = true
      const done = (): void => {
        if (isHeld) this.#release(member)
        isHeld = false
      }
      try {
        const result = await use({ session, plan, context, done })
        // Whoever heard of the last reply may have ended the retrieval: then nobody reads, or frees the session.
        context.deadline.throwIfAborted()
        return result
      } catch (error) {
        // Nobody knows what comes next in it.
        if (RetrievalError.is(error) && error.code === 'protocol-violation') session.lose()
        // It closed while several waited: as many as it has served are what it takes. An abort says nothing of it.
        const { quirks, served } = session
        if (isOfConnection(error) && context.deadline.reason === null && member.load > 1) {
          quirks.depth = Math.max(1, Math.min(quirks.depth, served))
        }
        done()
        context.deadline.throwIfAborted()
        // Whoever has lost it tries no more than so often, and whoever only hears of it does so no more often.
        if (error instanceof SessionLost) continue
        if (!isOfConnection(error)) throw error
        if (session.served === 0 && (member.peak === 1 || ++lostWithOthers > maxLostWithOthers)) throw error
        context.emit({ type: 'retried', url: context.url, error, delay: 0 })
      }
    }
  }

  /** Closes the idle ones; those in use end with their retrievals. */
  close(): void {
    this.#isClosed = true
    for (const member of [...this.#members]) if (member.load === 0) this.#drop(member)
  }

  async #lease(plan: ServerPlan, context: RetrievalContext): Promise<Member> {
    const name = `${plan.host} ${plan.port}`
    const key = sessionKey(plan, context)
    const places = this.#placesAt(name)
    while (true) {
      const known = this.#choose(key, places)
      if (known !== null) this.#take(known)
      const member = known ?? (this.#hasRoom(name, places) ? await this.#add(plan, context, name, key) : null)
      if (member !== null) {
        // There may be room for one more.
        places.next()
        return member
      }
      await this.#waitForPlace(name, context)
    }
  }

  /**
   * The sessions of the server are told of it meanwhile: one whose answer stays unread gives up its place in the end.
   */
  async #waitForPlace(name: string, context: RetrievalContext): Promise<void> {
    const wait = (by: number): void => {
      this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + by)
      this.#tellWaiting(name, context)
    }
    wait(1)
    try {
      await this.#placesAt(name).acquire(context)
    } finally {
      wait(-1)
    }
  }

  #tellWaiting(name: string, context: RetrievalContext): void {
    const isWaitedFor = (this.#waiting.get(name) ?? 0) > 0
    for (const member of this.#members) {
      if (member.server !== name) continue
      if (isWaitedFor) member.noLongerWaiting ??= member.session.addWaiting(context)
      else {
        member.noLongerWaiting?.()
        member.noLongerWaiting = undefined
      }
    }
  }

  /** An idle session; else, where no more may be opened, the one that is least busy. Null: none has a place. */
  #choose(key: string, places: Slots): Member | null {
    for (const member of [...this.#members]) {
      if (member.session.isLost || (member.load === 0 && !member.session.isUsable)) this.#drop(member)
    }
    const fitting = this.#members.filter((member) => member.key === key && member.session.refusedLogin === null)
    const least = fitting.reduce<Member | null>(
      (best, each) => (best === null || each.load < best.load ? each : best),
      null,
    )
    if (least === null || (least.load > 0 && places.taken < this.#connections)) return null
    return least.load < least.session.quirks.depth ? least : null
  }

  /** An idle session of another login is of no use to whoever comes now: its place is. */
  #hasRoom(name: string, places: Slots): boolean {
    if (places.taken < this.#connections) return true
    const idle = this.#members.find((member) => member.server === name && member.load === 0)
    if (idle !== undefined) this.#drop(idle)
    return idle !== undefined
  }

  async #add(plan: ServerPlan, context: RetrievalContext, name: string, key: string): Promise<Member> {
    const places = this.#placesAt(name)
    places.taken++
    try {
      const session = await openSession(plan, context, this.#habitsOf(name))
      // At once: one that nobody is busy with may be closed for another login.
      const member: Member = {
        session,
        server: name,
        key,
        load: 1,
        peak: 1,
        timer: undefined,
        noLongerWaiting: undefined,
      }
      this.#members.push(member)
      session.onEvicted = () => this.#drop(member)
      this.#tellWaiting(name, context)
      return member
    } catch (error) {
      places.leave()
      throw error
    }
  }

  #take(member: Member): void {
    clearTimeout(member.timer)
    member.session.isIdle = false
    member.peak = Math.max(member.peak, ++member.load)
  }

  #release(member: Member): void {
    const { session } = member
    member.load--
    if (!session.isLost) session.served++
    if (session.isLost || (member.load === 0 && (this.#isClosed || !session.isUsable))) this.#drop(member)
    else if (member.load === 0) this.#keep(member)
    this.#placesAt(member.server).next()
  }

  #keep(member: Member): void {
    member.session.isIdle = true
    member.timer = setTimeout(() => this.#drop(member), idleTime).unref()
  }

  #drop(member: Member): void {
    const at = this.#members.indexOf(member)
    if (at === -1) return
    this.#members.splice(at, 1)
    clearTimeout(member.timer)
    member.noLongerWaiting?.()
    member.session.close()
    this.#placesAt(member.server).leave()
  }

  #placesAt(server: string): Slots {
    const places = this.#places.get(server) ?? new Slots()
    this.#places.set(server, places)
    return places
  }

  #habitsOf(name: string): ServerQuirks {
    const known = this.#quirks.get(name) ?? { depth: maxDepth, overview: 'OVER', hasListGroup: true }
    this.#quirks.set(name, known)
    return known
  }
}

/** The session has ended, which it may do at any time (RFC 3977 3.2.1). */
function isOfConnection(error: unknown): error is RetrievalError {
  return RetrievalError.is(error) && (error.code === 'receive-failed' || error.reply?.startsWith('400') === true)
}
