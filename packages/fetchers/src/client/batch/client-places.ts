import PQueue from 'p-queue'
import type { Limits } from '../../contract/limits.ts'
import { Host, type Lane } from './host.ts'
import type { Job, Site } from './job.ts'
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

  /** Whether places of this batch hold up a job of another one, or one of its own that had a place before. */
  isBlocking(share: Share): boolean {
    if (share.places === 0) return false
    const isFull = this.#queue.pending >= this.#queue.concurrency || share.places >= share.caps.concurrency
    for (const other of this.#shares) if (isFull && other.isHeldUpBy(share)) return true
    for (const host of this.#hosts.values()) {
      const isFullHost = host.places >= this.#mostAt(share) || host.placesOf(share) >= share.caps.perHost
      if (isFullHost && host.placesOf(share) > 0 && host.isHeldUpBy(share)) return true
    }
    return false
  }

  /** Adds a job, which begins at once if it can. If its server was given up, it fails. */
  add(share: Share, job: Job): void {
    const lane = this.#hostOf(job.site).laneOf(share, job.site)
    job.lane = lane
    // In a trouble another URL shows whether it is the server's.
    if (job.isBack && lane.server.trouble === null) lane.waiting.addFirst(job)
    else lane.waiting.add(job)
    share.waiting++
    share.hasPriorities ||= job.priority !== 0
    this.#shares.add(share)
    this.#refuse(lane)
    this.#review(lane)
    this.advance()
  }

  /** Removes a job that waits. */
  withdraw(job: Job): void {
    const { lane } = job
    if (lane?.waiting.delete(job) !== true) return
    job.lane = null
    lane.share.waiting--
    this.#tidy(lane)
    this.#review(lane)
  }

  /**
   * Takes the place of a job that needs it no longer, or goes on at another server. `then` is called before the place
   * is given to others.
   */
  leave(job: Job, then: () => void = () => {}): void {
    const { lane } = job
    if (lane === null) return
    job.lane = null
    const { share, host } = lane
    lane.running--
    share.places -= lane.more
    host.end(lane)
    const isAdvancing = this.#isAdvancing
    this.#isAdvancing = true
    then()
    this.#isAdvancing = isAdvancing
    this.#tidy(lane)
    this.#reviewHost(host)
    this.advance()
  }

  /** Notes that the server of a job has answered. */
  answered(job: Job): void {
    if (job.lane?.server.answered(job) !== true) return
    this.#reviewHost(job.lane.host)
    this.advance()
  }

  /** Notes that a server has brought the body of a job. */
  delivered(job: Job): void {
    if (job.lane?.server.delivered(job) !== true) return
    this.#reviewHost(job.lane.host)
    this.advance()
  }

  /** Notes that the try of a job has failed, and gives its place back, unless only jobs of lower priority wait. */
  failed(job: Job, error: unknown, limits: Limits): void {
    if (job.lane === null) return
    const { host, server } = job.lane
    server.failed(job, error, limits)
    for (const lane of [...host.lanes]) this.#refuse(lane)
    if (!keepsPlace(job, job.lane)) this.leave(job)
  }

  /** Makes the jobs of a lane fail if their server was given up. */
  #refuse(lane: Lane): void {
    const { server, share } = lane
    const now = performance.now()
    if (!share.caps.givesUp || !server.isGivenUp(now)) return
    const refused = lane.waiting.clear()
    share.waiting -= refused.length
    for (const job of refused) {
      job.lane = null
      job.refuse(server.refusal(job, now))
    }
    this.#tidy(lane)
    this.#review(lane)
  }

  #tidy(lane: Lane): void {
    if (lane.running === 0 && lane.waiting.head === undefined) lane.host.remove(lane)
  }

  /** Removes a batch, and gives its jobs that have not begun. Those that have begun keep their places. */
  remove(share: Share): readonly Job[] {
    this.#shares.delete(share)
    share.isOver = true
    share.ready.clear()
    share.waiting = 0
    const lanes = [...this.#hosts.values()].flatMap((host) => host.lanes.filter((lane) => lane.share === share))
    const left = lanes.flatMap(({ waiting }) => waiting.clear())
    for (const job of left) job.lane = null
    for (const lane of lanes) this.#tidy(lane)
    // A body that its caller still reads goes on without a place.
    for (const job of left) if (job.isBack) job.begin()
    return left.filter(({ isBack }) => !isBack).sort((one, other) => one.index - other.index)
  }

  /** Begins the jobs that can begin. It must be called when a batch lets its jobs begin again. */
  advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    for (let lane = this.#next(); lane !== null; lane = this.#next()) {
      if (lane.server.hasShared) this.#begin(lane)
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
      const { host, server } = lane
      host.places++
      place = new Promise((giveBack) => server.held.push(giveBack))
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
    const { share, host, server } = lane
    const job = lane.waiting.take()
    if (job === undefined) return
    share.waiting--
    share.places += lane.more
    lane.running++
    host.begin(lane)
    job.seen = server.seen
    this.#reviewHost(host)
    job.begin()
  }

  #hostOf({ host: name }: Site): Host {
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

  /** How many places a host may have for jobs of this batch to begin. A tree may have more than `perHost`. */
  #mostAt({ caps }: Share): number {
    return Math.max(this.#perHost, caps.perHost)
  }

  /** Notes whether a job of the lane may begin as soon as the client and the batch have a place. */
  #review(lane: Lane): void {
    const { share, host, server, waiting } = lane
    const hasPlace = server.hasShared || host.places < this.#mostAt(share)
    const isWithin = hasPlace && host.placesOf(share) + lane.more <= share.caps.perHost
    share.setReady(lane, waiting.head !== undefined && isWithin && host.isRested(lane))
  }
}

/**
 * Whether a job keeps its place while it waits for its next try. Jobs of lower priority may wait for it in turn, as
 * bodies for standard output do, which go in order: with all places they would hold it up.
 */
function keepsPlace({ priority }: Job, { share, host }: Lane): boolean {
  const others = [...host.lanes.filter((lane) => lane.share === share), ...share.ready]
  return (
    share.hasPriorities &&
    others.every(({ waiting }) => (waiting.head?.priority ?? Number.NEGATIVE_INFINITY) < priority)
  )
}
