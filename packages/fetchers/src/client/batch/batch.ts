import { RetrievalError } from '@retriever/core'
import type { Representation } from '../../body/representation.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { Roster } from '../roster.ts'
import { BatchJob, type JobListener, type Retriever } from './batch-job.ts'
import type { Places } from './client-places.ts'
import type { Batch, BatchPlace, BatchSource } from './outcome.ts'
import type { Seats } from './seat.ts'
import { type Caps, Share } from './share.ts'
import { type Listed, readerOf, type SourceReader } from './source.ts'
import { UnreadBodies } from './unread-bodies.ts'

/** Of a list that is not in memory, so many URLs may wait for their hosts; at this many, no further ones are read. */
const maxWaiting = 10_000

/** After so many URLs read without a pause, other work of the process has its turn. */
const maxBurst = 100

/** Beyond this number, waiting jobs keep no resolution. */
const maxResolved = 100

/** A body of up to so many octets is read into memory, so that its place is free for others. */
const maxAhead = 65_536

/** The parts of a client that a batch uses. */
export interface BatchClient {
  readonly retriever: Retriever
  readonly unreadTimeout: number
  /** Gives the places of the client. Rejects once it is closed. */
  begin(): Promise<Places>
  end(): void
}

/** Turns the results of jobs into outcomes. */
export interface BatchUse<Outcome, Key> {
  /** The outcome of a representation. */
  retrieved(place: BatchPlace<Key>, representation: Representation): Outcome | Promise<Outcome>
  failed(place: BatchPlace<Key>, error: unknown): Outcome
  /** True: the outcome has the representation, and the caller reads its body. */
  readonly isLent: boolean
  /** True: the caller reads bodies later, when it has asked for further outcomes. */
  readonly keeps: boolean
}

/** A finished job, and its outcome. */
interface Result<Outcome, Key> {
  readonly job: BatchJob<Key>
  readonly outcome: Outcome
}

/**
 * One call of retrieveAll() or mapAll(). It reads the list while none of its URLs could take a free place, and gives
 * results out in the order in which they come. While the caller takes none, it keeps at most `concurrency` of them, and
 * lets no further URL begin.
 */
export class RunningBatch<Outcome, Key> implements Batch<Outcome>, JobListener<Key> {
  readonly #source: BatchSource<Key>
  readonly #client: BatchClient
  readonly #use: BatchUse<Outcome, Key>
  readonly #options: RetrieveOptions
  readonly #share: Share
  readonly #unread: UnreadBodies
  readonly #outcomes: AsyncGenerator<Outcome, undefined, undefined>
  #places: Places | null = null
  #reader: SourceReader<Key> | null = null
  readonly #results: Result<Outcome, Key>[] = []
  /** The jobs whose outcome the caller does not have yet. */
  readonly #open = new Roster<BatchJob<Key>>()
  /** The job whose outcome the caller has received last. */
  #last: BatchJob<Key> | null = null
  /** True while the caller waits for an outcome. */
  #isAwaited = false
  #isListRead = false
  #isOver = false
  /** Why the batch ends early; null: it does not. */
  #stopped: RetrievalError | null = null
  /** The error of the caller's list. */
  #failure: { readonly cause: unknown } | null = null
  #wake: () => void = () => {}
  #readOn: () => void = () => {}

  constructor(
    source: BatchSource<Key>,
    caps: Caps,
    options: RetrieveOptions,
    client: BatchClient,
    use: BatchUse<Outcome, Key>,
  ) {
    this.#source = source
    this.#client = client
    this.#use = use
    this.#options = options
    this.#share = new Share(caps, () => this.#readOn())
    this.#unread = new UnreadBodies(this, client.unreadTimeout)
    this.#outcomes = this.#give()
  }

  get isPaused(): boolean {
    return this.#share.isPaused
  }

  pause(): void {
    this.#share.isPaused = true
  }

  resume(): void {
    this.#share.isPaused = false
    this.#goOn()
  }

  next(): Promise<IteratorResult<Outcome, undefined>> {
    return this.#outcomes.next()
  }

