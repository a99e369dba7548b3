import type { RetrievalError } from '@retriever/core'
import type { Representation } from '../result/representation.ts'
import type { BatchOutcome } from './client.ts'

/** One URL of a batch: begun once it has a place, and ended at once where nobody wants it any more. */
export interface Job {
  readonly url: string
  /** "" where it goes to none. */
  readonly host: string
  /** Of a place: 1, or less for those of which several share a connection. */
  readonly share: number
  run(): Promise<Representation>
  abort(): void
}

/** URLs whose host is full are set aside for those of others; of so many no further ones are looked at. */
const maxSetAside = 10_000

/**
 * Many jobs at a time, at most so many of one host, each made only when there is a place for it; see Client.retrieveAll. A queue would
 * hold all of them, and a promise for each, from the beginning.
 */
export class Batch {
  readonly #jobs: Iterator<Job>
  readonly #concurrency: number
  readonly #perHost: number
  readonly #aside: Job[] = []
  readonly #active = new Map<string, number>()
  readonly #running = new Set<Job>()
  readonly #results: { readonly job: Job; readonly outcome: BatchOutcome }[] = []
  #places = 0
  /** Of those that run, the ones whose outcome is not known yet. */
  #awaited = 0
  #isDry = false
  #isOver = false
  /** What the caller's iterator threw. */
  #failure: { readonly cause: unknown } | undefined
  #wake: () => void = () => {}

  constructor(jobs: Iterable<Job>, concurrency: number, perHost: number) {
    this.#jobs = jobs[Symbol.iterator]()
    this.#concurrency = concurrency
    this.#perHost = perHost
  }

  async *outcomes(): AsyncGenerator<BatchOutcome> {
    try {
      this.#fill()
      while (true) {
        const next = this.#results.shift()
        if (next !== undefined) {
          // It is the consumer's now, who may read it long after the last one came.
          this.#running.delete(next.job)
          yield next.outcome
        } else if (this.#failure !== undefined) throw this.#failure.cause
        else if (this.#isDry && this.#aside.length === 0 && this.#awaited === 0) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#isOver = true
      this.#jobs.return?.()
      for (const job of this.#running) job.abort()
    }
  }

  #fill(): void {
    try {
      while (!this.#isOver && (this.#places < this.#concurrency || this.#hasSharedPlace)) {
        const job = this.#nextJob()
        if (job === undefined) return
        this.#awaited++
        this.#setActive(job.host, this.#activeOf(job.host) + job.share)
        this.#running.add(job)
        void this.#run(job)
      }
    } catch (cause) {
      this.#failure = { cause }
      this.#isOver = true
    }
  }

  async #run(job: Job): Promise<void> {
    const { url, host, share } = job
    try {
      const representation = await job.run()
      this.#tell(job, { url, representation, error: null })
      await representation.finished
    } catch (error) {
      // A client throws nothing else.
      this.#tell(job, { url, representation: null, error: error as RetrievalError })
    }
    this.#setActive(host, this.#activeOf(host) - share)
    this.#fill()
    this.#wake()
  }

  #tell(job: Job, outcome: BatchOutcome): void {
    this.#awaited--
    this.#results.push({ job, outcome })
    this.#wake()
  }

  /** The next one whose host has a place. */
  #nextJob(): Job | undefined {
    const at = this.#aside.findIndex((job) => this.#hasPlace(job))
    if (at >= 0) return this.#aside.splice(at, 1)[0]
    while (this.#aside.length < maxSetAside) {
      const { done, value } = this.#jobs.next()
      if (done === true) {
        this.#isDry = true
        return undefined
      }
      if (this.#hasPlace(value)) return value
      this.#aside.push(value)
      // Beyond the places there is room for what goes along with others alone: no search for it.
      if (this.#places >= this.#concurrency) return undefined
    }
    return undefined
  }

  #hasPlace({ host, share }: Job): boolean {
    const active = this.#activeOf(host)
    return active < this.#perHost && this.#places + whole(active + share) - whole(active) <= this.#concurrency
  }

  get #hasSharedPlace(): boolean {
    return [...this.#active.values()].some((active) => active < whole(active))
  }

  #setActive(host: string, active: number): void {
    this.#places += whole(active) - whole(this.#activeOf(host))
    if (whole(active) === 0) this.#active.delete(host)
    else this.#active.set(host, active)
  }

  #activeOf(host: string): number {
    return this.#active.get(host) ?? 0
  }
}

/** The places that shares of one host take: a connection is one, however few share it. Of thirds some may be left. */
function whole(shares: number): number {
  return Math.ceil(shares - 1e-9)
}
