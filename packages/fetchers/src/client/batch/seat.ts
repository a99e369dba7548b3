import type { Mechanism, Resolution, RetrievalError } from '@retriever/core'
import type { Limits } from '../../contract/limits.ts'
import type { Retrieval } from '../retrieval.ts'
import type { Turn } from '../steps/turn.ts'
import type { Places } from './client-places.ts'
import type { Lane } from './host.ts'
import type { Job, Seen, Site } from './job.ts'
import type { Share } from './share.ts'
import { asksToWait, isFull } from './trouble.ts'

/** The places of a batch or a tree. */
export interface Seats {
  readonly places: Places
  readonly share: Share
  /** The number of retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number
}

/** Where the retrieval of a URL needs a place. */
export function siteOf({ plan }: Resolution, seats: Seats): Site {
  const host = ('host' in plan && plan.host) || ''
  const port = ('port' in plan && plan.port) || 0
  return { host, port, inFlight: seats.inFlight(plan.mechanism) }
}

const unseen: Seen = { answers: 0, bodies: 0, failures: 0, running: 0 }

/** One retrieval that takes a place of its client for each try. */
export class Seat implements Job, Turn {
  readonly url: string
  readonly index: number
  readonly priority: number
  site: Site
  lane: Lane | null = null
  seen: Seen = unseen
  isBack = false
  isRefused = false
  /** Null: it has not begun, or is over. */
  protected retrieval: Retrieval | null = null
  readonly #seats: Seats
  /** The wait for a place in which a body goes on. */
  #back: Promise<void> | null = null
  #coming: { readonly resolve: () => void; readonly reject: (error: RetrievalError) => void } | null = null
  /** Whether the server had answered when the last try failed there. */
  #isKnown = false
  /** Whether it was in trouble then, and for how long it was not to be asked. */
  #pause: number | null = null
  /** How many tries it had answered then, and whether it had answered others since the failure before. */
  #answers: number | null = null
  #isShared = false
  /** Whether a full server is waited for. */
  #isPatient = false

  constructor(seats: Seats, url: string, index: number, priority: number, site: Site) {
    this.#seats = seats
    this.url = url
    this.index = index
    this.priority = priority
    this.site = site
  }

  begin(): void {
    this.#goOn()
  }

  #goOn(): void {
    this.#coming?.resolve()
    this.#coming = null
  }

  refuse(error: RetrievalError): void {
    this.isRefused = true
    this.#coming?.reject(error)
    this.#coming = null
  }

  come(to: Resolution): Promise<void> | null {
    const { site } = this
    const next = siteOf(to, this.#seats)
    const isSame = site.host === next.host && site.port === next.port && site.inFlight === next.inFlight
    if (isSame && this.#hasPlace) {
      this.#look()
      return null
    }
    this.site = next
    this.isBack = true
    return this.wait()
  }

  async comeBack(): Promise<void> {
    // After the end of a batch, its caller may read on.
    if (this.#seats.share.isOver) return
    if (this.#hasPlace) return this.#look()
    this.isBack = true
    // Several parts of one body may go on together.
    this.#back ??= this.wait().finally(() => (this.#back = null))
    await this.#back
  }

  /** Notes what the server has done before this try. */
  #look(): void {
    this.seen = this.lane?.server.seen ?? this.seen
  }

  /** Waits for a place. */
  protected async wait(): Promise<void> {
    const { places, share } = this.#seats
    const deadline = this.retrieval?.deadline
    deadline?.throwIfAborted()
    const came = new Promise<void>((resolve, reject) => (this.#coming = { resolve, reject }))
    if (this.lane === null) places.add(share, this)
    else places.leave(this, () => places.add(share, this))
    try {
      await (deadline === undefined ? came : deadline.unlimited(() => came))
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Ends the wait for a place without one. */
  release(): void {
    this.#seats.places.withdraw(this)
    this.#goOn()
  }

  /** Gives the place back, or ends the wait for one. */
  leave(): void {
    if (this.#coming === null) this.#seats.places.leave(this)
    else this.release()
  }

  answered(): void {
    if (this.#hasPlace) this.#seats.places.answered(this)
  }

  delivered(): void {
    if (this.#hasPlace) this.#seats.places.delivered(this)
  }

  failed(error: unknown, limits: Limits): void {
    const { server } = this.lane ?? {}
    if (server === undefined || !this.#hasPlace) return
    const { answers } = server.seen
    this.#isKnown = server.isKnown
    this.#isShared = this.#answers !== null && this.#answers !== answers
    this.#answers = answers
    this.#seats.places.failed(this, error, limits)
    const { trouble } = server
    this.#isPatient = trouble?.isYoung === true
    this.#pause = trouble === null ? null : Math.max(0, Math.round(trouble.until - performance.now()))
  }

  mayPass(error: RetrievalError): boolean {
    return this.#isKnown && error.code === 'connect-failed' && error.phase === 'connect'
  }

  spares(error: RetrievalError): boolean {
    return (this.#isShared && asksToWait(error)) || (this.#isPatient && isFull(error))
  }

  waitsOn(error: RetrievalError): number | null {
    const waits = !this.#seats.share.caps.givesUp && (error.transient || this.mayPass(error))
    return waits ? this.#pause : null
  }

  get #hasPlace(): boolean {
    return this.lane !== null && this.#coming === null
  }
}
