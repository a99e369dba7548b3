import PQueue from 'p-queue'
import { Host, type Lane } from './host.ts'
import type { Job } from './job.ts'
import { isBefore, type Share } from './share.ts'

/** From this number of hosts on, those without jobs are forgotten. */
const maxHosts = 1000

/**
 * The places of a client, which all its batches share: `concurrency` in all, `perHost` for one host. A place is a
 * connection. The job for a place is chosen when the place is free: the one with the highest priority, and among these
 * one of the host that has the fewest places.
 */
export class Places {
  /** Its tasks are places; one runs for as long as the place is taken. */
  readonly #queue: PQueue
  readonly #perHost: number
  readonly #hosts = new Map<string, Host>()
  readonly #shares = new Set<Share>()
  #sweepAt = maxHosts
  /** True: a task waits in the queue for a free place. */
  #isAsking = false
  #isAdvancing = false

  constructor(concurrency: number, perHost: number) {
    this.#queue = new PQueue({ concurrency })
    this.#perHost = perHost
  }

  /** Whether a job waits. */
  get isWanted(): boolean {
    for (const { waiting } of this.#shares) if (waiting > 0) return true
    return false
  }

  /** Whether places of this batch hold up a job of another one. */
  isBlocking(share: Share): boolean {
    if (share.places === 0) return false
    const isFull = this.#queue.pending >= this.#queue.concurrency
    for (const other of this.#shares) if (isFull && other !== share && other.ready.size > 0) return true
    for (const host of this.#hosts.values()) {
      if (host.places >= this.#perHost && host.placesOf(share) > 0 && host.isAwaitedBesides(share)) return true
    }
    return false
  }

  /** Adds a job, which begins at once if it can. */
  add(share: Share, job: Job): void {
    const lane = this.#hostOf(job).laneOf(share, job.inFlight)
    lane.waiting.add(job)
    share.waiting++
    this.#shares.add(share)
    this.#review(lane)
    this.advance()
  }

  /** Removes a batch, and gives its jobs that have not begun. Those that have begun keep their places. */
  remove(share: Share): readonly Job[] {
    this.#shares.delete(share)
    share.ready.clear()
    share.waiting = 0
    const lanes = [...this.#hosts.values()].flatMap((host) => host.lanes.filter((lane) => lane.share === share))
    const left = lanes.flatMap(({ waiting }) => waiting.clear())
    for (const lane of lanes) if (lane.running === 0) lane.host.remove(lane)
    return left.sort((one, other) => one.index - other.index)
  }

  /** Begins the jobs that can begin. It must be called when a batch lets its jobs begin again. */
  advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    for (let lane = this.#next(); lane !== null; lane = this.#next()) {
      if (lane.group.hasShared) this.#begin(lane)
      else {
        this.#isAsking = true
        void this.#queue.add(() => this.#take())
      }
    }
    this.#isAdvancing = false
  }

  /** Takes a place for the job that is first now, which may be another one than when the place was asked for. */
  async #take(): Promise<void> {
    this.#isAsking = false
    const lane = this.#next()
    let place: Promise<void> | null = null
    if (lane !== null) {
      const { host, group } = lane
      host.places++
      place = new Promise((giveBack) => group.held.push(giveBack))
      this.#begin(lane)
    }
    this.advance()
    await place
  }

  /** The lane whose job begins next. While a task waits for a place, only jobs begin that share one. */
  #next(): Lane | null {
    let first: Lane | null = null
    for (const share of this.#shares) {
      const lane = share.next(this.#isAsking)
      if (lane !== null && (first === null || isBefore(lane, first))) first = lane
    }
    return first
  }

  #begin(lane: Lane): void {
    const { share, host } = lane
    const job = lane.waiting.take()
    if (job === undefined) return
    share.waiting--
    share.places += lane.more
    lane.running++
    host.begin(lane)
    this.#reviewHost(host)
    void job.run().then(() => this.#end(lane))
  }

  #end(lane: Lane): void {
    const { share, host } = lane
    lane.running--
    share.places -= lane.more
    host.end(lane)
    if (lane.running === 0 && lane.waiting.size === 0) host.remove(lane)
    this.#reviewHost(host)
    this.advance()
  }

  #hostOf({ host: name }: Job): Host {
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    if (this.#hosts.size >= this.#sweepAt) this.#sweep()
    const host = new Host((rested) => {
      this.#reviewHost(rested)
      this.advance()
    })
    this.#hosts.set(name, host)
    return host
  }

  #sweep(): void {
    for (const [name, host] of this.#hosts) if (host.isIdle) this.#hosts.delete(name)
    this.#sweepAt = Math.max(maxHosts, 2 * this.#hosts.size)
  }

  #reviewHost(host: Host): void {
    for (const lane of host.lanes) this.#review(lane)
  }

  /** Notes whether a job of the lane may begin as soon as the client and the batch have a place. */
  #review(lane: Lane): void {
    const { share, host, group, waiting } = lane
    const { perHost, rates } = share.caps
    const hasPlace = group.hasShared || host.places < this.#perHost
    const isWithin = hasPlace && host.placesOf(share) + lane.more <= perHost
    share.setReady(lane, waiting.size > 0 && isWithin && host.isRested(rates))
  }
}
