import { AsyncResource } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { Mechanism, RetrievalError } from '@retriever/core'
import type { Representation } from '../body/representation.ts'
import type { Handoff } from '../contract/fetcher.ts'
import type { Timings } from '../contract/timings.ts'

/**
 * The message of the tracing channel `retriever:retrieve` (node:diagnostics_channel): one object for each retrieval,
 * which all five events get. `start` comes at the beginning, `end` when the synchronous part is over, `asyncStart` with
 * the result or the error, `asyncEnd` when the retrieval is over, with its body. `error` comes before `asyncStart` if
 * there is no result, and before `asyncEnd` if the body failed.
 */
export interface RetrieveTrace {
  /** RetrievalEvent's `id`. */
  readonly id: number
  /** The URL as given to the client, without secrets. */
  readonly url: string
  readonly mechanism: Mechanism
  /** From `asyncStart`. A subscriber must not read its body, which is the caller's. */
  result?: Representation | Handoff
  error?: RetrievalError
  /** In `asyncEnd`: the octets of the body, and the times. */
  received?: number
  timings?: Timings
}

const channel: TracingChannel<unknown, RetrieveTrace> = tracingChannel('retriever:retrieve')

/** Whether anything subscribes; a retrieval that begins without a subscriber is not traced. */
export function isTraced(): boolean {
  return channel.hasSubscribers
}

/** Publishes the life of one retrieval. */
export class Trace {
  readonly #message: RetrieveTrace
  /** The stores of the retrieval. */
  #stores: AsyncResource | undefined
  #isAnswered = false
  #isOver = false

  constructor(message: RetrieveTrace) {
    this.#message = message
  }

  /** Runs the retrieval within the stores that are bound to `start` (AsyncLocalStorage), and so are all events. */
  run(retrieve: () => Promise<Representation | Handoff>): Promise<Representation | Handoff> {
    return channel.start.runStores(this.#message, () => {
      this.#stores = new AsyncResource('RetrieveTrace')
      const started = retrieve()
      channel.end.publish(this.#message)
      return this.#answered(started)
    })
  }

  async #answered(started: Promise<Representation | Handoff>): Promise<Representation | Handoff> {
    try {
      this.#message.result = await started
      return this.#message.result
    } finally {
      this.#isAnswered = true
      channel.asyncStart.publish(this.#message)
      this.#endIfOver()
    }
  }

  /** Notes the end of the retrieval: of its body, which its consumer reads outside the stores, or without a result. */
  done(error: RetrievalError | null, received: number, timings: Timings): void {
    Object.assign(this.#message, { received, timings })
    this.#isOver = true
    this.#stores?.runInAsyncScope(() => {
      if (error !== null) {
        this.#message.error = error
        channel.error.publish(this.#message)
      }
      this.#endIfOver()
    })
  }

  /** A body that is empty is over before the result is given out. */
  #endIfOver(): void {
    if (this.#isAnswered && this.#isOver) channel.asyncEnd.publish(this.#message)
  }
}
