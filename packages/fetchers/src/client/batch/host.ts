import { clampTimer } from '../../kit/deadline.ts'
import type { Rostered } from '../roster.ts'
import type { Job } from './job.ts'
import type { Share } from './share.ts'
import { WaitingList } from './waiting-list.ts'

/** At most `cap` retrievals of one host begin within `interval` milliseconds. */
export interface Rate {
  readonly interval: number
  readonly cap: number
}

/** The jobs at one host that can share connections. */
export class Group {
  /** The number of jobs that share one connection, and so one place. */
  readonly inFlight: number
  running = 0
  /** One function for each place held, which gives the place back. */
  readonly held: (() => void)[] = []

  constructor(inFlight: number) {
    this.inFlight = inFlight
  }

  /** Whether another job can share a place that is held already. */
  get hasShared(): boolean {
    return this.running < this.held.length * this.inFlight
  }
}

/** The jobs that one batch has in one group. */
export class Lane implements Rostered {
  slot = -1
  readonly share: Share
  readonly host: Host
  readonly group: Group
  readonly waiting: WaitingList<Job> = new WaitingList()
  /** The number of its jobs that have begun and not ended. */
  running = 0

  constructor(share: Share, host: Host, group: Group) {
    this.share = share
    this.host = host
    this.group = group
  }

  /** The number of places that its jobs count for. */
  get places(): number {
    return Math.ceil(this.running / this.group.inFlight)
  }

  /** The number of places, 0 or 1, that its next job adds. */
  get more(): number {
    return Math.ceil((this.running + 1) / this.group.inFlight) - this.places
  }
}

/** The jobs of one host, of all batches. */
export class Host {
  readonly lanes: Lane[] = []
  /** The number of places held. */
  places = 0
  readonly #groups: Group[] = []
  readonly #onRested: (host: Host) => void
  /** When jobs began that have a rate, the last one at the end; as many as their rates look back upon. */
  #begun: number[] = []
  #restedAt = 0
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends; infinity: there is none. */
  #timerAt = Number.POSITIVE_INFINITY

  /** `onRested`: called when a rate no longer holds a waiting job up. */
  constructor(onRested: (host: Host) => void) {
    this.#onRested = onRested
  }

  /** No job runs or waits here, and no rate has to remember when jobs began. */
  get isIdle(): boolean {
    return this.places === 0 && this.lanes.length === 0 && this.#restedAt <= performance.now()
  }

  laneOf(share: Share, inFlight: number): Lane {
    const known = this.lanes.find((lane) => lane.share === share && lane.group.inFlight === inFlight)
    if (known !== undefined) return known
    const lane = new Lane(share, this, this.#groupOf(inFlight))
    this.lanes.push(lane)
    return lane
  }

  #groupOf(inFlight: number): Group {
    const known = this.#groups.find((each) => each.inFlight === inFlight)
    if (known !== undefined) return known
    const group = new Group(inFlight)
    this.#groups.push(group)
    return group
  }

  /** The number of places that the jobs of a batch count for here. */
  placesOf(share: Share): number {
    let places = 0
    for (const lane of this.lanes) if (lane.share === share) places += lane.places
    return places
  }

  /** Whether a job of another batch waits here. */
  isAwaitedBesides(share: Share): boolean {
    return this.lanes.some((lane) => lane.share !== share && lane.waiting.size > 0)
  }

  /** Notes that a job begins, in a new place unless it can share one. */
  begin({ group, share }: Lane): void {
    group.running++
    const { rates } = share.caps
    if (rates.length === 0) return
    const now = performance.now()
    const longest = Math.max(...rates.map(({ cap }) => cap))
    this.#begun.push(now)
    if (this.#begun.length > longest * 2) this.#begun = this.#begun.slice(-longest)
    this.#restedAt = Math.max(this.#restedAt, now + Math.max(...rates.map(({ interval }) => interval)))
  }

  /** Ends a job, and gives back the places that the others do not need. */
  end({ group }: Lane): void {
    group.running--
    while (group.held.length > Math.ceil(group.running / group.inFlight)) {
      this.places--
      group.held.pop()?.()
    }
  }

  /** Whether these rates let a job begin now. If not, `onRested` is called when they do. */
  isRested(rates: readonly Rate[]): boolean {
    if (rates.length === 0) return true
    const now = performance.now()
    const waits = rates.map(({ interval, cap }) => (this.#begun.at(-cap) ?? Number.NEGATIVE_INFINITY) + interval - now)
    const wait = Math.max(...waits)
    if (wait <= 0) return true
    // Another batch may wait for longer here.
    if (now + wait < this.#timerAt) {
      clearTimeout(this.#timer)
      this.#timerAt = now + wait
      this.#timer = setTimeout(
        () => {
          this.#stopTimer()
          this.#onRested(this)
        },
        clampTimer(Math.ceil(wait)),
      )
    }
    return false
  }

  /** Removes a lane without jobs. */
  remove(lane: Lane): void {
    this.lanes.splice(this.lanes.indexOf(lane), 1)
    if (this.lanes.some(({ waiting }) => waiting.size > 0)) return
    this.#stopTimer()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}
