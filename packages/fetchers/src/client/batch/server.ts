import type { RetrievalError } from '@retriever/core'
import type { Limits } from '../../contract/limits.ts'
import type { Job, Seen, Site } from './job.ts'
import { asksToWait, isTrouble, Trouble } from './trouble.ts'

/** So many jobs at a time are no limit any more. */
const enough = 16

/** After so many answers without a failure, a server gets one job more at a time. */
const calm = 100

/** How many answers and failures are counted before older ones count for half. */
const recent = 64

/** One port of a host: the jobs there can share connections, and share its troubles. */
export class Server {
  readonly port: number
  /** The number of jobs that share one connection, and so one place. */
  readonly inFlight: number
  running = 0
  /** One function for each place held, which gives the place back. */
  readonly held: (() => void)[] = []
  /** Null: the server answers, as far as is known. */
  trouble: Trouble | null = null
  /** When the trouble began of which the server has not recovered yet; null: there is none. */
  #since: number | null = null
  /** How many jobs may run: after a trouble one, and one more with each answer. */
  #most = Number.POSITIVE_INFINITY
  /** True: bodies stalled or broke off, so that only a body that comes is an answer. */
  #breaks = false
  readonly #capacity = new Capacity()
  #answers = 0
  #bodies = 0
  #failures = 0

  constructor({ port, inFlight }: Site) {
    this.port = port
    this.inFlight = inFlight
  }

  /** Whether another job can share a place that is held already. */
  get hasShared(): boolean {
    return this.running < this.held.length * this.inFlight
  }

  get seen(): Seen {
    return { answers: this.#answers, bodies: this.#bodies, failures: this.#failures, running: this.running }
  }

  /** Whether a URL was answered here. */
  get isKnown(): boolean {
    return this.#answers > 0
  }

  /** Whether the server takes another job, apart from the pause of a trouble. */
  get hasRoom(): boolean {
    return this.running < Math.min(this.#most, this.#capacity.most)
  }

  /** Whether the server has been given up, and its pause is not over. */
  isGivenUp(now: number): boolean {
    return this.trouble?.isGivenUp === true && this.trouble.until > now
  }

  /** Notes an answer. True: other jobs may begin because of it. */
  answered(job: Job): boolean {
    this.#answers++
    const hasMoreRoom = this.#capacity.answered(job)
    return (!this.#breaks && this.#recover(job)) || hasMoreRoom
  }

  /** Notes a body, or much of one. True: other jobs may begin because of it. */
  delivered(job: Job): boolean {
    this.#bodies++
    return this.#breaks && this.#recover(job)
  }

  #recover({ seen }: Job): boolean {
    if (this.#most === Number.POSITIVE_INFINITY) return false
    // The server asked us to wait after this one had begun.
    if (this.trouble?.isAsked === true && seen.failures !== this.#failures) return false
    this.trouble = null
    this.#most = this.#most < enough ? this.#most + 1 : Number.POSITIVE_INFINITY
    if (this.#most === Number.POSITIVE_INFINITY) {
      this.#since = null
      this.#breaks = false
    }
    return true
  }

  /** The error of a job that is not asked for, since the server was given up. */
  refusal(job: Job, now: number): RetrievalError {
    return (this.trouble ?? new Trouble(now, now)).refusal(job, now)
  }

  /** Notes a failed try. */
  failed(job: Job, error: unknown, limits: Limits): void {
    if (limits.maxRetries === 0 || !isTrouble(error)) return
    const isOwnFault = this.#isOwnFault(job, error)
    const isFurther = job.seen.failures === this.#failures
    // While the number of jobs rises after a trouble, the server has just answered those before.
    const isRising = isFurther && this.#most > 1 && this.#most !== Number.POSITIVE_INFINITY
    this.#capacity.turnedAway(job, error, !isOwnFault || isRising)
    if (!isOwnFault) return
    const now = performance.now()
    if (isFurther) this.#failures++
    this.#breaks ||= error.phase === 'body'
    // Other bodies that still come are no reason to wait until they end.
    this.#most = error.phase === 'body' ? Math.max(1, Math.min(this.#most, this.running)) : 1
    this.#since ??= now
    this.trouble ??= new Trouble(now, this.#since)
    this.trouble.add(job, error, limits, now, isFurther)
  }

  /** Whether the error is that of the server. If the server has answered others meanwhile, it is that of the URL. */
  #isOwnFault({ seen }: Job, error: RetrievalError): boolean {
    const isAlone = error.phase === 'body' ? seen.bodies === this.#bodies : seen.answers === this.#answers
    return isAlone || asksToWait(error)
  }
}

/**
 * How many jobs a server takes at a time, learnt from those that it turns away at the door while it answers others. One
 * proves nothing until it is answered later.
 */
class Capacity {
  most: number = Number.POSITIVE_INFINITY
  /** Jobs that were turned away, and how many ran when each of them began, with itself. */
  readonly #turnedAway = new WeakMap<Job, number>()
  /** The answers since `most` was changed. */
  #calm = 0
  #answers = 0
  #failures = 0
  /** True: the server has not yet shown whether it takes the job that was added last. */
  #isTrial = false

  /** Notes that a job was turned away. `isAmongAnswers`: others were answered meanwhile. */
  turnedAway(job: Job, error: RetrievalError, isAmongAnswers: boolean): void {
    // Once a request is sent, a failure may be about the URL, or one of a server that fails now and then.
    if (!isAmongAnswers || !(error.phase === 'connect' || error.phase === 'greeting')) return
    this.#failures++
    this.#turnedAway.set(job, job.seen.running)
    if (this.#isTrial) this.#set(this.most - 1)
  }

  /** Notes an answer. True: there is room for another job because of it. */
  answered(job: Job): boolean {
    this.#answers++
    const running = this.#turnedAway.get(job)
    if (running === undefined) return this.#rises()
    this.#turnedAway.delete(job)
    // A server that fails now and then may do so whatever else it does.
    const areMany = this.#failures * 5 >= this.#answers * 2
    if (areMany && running <= this.most) this.#set(Math.ceil(running / 2))
    return false
  }

  #rises(): boolean {
    if (this.#answers + this.#failures > recent) {
      this.#answers /= 2
      this.#failures /= 2
    }
    if (this.most === Number.POSITIVE_INFINITY || ++this.#calm < calm) return false
    this.#set(this.most < enough ? this.most + 1 : Number.POSITIVE_INFINITY)
    this.#isTrial = true
    return true
  }

  #set(most: number): void {
    this.most = most
    this.#calm = 0
    this.#answers = 0
    this.#failures = 0
    this.#isTrial = false
  }
}
