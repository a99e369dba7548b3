import type { RetrievalError } from '@retriever/core'
import type { Limits } from '../../contract/limits.ts'
import type { Job, Seen, Site } from './job.ts'
import { asksToWait, isTrouble, Trouble } from './trouble.ts'

/** So many jobs at a time are no limit any more after a trouble. */
const enough = 16

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
    return { answers: this.#answers, bodies: this.#bodies, failures: this.#failures }
  }

  /** Whether a URL was answered here. */
  get isKnown(): boolean {
    return this.#answers > 0
  }

  /** Whether a trouble lets another job begin, apart from its pause. */
  get hasRoom(): boolean {
    return this.running < this.#most
  }

  /** Whether the server has been given up, and its pause is not over. */
  isGivenUp(now: number): boolean {
    return this.trouble?.isGivenUp === true && this.trouble.until > now
  }

  /** Notes an answer. True: other jobs may begin because of it. */
  answered(job: Job): boolean {
    this.#answers++
    return !this.#breaks && this.#recover(job)
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
    if (limits.maxRetries === 0 || !this.#isOwnFault(job, error)) return
    const now = performance.now()
    const isFurther = job.seen.failures === this.#failures
    if (isFurther) this.#failures++
    this.#breaks ||= error.phase === 'body'
    // Other bodies that still come are no reason to wait until they end.
    this.#most = error.phase === 'body' ? Math.max(1, Math.min(this.#most, this.running)) : 1
    this.#since ??= now
    this.trouble ??= new Trouble(now, this.#since)
    this.trouble.add(job, error, limits, now, isFurther)
  }

  /** Whether the error is that of the server. If the server has answered others meanwhile, it is that of the URL. */
  #isOwnFault({ seen }: Job, error: unknown): error is RetrievalError {
    if (!isTrouble(error)) return false
    const isAlone = error.phase === 'body' ? seen.bodies === this.#bodies : seen.answers === this.#answers
    return isAlone || asksToWait(error)
  }
}
