import type { RetrievalError } from '@retriever/core'
import PQueue from 'p-queue'
import type { Representation } from '../result/representation.ts'

/** One result of Client.retrieveAll. */
export type BatchOutcome =
  | { readonly url: string; readonly representation: Representation; readonly error: null }
  | { readonly url: string; readonly representation: null; readonly error: RetrievalError }

/** One URL of a batch. */
export interface Job {
  readonly url: string
  /** "" if the URL has no host. */
  readonly host: string
  /** The number of jobs like this one that share a connection, and so count as one. */
  readonly inFlight: number
  run(): Promise<Representation>
  abort(): void
}

/** The number of URLs that may wait for one host. At this many, no further URLs are read from the caller's list. */
const maxWaiting = 10_000

/**
 * Runs many jobs at a time: `concurrency` in all, `perHost` of one host. A job keeps its place until its body has been
 * read. Jobs are created lazily, so memory does not grow with the list.
 */
export class Batch {
  readonly #jobs: Iterator<Job>
  readonly #perHost: number
  /** Its tasks are places; one runs for as long as the place is taken. */
  readonly #places: PQueue
  readonly #placesByHost = new Map<string, PQueue>()
  readonly #sharedPlaces = new Map<string, SharedPlaces>()
  /** The jobs whose outcome the caller does not have yet. */
  readonly #running = new Set<Job>()
  readonly #results: { readonly job: Job; readonly outcome: BatchOutcome }[] = []
  /** The number of jobs read from the list whose outcome is not known yet. */
  #unknown = 0
  #isListRead = false
  #isOver = false
  /** The error that the caller's iterator threw. */
  #failure: { readonly cause: unknown } | undefined
  #wake: () => void = () => {}

  constructor(jobs: Iterable<Job>, concurrency: number, perHost: number) {
    this.#jobs = jobs[Symbol.iterator]()
    this.#places = new PQueue({ concurrency })
    this.#perHost = perHost
  }

  async *outcomes(): AsyncGenerator<BatchOutcome, void, void> {
    try {
      void this.#feed()
      while (true) {
        const next = this.#results.shift()
        if (next !== undefined) {
          // The representation belongs to the caller now, who may read it long after the last outcome.
          this.#running.delete(next.job)
          yield next.outcome
        } else if (this.#failure !== undefined) throw this.#failure.cause
        else if (this.#isListRead && this.#unknown === 0) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#isOver = true
      for (const { queue } of this.#sharedPlaces.values()) queue.clear()
      for (const queue of [...this.#placesByHost.values(), this.#places]) queue.clear()
      this.#jobs.return?.()
      for (const job of this.#running) job.abort()
    }
  }

  /**
   * Reads the next URL when no earlier one waits for one of the batch's places; URLs may wait for a place of their
   * host.
   */
  async #feed(): Promise<void> {
    try {
      while (!this.#isOver) {
        const { done, value: job } = this.#jobs.next()
        if (done === true) break
        this.#unknown++
        const waiting = this.#add(job)
        if (waiting.size >= maxWaiting) await waiting.onSizeLessThan(maxWaiting)
        if (this.#places.size > 0) await this.#places.onSizeLessThan(1)
      }
    } catch (cause) {
      this.#failure = { cause }
    }
    this.#isListRead = true
    this.#wake()
  }

  /** Adds a job. Returns the queue in which it waits for its host. */
  #add(job: Job): PQueue {
    const { host, inFlight } = job
    if (inFlight === 1) return this.#takePlace(host, () => this.#run(job))
    const key = `${inFlight} ${host}`
    let places = this.#sharedPlaces.get(key)
    if (places === undefined) {
      places = new SharedPlaces(inFlight, (place) => this.#takePlace(host, place))
      forgetIdle(this.#sharedPlaces, ({ queue }) => queue)
      this.#sharedPlaces.set(key, places)
    }
    places.add(() => this.#run(job))
    return places.queue
  }

  /** Runs a place when first the host and then the whole batch have one left. Returns the host's queue. */
  #takePlace(host: string, place: () => Promise<void>): PQueue {
    let queue = this.#placesByHost.get(host)
    if (queue === undefined) {
      queue = new PQueue({ concurrency: this.#perHost })
      forgetIdle(this.#placesByHost, (each) => each)
      this.#placesByHost.set(host, queue)
    }
    void queue.add(() => this.#places.add(place))
    return queue
  }

  /** Resolves when the job no longer needs its place. Never rejects. */
  async #run(job: Job): Promise<void> {
    const { url } = job
    this.#running.add(job)
    try {
      const representation = await job.run()
      this.#report(job, { url, representation, error: null })
      await representation.finished
    } catch (error) {
      // A client only throws RetrievalErrors.
      this.#report(job, { url, representation: null, error: error as RetrievalError })
    }
  }

  #report(job: Job, outcome: BatchOutcome): void {
    this.#unknown--
    this.#results.push({ job, outcome })
    this.#wake()
  }
}

/** At this number of hosts, a batch forgets the queues of hosts without jobs. */
const maxHosts = 1000

function forgetIdle<T>(byHost: Map<string, T>, queueOf: (value: T) => PQueue): void {
  if (byHost.size < maxHosts) return
  for (const [host, value] of byHost) {
    const { size, pending } = queueOf(value)
    if (size + pending === 0) byHost.delete(host)
  }
}

/** The jobs of one host that share connections: a place is a connection, which `inFlight` of them share. */
class SharedPlaces {
  /** Its concurrency follows the places held; it is paused while there is none. */
  readonly queue: PQueue = new PQueue({ autoStart: false })
  readonly #inFlight: number
  readonly #takePlace: (place: () => Promise<void>) => void
  /** One function for each place held, which gives the place back. */
  readonly #held: (() => void)[] = []
  #isAsking = false

  constructor(inFlight: number, takePlace: (place: () => Promise<void>) => void) {
    this.#inFlight = inFlight
    this.#takePlace = takePlace
    this.queue.on('next', () => this.#adjust())
  }

  add(job: () => Promise<void>): void {
    void this.queue.add(job)
    this.#adjust()
  }

  /** Asks for a place if a job waits, and gives back places that no job needs. */
  #adjust(): void {
    const { size, pending } = this.queue
    if (size === 0) {
      while (this.#held.length > Math.ceil(pending / this.#inFlight)) this.#held.pop()?.()
      this.#start()
    } else if (!this.#isAsking) {
      this.#isAsking = true
      this.#takePlace(() => new Promise((giveBack) => this.#given(giveBack)))
    }
  }

  #given(giveBack: () => void): void {
    this.#isAsking = false
    this.#held.push(giveBack)
    this.#start()
    this.#adjust()
  }

  #start(): void {
    if (this.#held.length === 0) this.queue.pause()
    else {
      this.queue.concurrency = this.#held.length * this.#inFlight
      this.queue.start()
    }
  }
}
