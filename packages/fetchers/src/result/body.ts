import { type ErrorCode, RetrievalError } from '@retriever/core'
import { type ByteSource, type Sink, sourceOf } from '../plugin/byte-source.ts'
import type { RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { speedRule } from './low-speed.ts'

/**
 * A retrieval's body on its way to the one consumer: counts, limits, reports progress, and ends the retrieval when it ends. Pulled
 * chunk by chunk; nothing is kept.
 */
export class Body {
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
    // The retrieval may be ended from outside while nobody reads: then no read is there to notice.
    context.deadline.onAbort(() => this.#end(context.deadline.reason))
  }

  get taken(): boolean {
    return this.#taken
  }

  /**
   * The octets, once. Throws a TypeError the second time, as a web stream does. `sink`: where they go, if that can start
   * over.
   */
  take(sink?: Sink): ByteSource {
    if (this.#taken) throw new TypeError('The body has been read already; retrieve the URL again.')
    this.#taken = true
    const source = this.#source
    if (sink !== undefined) source.restartInto?.(this.#counted(sink))
    return {
      get reusesChunks() {
        return source.reusesChunks === true
      },
      read: () => this.#read(),
      cancel: () => this.#leave(),
    }
  }

  #counted(sink: Sink): Sink {
    const startOver = async (): Promise<void> => {
      await sink.startOver?.()
      this.#received = 0
    }
    return {
      get startOver() {
        return sink.startOver === null ? null : startOver
      },
    }
  }

  /** It is known to be empty: nobody need read it for the retrieval to be over. */
  finish(): void {
    this.#end(null)
  }

  /** Gives the body up: the connection is closed. */
  cancel(): void {
    this.#taken = true
    if (this.#over) return
    const { deadline, error } = this.#context
    this.#end(null)
    // Pending reads must not wait for the server.
    deadline.fail(error('aborted', 'The body was given up before its end.', { phase: 'body' }))
  }

  /** The error for a body that its consumer cannot hold. */
  tooLarge(limit: number): RetrievalError {
    return this.#error(
      'limit-exceeded',
      `The body is over ${limit} octets, the limit of maxCollected; save it to a file.`,
    )
  }

  async #read(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    try {
      deadline.throwIfAborted()
      const chunk = await this.#source.read()
      // After an abort, more octets or an early end must not pass for the whole, even if the fetcher takes no notice of it.
      deadline.throwIfAborted()
      if (chunk === null) this.#end(null)
      else this.#count(chunk.length)
      return chunk
    } catch (error) {
      const failure = RetrievalError.is(error)
        ? error
        : this.#error('receive-failed', 'Reading the body failed.', error)
      await this.#source.cancel().catch(() => {})
      this.#end(failure)
      throw failure
    }
  }

  /** Counts a chunk. Throws where the body passes a limit. */
  #count(octets: number): void {
    const { limits, emit, url, hasListener = true } = this.#context
    this.#received += octets
    if (this.#received > limits.maxSize) {
      throw this.#error('limit-exceeded', `The body is over ${limits.maxSize} octets, the limit set by maxSize.`)
    }
    if (this.#isTooSlow(octets)) {
      const { minSpeed, minSpeedTime } = limits
      const rule = `fewer than ${minSpeed} octets a second for ${minSpeedTime / 1000} s`
      throw this.#error('timeout', `The server sends ${rule}. Try later, or lower minSpeed.`)
    }
    if (hasListener) emit({ type: 'progress', url, received: this.#received, size: this.#size })
  }

  async #leave(): Promise<void> {
    try {
      await this.#source.cancel()
    } finally {
      this.#end(null)
    }
  }

  #error(code: ErrorCode, message: string, cause?: unknown): RetrievalError {
    return this.#context.error(code, message, { phase: 'body', cause })
  }

  #end(failure: RetrievalError | null): void {
    if (this.#over) return
    this.#over = true
    this.#context.deadline.end()
    this.#done(failure, this.#received)
    this.#finish()
  }
}
