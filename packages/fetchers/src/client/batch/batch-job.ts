import { type Mechanism, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Body } from '../../body/body.ts'
import { Representation } from '../../body/representation.ts'
import type { Limits } from '../../contract/limits.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { handoffError } from '../handoff/handoff.ts'
import { checkItem } from '../options/checks.ts'
import { type KnownOptions, mergedOptions } from '../options/known.ts'
import { textOf } from '../resolving.ts'
import type { Retrieval } from '../retrieval.ts'
import type { Rostered } from '../roster.ts'
import type { Turn } from '../steps/turn.ts'
import type { Places } from './client-places.ts'
import type { Lane } from './host.ts'
import type { Job, Seen, Site } from './job.ts'
import type { BatchItem, BatchPlace } from './outcome.ts'
import type { Share } from './share.ts'
import { isItem, type Listed } from './source.ts'
import { isTrouble } from './trouble.ts'

/** The parts of a client that retrieve a URL. */
export interface Retriever {
  readonly options: KnownOptions
  /** Throws as core's resolve(). */
  resolve(url: string | URL | Resolution, base: string | undefined): Resolution
  /** The number of retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number
  /** Throws `aborted` once the client is closed. */
  begin(resolution: Resolution, options: RetrieveOptions, turn: Turn): Retrieval
}

/** The places of a batch. */
export interface Seats {
  readonly places: Places
  readonly share: Share
}

/** Gets the results of jobs. */
export interface JobListener<Key> {
  /** The job keeps its place until the promise, which never rejects, resolves and the body is finished. */
  onRetrieved(job: BatchJob<Key>, representation: Representation): Promise<void> | null
  onFailed(job: BatchJob<Key>, error: unknown): void
  /** The job has given its place back. */
  onEnded(job: BatchJob<Key>): void
}

/** The site of what cannot be retrieved. */
const nowhere: Site = { host: '', port: 0, inFlight: 1 }

const unseen: Seen = { answers: 0, failures: 0 }

/** One URL of a batch. */
export class BatchJob<Key> implements Job, Turn, Rostered {
  slot = -1
  readonly place: BatchPlace<Key>
  readonly index: number
  readonly priority: number
  site: Site
  lane: Lane | null = null
  seen: Seen = unseen
  isBack = false
  isRefused = false
  /** See UnreadBodies. */
  reads: number | null = null
  /** True once the job needs its place no longer. */
  isEnded = false
  readonly #item: BatchItem<Key>
  #options: RetrieveOptions
  readonly #retriever: Retriever
  readonly #listener: JobListener<Key>
  readonly #seats: Seats | null
  #coming: { readonly resolve: () => void; readonly reject: (error: RetrievalError) => void } | null = null
  #isKnown = false
  #resolution: Resolution | null = null
  #failure: { readonly error: unknown } | null = null
  #retrieval: Retrieval | null = null
  #giveBack: () => void = () => {}

