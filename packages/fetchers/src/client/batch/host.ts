import { clampTimer } from '../../kit/deadline.ts'
import type { Rostered } from '../roster.ts'
import type { Job, Site } from './job.ts'
import { Server } from './server.ts'
import type { Share } from './share.ts'
import { WaitingList } from './waiting-list.ts'

/** At most `cap` retrievals of one host begin within `interval` milliseconds. */
export interface Rate {
  readonly interval: number
  readonly cap: number
}

/** The jobs that one batch has at one server. */
export class Lane implements Rostered {
  slot = -1
  readonly share: Share
  readonly host: Host
  readonly server: Server
  readonly waiting: WaitingList<Job> = new WaitingList()
  /** The number of its jobs that have begun and not ended. */
  running = 0

  constructor(share: Share, host: Host, server: Server) {
    this.share = share
    this.host = host
    this.server = server
  }

  /** The number of places that its jobs count for. */
  get places(): number {
    return Math.ceil(this.running / this.server.inFlight)
  }

  /** Whether its next job is of another batch, or had a place before: one that has a place may wait for it. */
  isHeldUpBy(share: Share): boolean {
    const { head } = this.waiting
    return head !== undefined && (this.share !== share || head.isBack)
  }

  /** The number of places, 0 or 1, that its next job adds. */
  get more(): number {
    return Math.ceil((this.running + 1) / this.server.inFlight) - this.places
  }
}

/** The jobs of one host, of all batches. */
export class Host {
  readonly lanes: Lane[] = []
  /** The number of places held. */
  places = 0
  readonly #servers: Server[] = []
  readonly #onRested: (host: Host) => void
  /** When jobs began that have a rate, the last one at the end; as many as their rates look back upon. */
  #begun: number[] = []
  #restedAt = 0
  #timer: NodeJS.Timeout | undefined
  /** When the timer ends; infinity: there is none. */
  #timerAt = Number.POSITIVE_INFINITY

  /** `onRested`: called when a rate or a pause no longer holds a waiting job up. */
  constructor(onRested: (host: Host) => void) {
    this.#onRested = onRested
  }

  /** No job runs or waits here, and neither a rate nor a trouble has to be remembered. */
  get isIdle(): boolean {
    const now = performance.now()
    if (this.lanes.length > 0 || this.#restedAt > now) return false
    return this.#servers.every(({ trouble }) => trouble === null || trouble.until <= now)
  }

  laneOf(share: Share, site: Site): Lane {
    const known = this.lanes.find((lane) => lane.share === share && isAt(lane.server, site))
    if (known !== undefined) return known
    const lane = new Lane(share, this, this.#serverAt(site))
    this.lanes.push(lane)
    return lane
  }

  #serverAt(site: Site): Server {
    const known = this.#servers.find((each) => isAt(each, site))
    if (known !== undefined) return known
    const server = new Server(site)
    this.#servers.push(server)
    return server
  }

  /** The number of places that the jobs of a batch count for here. */
  placesOf(share: Share): number {
    let places = 0
    for (const lane of this.lanes) if (lane.share === share) places += lane.places
    return places
  }

  /** Whether a job waits here that places of this batch may hold up. */
  isHeldUpBy(share: Share): boolean {
    return this.lanes.some((lane) => lane.isHeldUpBy(share))
  }

  /** Notes that a job begins, in a new place unless it can share one. */
  begin({ server, share }: Lane): void {
    server.running++
    const { rates } = share.caps
    if (rates.length === 0) return
    const now = performance.now()
    const longest = Math.max(...rates.map(({ cap }) => cap))
    this.#begun.push(now)
    if (this.#begun.length > longest * 2) this.#begun = this.#begun.slice(-longest)
    this.#restedAt = Math.max(this.#restedAt, now + Math.max(...rates.map(({ interval }) => interval)))
  }

  /** Ends a job, and gives back the places that the others do not need. */
  end({ server }: Lane): void {
    server.running--
    while (server.held.length > Math.ceil(server.running / server.inFlight)) {
      this.places--
      server.held.pop()?.()
    }
  }

  /** Whether the rates and the state of the server let a job begin now. If not, `onRested` is called when they may. */
  isRested({ server, share }: Lane): boolean {
    const { rates } = share.caps
    const { trouble } = server
    if (!server.hasRoom) return false
    if (rates.length === 0 && trouble === null) return true
    const now = performance.now()
    const waits = rates.map(({ interval, cap }) => (this.#begun.at(-cap) ?? Number.NEGATIVE_INFINITY) + interval - now)
    const wait = Math.max(...waits, trouble === null ? 0 : trouble.until - now)
    if (wait > 0) this.#wakeAt(now + wait)
    return wait <= 0
  }

  #wakeAt(time: number): void {
    // Another batch may wait for longer here.
    if (time >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = time
    this.#timer = setTimeout(
      () => {
        this.#stopTimer()
        this.#onRested(this)
      },
      clampTimer(Math.ceil(time - performance.now())),
    )
  }

  /** Removes a lane without jobs. */
  remove(lane: Lane): void {
    const at = this.lanes.indexOf(lane)
    if (at !== -1) this.lanes.splice(at, 1)
    if (this.lanes.some(({ waiting }) => waiting.head !== undefined)) return
    this.#stopTimer()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}

function isAt(server: Server, { port, inFlight }: Site): boolean {
  return server.port === port && server.inFlight === inFlight
}
