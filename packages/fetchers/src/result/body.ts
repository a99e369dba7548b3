import { type Advice, adviceText, RetrievalError } from '@retriever/core'
import { type ByteSource, type Sink, sourceOf } from '../plugin/byte-source.ts'
import type { Deadline } from '../plugin/deadline.ts'
import type { RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import type { Limits } from '../plugin/limits.ts'

const sizeLimit: Advice = { option: 'limits.maxSize' }
const speedLimit: Advice = { option: 'limits.minSpeed' }

/**
 * The body of a retrieval for its one consumer: it enforces the limits, reports progress, and ends the retrieval when
 * it ends.
 */
export class Body implements ByteSource {
  readonly #source: ByteSource
  readonly #size: number | null
  readonly #context: RetrievalContext
  readonly #isTooSlow: (octets: number) => boolean
  readonly #done: (error: RetrievalError | null, received: number) => void
  #taken = false
  #received = 0
  #over = false
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
    // An abort between two reads must end the retrieval, too, because no read notices it.
    context.deadline.onAbort(() => this.#end(context.deadline.reason))
  }

  /** The octets that came so far, without those that were thrown away to start over. */
  get received(): number {
    return this.#received
  }

  get taken(): boolean {
    return this.#taken
  }

  /**
   * Gives the octets, once; throws a TypeError the second time, as a web stream does. `sink`: the destination of the
   * octets, if it can start over.
   */
  take(sink?: Sink): ByteSource {
    if (this.#taken) throw new TypeError('The body has been read already; retrieve the URL again.')
    this.#taken = true
    if (sink !== undefined) this.#source.restartInto?.(new CountedSink(sink, () => (this.#received = 0)))
    return this
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  /** Ends a retrieval whose body is known to be empty and need not be read. */
  finish(): void {
    this.#end(null)
  }

  /** Ends the retrieval at once, even during a read, and closes the connection. */
  giveUp(): void {
    this.#taken = true
    if (this.#over) return
    const { deadline, error } = this.#context
    this.#end(null)
    // Pending reads must not wait for the server.
    deadline.fail(error('aborted', 'The body was cancelled before its end.', { phase: 'body' }))
  }

  /** The error for a body that its consumer cannot hold. */
  tooLarge(limit: number): RetrievalError {
    const advice = { option: 'limits.maxCollected' } as const
    const what = `The body is over ${limit} octets, the limit set by ${adviceText(advice)}; save it to a file.`
    return this.#context.error('limit-exceeded', what, { phase: 'body', advice })
  }

  async read(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    try {
      deadline.throwIfAborted()
      const chunk = await this.#source.read()
      // After an abort, octets or an early end must not pass for a complete body, even if the fetcher ignores the
      // abort.
      deadline.throwIfAborted()
      if (chunk === null) this.#end(null)
      else this.#count(chunk.length)
      return chunk
    } catch (error) {
      const failure = RetrievalError.is(error)
        ? error
        : this.#context.error('receive-failed', 'Reading the body failed.', { phase: 'body', cause: error })
      await this.#source.cancel().catch(() => {})
      this.#end(failure)
      throw failure
    }
  }

  /** Counts a chunk. Throws if the body exceeds a limit. */
  #count(octets: number): void {
    const { limits, emit, url, hasListener = true } = this.#context
    this.#received += octets
    if (this.#received > limits.maxSize) {
      const what = `The body is over ${limits.maxSize} octets, the limit set by ${adviceText(sizeLimit)}.`
      throw this.#context.error('limit-exceeded', what, { phase: 'body', advice: sizeLimit })
    }
    if (this.#isTooSlow(octets)) {
      const { minSpeed, minSpeedTime } = limits
      const rule = `fewer than ${minSpeed} octets a second for ${minSpeedTime / 1000} s`
      const what = `The server sends ${rule}. Try later, or lower ${adviceText(speedLimit)}.`
      throw this.#context.error('timeout', what, { phase: 'body', advice: speedLimit })
    }
    if (hasListener) emit({ type: 'progress', url, received: this.#received, size: this.#size })
  }

  /** Ends the retrieval when its consumer wants no more octets. */
  async cancel(): Promise<void> {
    try {
      await this.#source.cancel()
    } finally {
      this.#end(null)
    }
  }

  #end(failure: RetrievalError | null): void {
    if (this.#over) return
    this.#over = true
    this.#context.deadline.end()
    this.#done(failure, this.#received)
    this.#finish()
  }
}

/** A sink whose start over resets the count, so that octets thrown away are not counted. */
class CountedSink implements Sink {
  readonly #sink: Sink
  readonly #reset: () => void

  constructor(sink: Sink, reset: () => void) {
    this.#sink = sink
    this.#reset = reset
  }

  get startOver(): Sink['startOver'] {
    const { startOver } = this.#sink
    if (startOver === null) return null
    return async () => {
      await startOver()
      this.#reset()
    }
  }
}

/**
 * The rule of limits.minSpeed: the function gets the length of each chunk of a body, and says whether too few octets
 * came in the last minSpeedTime. Only the time spent waiting for the server counts, so a consumer may pause.
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
