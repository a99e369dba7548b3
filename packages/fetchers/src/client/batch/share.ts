import { Roster } from '../roster.ts'
import type { Lane, Rate } from './host.ts'

/** The caps of one batch, which hold within those of the client. */
export interface Caps {
  readonly concurrency: number
  readonly perHost: number
  /** Each of them holds for each host. */
  readonly rates: readonly Rate[]
  /** False: the URLs of a host that was given up wait on. */
  readonly givesUp: boolean
}

/** The share that one batch has of the client's places. */
export class Share {
  readonly caps: Caps
  /** The lanes with a job that may begin as soon as a place is free. */
  readonly ready: Roster<Lane> = new Roster()
  /** The number of places that its jobs count for. */
  places = 0
  /** The number of its jobs that wait. */
  waiting = 0
  /** The number of places that its results count for which are complete and which the caller has not received. */
  kept = 0
  isPaused = false
  /** True: no job of it begins any more. */
  isOver = false
  /** True: some of its jobs are to begin before others. */
  hasPriorities = false
  readonly #onNoneReady: () => void

  /** `onNoneReady` is called when `ready` becomes empty. */
  constructor(caps: Caps, onNoneReady: () => void) {
    this.caps = caps
    this.#onNoneReady = onNoneReady
  }

  /** Whether the next URL of the list is wanted. */
  get isHungry(): boolean {
    return !this.isPaused && this.ready.size === 0 && this.kept < this.caps.concurrency
  }

  /** Whether a job waits for a place that the other batch may hold. */
  isHeldUpBy(other: Share): boolean {
    for (const lane of this.ready) if (lane.isHeldUpBy(other)) return true
    return false
  }

  setReady(lane: Lane, isReady: boolean): void {
    if (isReady) this.ready.add(lane)
    else if (this.ready.delete(lane) && this.ready.size === 0) this.#onNoneReady()
  }

  /**
   * The lane whose job begins next; null: none may begin. With `isSharing`, only a job that shares a place that is held
   * already.
   */
  next(isSharing: boolean): Lane | null {
    if (this.isPaused) return null
    const taken = this.places + Math.floor(this.kept)
    let first: Lane | null = null
    for (const lane of this.ready) {
      const fits = taken + lane.more <= this.caps.concurrency && (!isSharing || lane.server.hasShared)
      if (fits && (first === null || isBefore(lane, first))) first = lane
    }
    return first
  }
}

/** Whether a job of this lane begins before those of the other. */
export function isBefore(lane: Lane, other: Lane): boolean {
  const [job, otherJob] = [lane.waiting.head, other.waiting.head]
  if (job === undefined || otherJob === undefined) return job !== undefined
  // Fairness: the host with the fewest places is first, then the batch with the fewest.
  const order =
    otherJob.priority - job.priority ||
    Number(otherJob.isBack) - Number(job.isBack) ||
    lane.host.places - other.host.places ||
    lane.share.places - other.share.places ||
    job.index - otherJob.index
  return order < 0
}
