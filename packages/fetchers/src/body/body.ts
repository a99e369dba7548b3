import { Readable } from 'node:stream'
import { type Advice, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { ByteSource, Sink } from '../contract/byte-source.ts'
import type { Deadline } from '../contract/deadline.ts'
import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import type { Limits } from '../contract/limits.ts'
import { sourceOf } from '../kit/byte-source.ts'
import { clampTimer } from '../kit/deadline.ts'
import { type BodyHash, Digests, type HashName } from '../saving/digests.ts'
import { RateLimit } from './rate-limit.ts'
import { ReadAhead } from './read-ahead.ts'

const sizeLimit: Advice = { option: 'limits.maxSize' }
const speedLimit: Advice = { option: 'limits.minSpeed' }
const unreadLimit: Advice = { option: 'limits.unreadTimeout' }

/**
 * The body of a retrieval, for its one consumer. It enforces the limits and reports progress. When it ends, the
 * retrieval ends.
 */
export class Body implements ByteSource {
  readonly #source: ByteSource
  readonly #size: number | null
  readonly #context: RetrievalContext
  readonly #isTooSlow: (octets: number) => boolean
  readonly #done: (error: RetrievalError | null, received: number) => void
  readonly #rateLimit: RateLimit | null
  #taken = false
  #received = 0
  #over = false
  #ahead: ReadAhead | null = null
  #sink: BodySink | null = null
  /** How often the consumer has read. */
  #reads = 0
  #isPulling = false
  #unreadTimer: NodeJS.Timeout | undefined
  #digests: Digests | null = null
  #finish: () => void = () => {}
  readonly finished: Promise<void> = new Promise((resolve) => {
    this.#finish = resolve
  })

  constructor(
    retrieved: Retrieved,
    context: RetrievalContext,
    done: (error: RetrievalError | null, received: number) => void,
  ) {
    this.#source = sourceOf(retrieved.body)
    this.#size = retrieved.size
    this.#context = context
    this.#isTooSlow = speedRule(context.limits, context.deadline)
    this.#done = done
    const { maxRate } = context.limits
    this.#rateLimit = Number.isFinite(maxRate) ? new RateLimit(maxRate, context.deadline) : null
    // No read notices an abort between two reads, so this ends the retrieval.
    context.deadline.onAbort(() => {
      this.#end(context.deadline.reason)
      // A Node stream does not listen to the deadline, and would stay open.
      if (retrieved.body instanceof Readable) retrieved.body.destroy()
    })
  }

  /** How many octets have arrived, without those that were thrown away to start over. */
  get received(): number {
    return this.#received
  }

  get taken(): boolean {
    return this.#taken
  }

  /** True once the connection is no longer used. */
  get isOver(): boolean {
    return this.#over
  }

  /** How often the consumer has read so far. Null while it waits for octets. */
  get reads(): number | null {
    const isWaiting = this.#ahead === null ? this.#isPulling : this.#ahead.isWanted
    return isWaiting ? null : this.#reads
  }

  /** Whether nobody has begun to use the body, nor a part of it that is in memory. */
  get isUntouched(): boolean {
    return !this.#taken && this.#reads === 0
  }

  /**
   * Reads up to `limit` octets into memory, unless the consumer has begun to read. If the body is no longer than that,
   * its connection becomes free.
   */
  async readAhead(limit: number): Promise<void> {
    if (this.#over || this.#reads > 0) return
    if (this.#ahead === null) {
      this.#restart()
      this.#ahead = new ReadAhead(async () => {
        const chunk = await this.#pull()
        return chunk !== null && this.reusesChunks ? new Uint8Array(chunk) : chunk
      }, limit)
    }
    await this.#ahead.filled
  }

  /** Reports that nobody reads the body, and ends it unless somebody does within limits.unreadTimeout. */
  warnUnread(): void {
    if (this.#over) return
    const { limits, emit, url } = this.#context
    const { unreadTimeout } = limits
    const reads = this.#reads
    emit({ type: 'unread', url, timeout: unreadTimeout })
    if (unreadTimeout === Number.POSITIVE_INFINITY) return
    this.#unreadTimer = setTimeout(() => {
      if (this.#reads !== reads) return
      const what = `The body was left unread for ${unreadTimeout / 1000} s while other URLs waited for its place`
      this.#endUnread(`${what}. Read or cancel each body soon, or raise ${adviceText(unreadLimit)}.`)
    }, clampTimer(unreadTimeout))
  }

  /** Ends a body that its consumer has passed by. */
  endPassedBy(): void {
    const what = 'The body was left unread, and the next ones asked for, while other URLs waited for its place'
    const remedy = 'Read or cancel each body before you ask for the next one, or give the batch the option `keep`'
    if (!this.#over) this.#endUnread(`${what}. ${remedy}.`)
  }

  #endUnread(message: string): void {
    const { deadline, error } = this.#context
    this.#ahead?.drop()
    deadline.fail(error('timeout', message, { phase: 'body', advice: unreadLimit }))
  }

  /**
   * Gives the octets once, and throws a TypeError the second time, as a web stream does. `sink` is where the octets go,
   * if it can start over.
   */
  take(sink?: Sink): ByteSource {
    if (this.#taken) throw new TypeError('The body has been read already; retrieve the URL again.')
    this.#taken = true
    if (sink !== undefined) this.#restart().target = sink
    return this
  }

  /** Lets the source start over, in memory or in the consumer's sink. */
  #restart(): BodySink {
    if (this.#sink === null) {
      this.#sink = new BodySink(
        () => this.#ahead,
        () => {
          this.#received = 0
          this.#digests?.startOver()
        },
      )
      this.#source.restartInto?.(this.#sink)
    }
    return this.#sink
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  /** Ends a retrieval whose body is certainly empty, so that nobody need read it. */
  finish(): void {
    this.#end(null)
  }

  /** Ends the retrieval at once, even during a read, and closes the connection. */
  giveUp(): void {
    this.#taken = true
    this.#ahead?.drop()
    if (this.#over) return
    const { deadline, error } = this.#context
    this.#end(null)
    // Pending reads must end at once and not wait for the server.
    deadline.fail(error('aborted', 'The body was cancelled before its end.', { phase: 'body' }))
  }

  /** Makes the error for a body that is too large for its consumer. */
  tooLarge(limit: number): RetrievalError {
    const advice = { option: 'limits.maxCollected' } as const
    const what = `The body is over ${limit} octets, which is ${adviceText(advice)}; save it to a file.`
    return this.#context.error('limit-exceeded', what, { phase: 'body', advice })
  }

  /** The checksums of what the consumer reads. Null if there are none. */
  get digests(): Digests | null {
    return this.#digests
  }

  /** Begins a checksum. Call it before octets are read. */
  hash(algorithm: HashName): BodyHash {
    this.#digests ??= new Digests()
    return this.#digests.add(algorithm)
  }

  read(): Promise<Uint8Array | null> {
    this.#reads++
    const reading = this.#ahead === null ? this.#pull() : this.#ahead.read()
    return this.#digests === null ? reading : this.#hashed(reading, this.#digests)
  }

  async #hashed(reading: Promise<Uint8Array | null>, digests: Digests): Promise<Uint8Array | null> {
    const chunk = await reading
    if (chunk !== null) digests.update(chunk)
    return chunk
  }

  async #pull(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    try {
      deadline.throwIfAborted()
      // A source that need not wait for octets does not say that they have come, and a limit of the rate may wait then.
      deadline.phase = 'body'
      this.#isPulling = true
      const chunk = await (this.#rateLimit?.read(() => this.#source.read()) ?? this.#source.read())
      this.#isPulling = false
      // After an abort, octets or an early end must not look like a complete body, even if the fetcher ignores the
      // abort.
      deadline.throwIfAborted()
      if (chunk === null) this.#end(null)
      else this.#count(chunk)
      return chunk
    } catch (error) {
      this.#isPulling = false
      const failure = RetrievalError.is(error)
        ? error
        : (deadline.reason ??
          this.#context.error('receive-failed', 'Reading the body failed.', { phase: 'body', cause: error }))
      await this.#source.cancel().catch(() => {})
      this.#end(failure)
      throw failure
    }
  }

  /** Counts the octets of a chunk. Throws if the body exceeds a limit. */
  #count(chunk: Uint8Array): void {
    const { limits, emit, url, hasListener = true, onBody } = this.#context
    this.#received += chunk.length
    onBody?.(chunk)
    if (this.#received > limits.maxSize) {
      const what = `The body is over ${limits.maxSize} octets, the limit set by ${adviceText(sizeLimit)}.`
      throw this.#context.error('limit-exceeded', what, { phase: 'body', advice: sizeLimit })
    }
    if (this.#isTooSlow(chunk.length)) {
      const { minSpeed, minSpeedTime } = limits
      const rule = `fewer than ${minSpeed} octets a second for ${minSpeedTime / 1000} s`
      const what = `The server sends ${rule}. Try later, or lower ${adviceText(speedLimit)}.`
      throw this.#context.error('timeout', what, { phase: 'body', advice: speedLimit })
    }
    if (hasListener) emit({ type: 'progress', url, received: this.#received, size: this.#size })
  }

  /** Ends the retrieval when its consumer wants no more octets. */
  async cancel(): Promise<void> {
    this.#ahead?.drop()
    try {
      await this.#source.cancel()
    } finally {
      this.#end(null)
    }
  }

  #end(failure: RetrievalError | null): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#unreadTimer)
    this.#context.deadline.end()
    this.#done(failure, this.#received)
    this.#finish()
  }
}