  return(): Promise<IteratorResult<Outcome, undefined>> {
    this.#isOver = true
    this.#wake()
    return this.#outcomes.return(undefined)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Ends the batch: no further URL is read, and those that were read come out with errors. */
  stop(error: RetrievalError): void {
    if (this.#stopped !== null || this.#isOver) return
    this.#stopped = error
    // They fail at once, because the client is closed or the signal has aborted.
    for (const job of this.#places?.remove(this.#share) ?? []) job.begin()
    this.#wake()
  }

  onRetrieved(job: BatchJob<Key>, representation: Representation): Promise<void> | null {
    const made = this.#use.retrieved(job.place, representation)
    this.#unread.watch(!this.#use.isLent)
    if (made instanceof Promise) {
      return made.then(
        (outcome) => this.#report(job, outcome),
        (error) => this.onFailed(job, error),
      )
    }
    const isAwaited = this.#isAwaited
    this.#report(job, made)
    if (!isAwaited) void this.#readAhead(job)
    return null
  }

  onFailed(job: BatchJob<Key>, error: unknown): void {
    this.#report(job, this.#use.failed(job.place, error))
  }

  onEnded(job: BatchJob<Key>): void {
    this.#unread.remove(job)
    if (this.#open.has(job)) this.#share.kept += 1 / job.inFlight
  }

  /** See UnreadBodies. */
  isWanted(): boolean {
    return this.#places?.isWanted === true
  }

  isBlocking(): boolean {
    return this.#places?.isBlocking(this.#share) === true
  }

  kept(): readonly BatchJob<Key>[] {
    return [...this.#open].filter(({ body, isEnded }) => body !== null && !isEnded)
  }

  async *#give(): AsyncGenerator<Outcome, undefined, undefined> {
    const { signal } = this.#options
    const abort = (): void => this.stop(abortedBatch(signal?.reason))
    try {
      // Before anything is awaited: a readline interface gives the lines only of the time after this.
      const reader = readerOf(this.#source)
      this.#reader = reader
      const places = await this.#client.begin()
      this.#places = places
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted === true) abort()
      void this.#feed(reader, places)
      while (!this.#isOver) {
        const next = this.#results.shift()
        if (next !== undefined) yield this.#handOver(next)
        else if ((this.#isListRead || this.#stopped !== null) && this.#open.size === 0) {
          // The list has given these URLs before it failed, so their outcomes come first.
          if (this.#failure !== null) throw this.#failure.cause
          break
        } else await this.#wait()
        if (this.#last?.body?.isOver === false) void this.#passBy(this.#last)
      }
      if (this.#stopped !== null && !reader.isOver) throw this.#stopped
      return
    } finally {
      signal?.removeEventListener('abort', abort)
      await this.#finish()
    }
  }

  #handOver({ job, outcome }: Result<Outcome, Key>): Outcome {
    // The representation belongs to the caller now, who may read it long after the last outcome.
    this.#open.delete(job)
    this.#last = job
    if (job.isEnded) this.#share.kept -= 1 / job.inFlight
    this.#goOn()
    if (this.#use.isLent && job.body?.isOver === false) this.#unread.add(job)
    return outcome
  }

  /** Ends what the caller has not received. */
  async #finish(): Promise<void> {
    this.#isOver = true
    void this.#readAhead(this.#last)
    this.#places?.remove(this.#share)
    this.#client.end()
    for (const job of this.#open.clear()) job.abort()
    this.#unread.end()
    await this.#reader?.close()
  }

  async #feed(reader: SourceReader<Key>, places: Places): Promise<void> {
    const { retriever } = this.#client
    const seats = { places, share: this.#share, inFlight: retriever.inFlight }
    try {
      for (let count = 1; !this.#isEnding; count++) {
        const next = reader.next()
        const listed = next instanceof Promise ? await next : next
        if (listed === null || this.#isEnding) break
        this.#add(listed, seats)
        if (count % maxBurst === 0) await new Promise((resolve) => setImmediate(resolve))
        while (!this.#isEnding && !this.#isHungry) await new Promise<void>((resolve) => (this.#readOn = resolve))
      }
    } catch (cause) {
      this.#failure = { cause }
    }
    this.#isListRead = true
    this.#wake()
  }

  get #isEnding(): boolean {
    return this.#isOver || this.#stopped !== null
  }

  /** Whether the next URL is to be read. */
  get #isHungry(): boolean {
    const isFull = this.#share.waiting >= maxWaiting && this.#reader?.isInMemory === false
    return this.#share.isHungry && !isFull
  }

  #add(listed: Listed<Key>, seats: Seats): void {
    const job = new BatchJob(listed, this.#options, this.#client.retriever, this, seats)
    this.#open.add(job)
    if (job.isFailed) void job.run()
    else seats.places.add(this.#share, job)
    if (this.#share.waiting > maxResolved) job.forgetResolution()
  }

  /** Lets jobs begin, and reads on, where the batch could not before. */
  #goOn(): void {
    this.#places?.advance()
    this.#readOn()
  }

  #report(job: BatchJob<Key>, outcome: Outcome): void {
    if (this.#isOver) return
    this.#results.push({ job, outcome })
    this.#wake()
  }

  async #wait(): Promise<void> {
    this.#isAwaited = true
    await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#isAwaited = false
  }

  /** Reads a small body of a busy caller into memory, so that its place is free. */
  #readAhead(job: BatchJob<Key> | null): Promise<void> | undefined {
    return job?.body?.readAhead(maxAhead)
  }

  /** The caller asks for the next outcome. */
  async #passBy(job: BatchJob<Key>): Promise<void> {
    await this.#readAhead(job)
    if (!this.#use.keeps) this.#unread.passBy(job, this.#share.caps.concurrency)
  }
}

function abortedBatch(cause: unknown): RetrievalError {
  const message = 'The batch was aborted before its list had been read to the end.'
  return new RetrievalError('aborted', message, { phase: 'request', cause })
}
