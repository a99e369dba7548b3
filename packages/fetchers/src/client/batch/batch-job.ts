import { type Mechanism, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Body } from '../../body/body.ts'
import { Representation } from '../../body/representation.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { handoffError } from '../handoff/handoff.ts'
import { checkItem } from '../options/checks.ts'
import { type KnownOptions, mergedOptions } from '../options/known.ts'
import { textOf } from '../resolving.ts'
import type { Retrieval } from '../retrieval.ts'
import type { Rostered } from '../roster.ts'
import type { Settings } from '../settings.ts'
import type { Turn } from '../steps/turn.ts'
import type { Site } from './job.ts'
import type { BatchItem, BatchPlace } from './outcome.ts'
import { Seat, type Seats, siteOf } from './seat.ts'
import { isItem, type Listed } from './source.ts'

export interface BeginOptions {
  readonly settings?: Settings
  /** Ends the retrieval, too. */
  readonly own?: AbortSignal | undefined
}

/** The parts of a client that retrieve a URL. */
export interface Retriever {
  readonly options: KnownOptions
  /** Throws as core's resolve(). */
  resolve(url: string | URL | Resolution, base: string | undefined): Resolution
  /** The number of retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number
  /** Throws `aborted` once the client is closed. */
  begin(resolution: Resolution, options: RetrieveOptions, turn: Turn | undefined, more?: BeginOptions): Retrieval
  /** Throws `invalid-option`. */
  settingsOf(options: RetrieveOptions): Settings
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

/** One URL of a batch. */
export class BatchJob<Key> extends Seat implements Rostered {
  slot = -1
  readonly place: BatchPlace<Key>
  /** See UnreadBodies. */
  reads: number | null = null
  /** True once the job needs its place no longer. */
  isEnded = false
  readonly #item: BatchItem<Key>
  #options: RetrieveOptions
  readonly #retriever: Retriever
  readonly #listener: JobListener<Key>
  #resolution: Resolution | null = null
  #failure: { readonly error: unknown } | null = null
  #giveBack: () => void = () => {}

  constructor(
    { entry, index }: Listed<Key>,
    options: RetrieveOptions,
    retriever: Retriever,
    listener: JobListener<Key>,
    seats: Seats,
  ) {
    const item: BatchItem<Key> = isItem(entry) ? entry : { url: entry }
    const { key, priority = 0, options: own } = item
    const url = textOf(item.url)
    super(seats, url, index, priority, nowhere)
    this.#item = item
    this.#retriever = retriever
    this.#listener = listener
    this.#options = options
    this.place = { url, index, key }
    try {
      checkItem(item, index, retriever.options)
      if (own !== undefined) this.#options = withOwn(options, own, retriever.options)
      this.#resolution = this.#resolve()
      this.site = siteOf(this.#resolution, seats)
    } catch (error) {
      this.#failure = { error }
    }
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
    return this.retrieval?.body ?? null
  }

  /** Frees memory, for a job that will wait long: its URL is resolved again when it begins. */
  forgetResolution(): void {
    this.#resolution = null
  }

  /** Ends the retrieval in any state. */
  abort(): void {
    const { url } = this.place
    const message = `${redact(url)}: The retrieval was aborted.`
    this.retrieval?.abort(new RetrievalError('aborted', message, { phase: 'request', url }))
  }

  /** Gives the place back before the body is finished. */
  giveBack(): void {
    this.#giveBack()
  }

  override begin(): void {
    if (this.retrieval === null) void this.run()
    else super.begin()
  }

  override refuse(error: RetrievalError): void {
    super.refuse(error)
    if (this.retrieval !== null) return
    this.#failure = { error }
    void this.run()
  }

  async run(): Promise<void> {
    try {
      if (this.#failure !== null) throw this.#failure.error
      const resolution = this.#resolution ?? this.#resolve()
      const own = this.#item.options?.signal
      const retrieval = this.#retriever.begin(resolution, this.#options, this, { own })
      this.retrieval = retrieval
      const opened = await retrieval.run(resolution)
      if (!(opened instanceof Representation)) throw handoffError(this.place.url, opened)
      const used = this.#listener.onRetrieved(this, opened)
      await new Promise<void>((resolve) => {
        this.#giveBack = resolve
        // Neither rejects.
        void Promise.resolve(used).then(() => opened.finished.then(resolve))
      })
    } catch (error) {
      this.#listener.onFailed(this, error)
    }
    this.isEnded = true
    this.#listener.onEnded(this)
    this.#forget()
    this.leave()
  }

  /**
   * Frees memory. A job that has waited long is in V8's old generation: until the next full garbage collection it
   * would keep all that it refers to.
   */
  #forget(): void {
    this.#resolution = null
    this.#giveBack = () => {}
    if (this.body?.isOver !== false) this.retrieval = null
  }

  #resolve(): Resolution {
    return this.#retriever.resolve(this.#item.url, this.#options.base)
  }
}

/** The options of one URL over those of the batch, whose signal stays; run() heeds that of the URL, too. */
function withOwn(options: RetrieveOptions, own: RetrieveOptions, known: KnownOptions): RetrieveOptions {
  const merged = mergedOptions(options, own, known)
  return options.signal === undefined ? merged : { ...merged, signal: options.signal }
}
