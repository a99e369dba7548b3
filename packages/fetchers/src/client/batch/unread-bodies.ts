import type { Body } from '../../body/body.ts'
import { Roster, type Rostered } from '../roster.ts'

/** A job whose representation came. */
interface OpenedJob extends Rostered {
  readonly body: Body | null
  giveBack(): void
  /** The number of reads when it was last looked at; null: it was being read, or was not looked at yet. */
  reads: number | null
}

/** How unread bodies hold up URLs that wait for places. */
interface Waiting {
  /** Whether a URL waits for a place. */
  isWanted(): boolean
  /** Whether a place of this batch holds up another batch. */
  isBlocking(): boolean
  /** The jobs that hold places, and whose outcomes the caller does not have. */
  kept(): readonly OpenedJob[]
}

/** How long the caller may read none of its bodies before their places are given to others, in milliseconds. */
const patience = 1000

/**
 * The bodies of one batch that hold places. If URLs wait for places, and the caller reads none of the bodies that it
 * has, nothing would go on: then these bodies give their places back. If another batch waits for places, the jobs give
 * theirs back, too, whose outcomes the caller has not taken yet: it may be waiting for the other batch.
 */
export class UnreadBodies {
  readonly #waiting: Waiting
  readonly #patience: number
  readonly #lent = new Roster<OpenedJob>()
  /** Those that the caller has passed by, from the oldest: they have no place, and can be read for a while. */
  #passedBy: OpenedJob[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(waiting: Waiting, unreadTimeout: number) {
    this.#waiting = waiting
    this.#patience = Math.min(patience, unreadTimeout)
  }

  /** Adds a body that the caller has received. */
  add(job: OpenedJob): void {
    // The caller could not read it before.
    job.reads = null
    this.#lent.add(job)
    this.watch(false)
  }

  remove(job: OpenedJob): void {
    this.#lent.delete(job)
  }

  /**
   * The caller asks for the next outcome, and has not touched this body. If URLs wait, it gives its place back at once;
   * of such bodies, `most` can still be read.
   */
  passBy(job: OpenedJob, most: number): void {
    if (job.body?.isUntouched !== true || !this.#waiting.isWanted() || !this.#lent.delete(job)) return
    job.body.warnUnread()
    job.giveBack()
    this.#passedBy = this.#passedBy.filter(({ body }) => body?.isOver === false && body.isUntouched)
    this.#passedBy.push(job)
    if (this.#passedBy.length > most) this.#passedBy.shift()?.body?.endPassedBy()
  }

  /** Looks at the bodies from now on, for as long as one holds a place. */
  watch(keepsAlive: boolean): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#patience)
    if (!keepsAlive) this.#timer.unref()
  }

  /** The batch is over: it has only the bodies left that the caller has. */
  end(): void {
    if (this.#lent.size === 0) clearTimeout(this.#timer)
    else this.#timer?.unref()
  }

  #look(): void {
    this.#timer = undefined
    const kept = this.#waiting.kept()
    const isBlocking = this.#waiting.isBlocking()
    const over = [...this.#lent].filter(({ body }) => body?.isOver !== false)
    for (const job of over) this.#lent.delete(job)
    const areLentIdle = areIdle([...this.#lent])
    const areKeptIdle = areIdle(kept)
    if (areLentIdle && areKeptIdle && isBlocking) for (const job of kept) job.giveBack()
    if (areLentIdle && (isBlocking || this.#waiting.isWanted())) this.#giveBack()
    if (this.#lent.size === 0 && kept.length === 0) return
    // Connections keep the process alive, if need be; a function of mapAll() that waits for a place has none.
    this.watch(isBlocking)
  }

  #giveBack(): void {
    for (const job of this.#lent.clear()) {
      job.body?.warnUnread()
      job.giveBack()
    }
  }
}

/** Whether none of the bodies has been read since they were looked at last. */
function areIdle(jobs: readonly OpenedJob[]): boolean {
  let areIdle = true
  for (const job of jobs) {
    const reads = job.body?.reads ?? null
    if (reads === null || reads !== job.reads) areIdle = false
    job.reads = reads
  }
  return areIdle
}