  constructor(
    { entry, index }: Listed<Key>,
    options: RetrieveOptions,
    retriever: Retriever,
    listener: JobListener<Key>,
    seats: Seats | null,
  ) {
    this.#seats = seats
    this.#item = isItem(entry) ? entry : { url: entry }
    const { url, key, priority = 0, options: own } = this.#item
    this.#retriever = retriever
    this.#listener = listener
    this.#options = options
    this.place = { url: textOf(url), index, key }
    this.index = index
    this.priority = priority
    try {
      checkItem(this.#item, retriever.options)
      if (own !== undefined) this.#options = withOwn(options, own, retriever.options)
      this.#resolution = this.#resolve()
    } catch (error) {
      this.#failure = { error }
    }
    this.site = this.#resolution === null ? nowhere : this.#siteOf(this.#resolution)
  }

  get url(): string {
    return this.place.url
  }

  get inFlight(): number {
    return this.site.inFlight
  }

  /** True: the URL cannot be retrieved. run() reports that, and needs no place. */
  get isFailed(): boolean {
    return this.#failure !== null
  }

  /** The body of the representation; null: there is none, or not yet. */
  get body(): Body | null {
    return this.#retrieval?.body ?? null
  }

  /** Frees memory, for a job that will wait long: its URL is resolved again when it begins. */
  forgetResolution(): void {
    this.#resolution = null
  }

  /** Ends the retrieval in any state. */
  abort(): void {
    const { url } = this.place
    const message = `${redact(url)}: The retrieval was aborted.`
    this.#retrieval?.abort(new RetrievalError('aborted', message, { phase: 'request', url }))
  }

  /** Gives the place back before the body is finished. */
  giveBack(): void {
    this.#giveBack()
  }

  begin(): void {
    const coming = this.#coming
    this.#coming = null
    if (coming === null) void this.run()
    else coming.resolve()
  }

  refuse(error: RetrievalError): void {
    const coming = this.#coming
    this.#coming = null
    this.isRefused = true
    coming?.reject(error)
    if (coming !== null) return
    this.#failure = { error }
    void this.run()
  }

  come(to: Resolution): Promise<void> | null {
    const { site } = this
    const { host, port, inFlight } = this.#siteOf(to)
    const isSame = site.host === host && site.port === port && site.inFlight === inFlight
    if (this.lane !== null && isSame) {
      this.seen = this.lane.server.seen
      return null
    }
    if (this.#seats === null) return null
    if (!isSame) this.site = { host, port, inFlight }
    return this.#comeTo(this.#seats)
  }

  async #comeTo({ places, share }: Seats): Promise<void> {
    const deadline = this.#retrieval?.deadline
    deadline?.throwIfAborted()
    const came = new Promise<void>((resolve, reject) => (this.#coming = { resolve, reject }))
    const wait = (): void => {
      this.isBack = true
      places.add(share, this)
    }
    if (this.lane === null) wait()
    else places.leave(this, wait)
    try {
      await (deadline === undefined ? came : deadline.unlimited(() => came))
    } catch (error) {
      if (this.#coming !== null) places.withdraw(this)
      this.#coming = null
      throw error
    }
  }

  answered(): void {
    this.#seats?.places.answered(this)
  }

  failed(error: unknown, limits: Limits): void {
    this.#isKnown = this.lane?.server.isKnown === true
    this.#seats?.places.failed(this, error, limits)
  }

  mayPass(error: RetrievalError): boolean {
    return this.#isKnown && error.code === 'connect-failed' && error.phase === 'connect'
  }

  waitsOn(error: RetrievalError): boolean {
    return this.#seats?.share.caps.givesUp === false && (error.transient || this.mayPass(error)) && isTrouble(error)
  }

  async run(): Promise<void> {
    try {
      if (this.#failure !== null) throw this.#failure.error
      const resolution = this.#resolution ?? this.#resolve()
      this.#retrieval = this.#retriever.begin(resolution, this.#options, this)
      const opened = await this.#retrieval.run(resolution)
      if (!(opened instanceof Representation)) throw handoffError(this.place.url, opened)
      const used = this.#listener.onRetrieved(this, opened)
      if (used !== null || this.body?.isOver === false) {
        const givenBack = new Promise<void>((resolve) => (this.#giveBack = resolve))
        await Promise.race([Promise.all([used, opened.finished]), givenBack])
      }
    } catch (error) {
      this.#listener.onFailed(this, error)
    }
    this.isEnded = true
    this.#listener.onEnded(this)
    this.#forget()
    this.#seats?.places.leave(this)
  }

  /**
   * Frees memory. A job that has waited long is in V8's old generation: until the next full garbage collection it
   * would keep all that it refers to.
   */
  #forget(): void {
    this.#resolution = null
    this.#giveBack = () => {}
    if (this.body?.isOver !== false) this.#retrieval = null
  }

  #siteOf({ plan }: Resolution): Site {
    const host = ('host' in plan && plan.host) || ''
    const port = ('port' in plan && plan.port) || 0
    return { host, port, inFlight: this.#retriever.inFlight(plan.mechanism) }
  }

  #resolve(): Resolution {
    return this.#retriever.resolve(this.#item.url, this.#options.base)
  }
}

/** The options of one URL over those of the batch; either signal ends the retrieval. An undefined one is none. */
function withOwn(options: RetrieveOptions, own: RetrieveOptions, known: KnownOptions): RetrieveOptions {
  const merged = mergedOptions(options, own, known)
  const isBoth = options.signal !== undefined && own.signal !== undefined
  return isBoth ? { ...merged, signal: AbortSignal.any([options.signal, own.signal]) } : merged
}
