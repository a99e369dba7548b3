import type { Body } from '../../result/body.ts'

/** A job whose representation the caller has. */
interface LentBody {
  readonly body: Body | null
  giveBack(): void
}

/** How long the caller may read none of its bodies before their places are given to others, in milliseconds. */
const patience = 1000

/**
 * The bodies of one batch that the caller has received and that hold places. If URLs wait for places, and the caller
 * reads none of these bodies, nothing would go on: then the bodies give their places back.
 */
export class UnreadBodies {
  readonly #isWanted: () => boolean
  readonly #patience: number
  /** The bodies, and the number of reads of each when it was last looked at. */
  readonly #reads = new Map<LentBody, number | null>()
  #timer: NodeJS.Timeout | undefined

  /** `isWanted`: whether a URL waits for a place. */
  constructor(isWanted: () => boolean, unreadTimeout: number) {
    this.#isWanted = isWanted
    this.#patience = Math.min(patience, unreadTimeout)
  }

  add(job: LentBody): void {
    this.#reads.set(job, null)
    this.#arm()
  }

  remove(job: LentBody): void {
    this.#reads.delete(job)
  }

  #arm(): void {
    // The connections of the bodies keep the process alive.
    this.#timer ??= setTimeout(() => this.#look(), this.#patience).unref()
  }

  #look(): void {
    this.#timer = undefined
    let isIdle = true
    for (const [job, known] of this.#reads) {
      const reads = job.body?.reads ?? null
      if (reads === null || reads !== known) isIdle = false
      this.#reads.set(job, reads)
    }
    if (isIdle && this.#isWanted()) this.#giveBack()
    if (this.#reads.size > 0) this.#arm()
  }

  #giveBack(): void {
    for (const job of this.#reads.keys()) {
      job.body?.warnUnread()
      job.giveBack()
    }
    this.#reads.clear()
  }
}
