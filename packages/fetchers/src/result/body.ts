import { type Advice, adviceText, RetrievalError } from '@retriever/core'
import type { RetrievalContext, Retrieved, Sink } from '../plugin/fetcher.ts'
import { speedRule } from './low-speed.ts'

const sizeLimit: Advice = { option: 'limits.maxSize' }
const speedLimit: Advice = { option: 'limits.minSpeed' }

/**
 * A retrieval's body on its way to the one consumer: counts, limits, reports progress, and ends the retrieval when it ends. Pulled
 * chunk by chunk; nothing is kept.
 */
export class Body {
  readonly #retrieved: Retrieved
  readonly #context: RetrievalContext
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
    this.#retrieved = retrieved
    this.#context = context
    this.#done = done
    // The retrieval may be ended from outside while nobody reads: then no read is there to notice.
    context.deadline.onAbort(() => this.#end(context.deadline.reason))
  }

  get taken(): boolean {
    return this.#taken
  }

  /** The octets, once. Throws a TypeError the second time, as a web stream does. */
  take(): AsyncGenerator<Uint8Array, void, void> {
    return this.#take(this.#retrieved.body)
  }

  /** The same in chunks that may be overwritten once the next is asked for. */
  borrow(): AsyncGenerator<Uint8Array, void, void> {
    return this.#take(this.#retrieved.reusable ?? this.#retrieved.body)
  }

  /** The same for a consumer that may be able to start over. */
  borrowRestartable(sink: Sink): AsyncGenerator<Uint8Array, void, void> {
    const { body, reusable } = this.#retrieved
    return this.#take(body.restartable?.(this.#counted(sink)) ?? reusable ?? body)
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
    const advice = { option: 'limits.maxCollected' } as const
    const what = `The body is over ${limit} octets, the limit set by ${adviceText(advice)}; save it to a file.`
    return this.#context.error('limit-exceeded', what, { phase: 'body', advice })
  }

  #take(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    if (this.#taken) throw new TypeError('The body has been read already; retrieve the URL again.')
    this.#taken = true
    return this.#octets(body)
  }

  async *#octets(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    const { limits, emit, url, deadline, hasListener = true } = this.#context
    const { size } = this.#retrieved
    let failure: RetrievalError | null = null
    const isTooSlow = speedRule(limits, deadline)
    try {
      deadline.throwIfAborted()
      for await (const chunk of body) {
        // Whatever the fetcher makes of an abort: octets after it, or an early end, must not pass for the whole.
        deadline.throwIfAborted()
        this.#received += chunk.length
        if (this.#received > limits.maxSize) {
          const what = `The body is over ${limits.maxSize} octets, the limit set by ${adviceText(sizeLimit)}.`
          throw this.#context.error('limit-exceeded', what, { phase: 'body', advice: sizeLimit })
        }
        if (isTooSlow(chunk.length)) {
          const { minSpeed, minSpeedTime } = limits
          const rule = `fewer than ${minSpeed} octets a second for ${minSpeedTime / 1000} s`
          const what = `The server sends ${rule}. Try later, or lower ${adviceText(speedLimit)}.`
          throw this.#context.error('timeout', what, { phase: 'body', advice: speedLimit })
        }
        if (hasListener) emit({ type: 'progress', url, received: this.#received, size })
        yield chunk
      }
      deadline.throwIfAborted()
    } catch (error) {
      failure = RetrievalError.is(error)
        ? error
        : this.#context.error('receive-failed', 'Reading the body failed.', { phase: 'body', cause: error })
      throw failure
    } finally {
      this.#end(failure)
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