/** Where the octets go: into the memory that is read ahead, and once the consumer reads, into its sink. */
class BodySink implements Sink {
  target: Sink | null = null
  readonly #ahead: () => ReadAhead | null
  readonly #reset: () => void

  /** `reset` is called when octets are thrown away, so that they no longer count. */
  constructor(ahead: () => ReadAhead | null, reset: () => void) {
    this.#ahead = ahead
    this.#reset = reset
  }

  get startOver(): Sink['startOver'] {
    const ahead = this.#ahead()
    const startOver = ahead?.isGiven === false ? async () => ahead.drop() : this.target?.startOver
    if (startOver == null) return null
    return async () => {
      await startOver()
      this.#reset()
    }
  }
}

/**
 * Makes the check for limits.minSpeed: a function that gets the length of each chunk of a body, and returns whether too
 * few octets arrived in the last minSpeedTime. Only the time spent waiting for the server counts, so a consumer may
 * pause.
 */
function speedRule({ minSpeed, minSpeedTime }: Limits, deadline: Deadline): (octets: number) => boolean {
  let windowStart = deadline.bodyWait
  let received = 0
  return (octets) => {
    if (minSpeed === 0) return false
    received += octets
    const waited = deadline.bodyWait - windowStart
    if (waited < minSpeedTime) return false
    if (received < (minSpeed * waited) / 1000) return true
    windowStart = deadline.bodyWait
    received = 0
    return false
  }
}
