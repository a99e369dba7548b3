import type { Body } from '../../result/body.ts'
import { Roster, type Rostered } from '../roster.ts'

/** A job whose representation the caller has. */
interface LentBody extends Rostered {
  readonly body: Body | null
  giveBack(): void
  /** The number of reads when it was last looked at; null: it was being read, or was not looked at yet. */
  reads: number | null
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
  readonly #lent = new Roster<LentBody>()
  #timer: NodeJS.Timeout | undefined

  /** `isWanted`: whether a URL waits for a place. */
  constructor(isWanted: () => boolean, unreadTimeout: number) {
    this.#isWanted = isWanted
    this.#patience = Math.min(patience, unreadTimeout)
  }

  add(job: LentBody): void {
    this.#lent.add(job)
    this.#arm()
  }

  remove(job: LentBody): void {
    this.#lent.delete(job)
  }

  #arm(): void {
    // The connections of the bodies keep the process alive.
    this.#timer ??= setTimeout(() => this.#look(), this.#patience).unref()
  }

  #look(): void {
    this.#timer = undefined
    let isIdle = true
    for (const job of this.#lent) {
      const reads = job.body?.reads ?? null
      if (reads === null || reads !== job.reads) isIdle = false
      job.reads = reads
    }
    if (isIdle && this.#isWanted()) this.#giveBack()
    if (this.#lent.size > 0) this.#arm()
  }

  #giveBack(): void {
    for (const job of this.#lent.clear()) {
      job.body?.warnUnread()
      job.giveBack()
    }
  }
}
