import type { Phase, RetrievalError } from '@retriever/core'
import type { Limits } from './limits.ts'

/**
 * The time budget of a retrieval, and the only way to cancel it. The caller's AbortSignal, an exceeded limit and a
 * close all come through `signal`, whose reason is a RetrievalError. Timers run only during an operation, so a slow
 * consumer causes no timeout; only the total timer keeps running.
 */
export interface Deadline {
  /** The phase of the operation that runs, or of the last one. */
  phase: Phase
  /**
   * Makes a deadline for one try within this one. A phase's limit ends only the try, and another try may follow. The
   * end of this deadline ends the try, too. `end()` on the try detaches it from this deadline. `url` says what the try
   * retrieves, and `limits` are those of the try, if they differ.
   */
  attempt(url?: string, limits?: Limits): Deadline
  /**
   * How many milliseconds were spent waiting for octets of a body, including the waits of attempts. It counts only if
   * limits.minSpeed is set.
   */
  readonly bodyWait: number
  /** Aborts when the retrieval must end; its reason is the RetrievalError to throw. */
  readonly signal: AbortSignal
  /**
   * Throws the RetrievalError that ends the retrieval, if there is one. It does what signal.throwIfAborted() does,
   * without making a signal.
   */
  throwIfAborted(): void
  /**
   * Called just before a request is written: throws if the caller's signal is over by a clock, and has not aborted yet.
   * After that, a farewell may still be written.
   */
  look(): void
  /**
   * Calls the listener when the retrieval must end, at once if it must already. Returns a function that removes the
   * listener.
   */
  onAbort(listener: () => void): () => void
  /**
   * Allows the total time to end a body properly if the body has no end of its own. When the time is over, the listener
   * is called. If it returns true, what has arrived is complete, and the listener has ended the operation that runs;
   * otherwise the time limit is an error, as without a listener. Returns a function that removes the listener.
   */
  onTimeUp(listener: () => boolean): () => void
  /** The RetrievalError that ends the retrieval. Null: it continues. */
  readonly reason: RetrievalError | null
  /**
   * Runs one operation of a phase under that phase's limit. Rejects with the signal's reason as soon as the signal
   * aborts, even if the operation does not listen to it.
   */
  within<T>(phase: Phase, operation: () => Promise<T>): Promise<T>
  /**
   * Runs an operation without the limit of a phase, for example while a person types a password. The end of the
   * retrieval ends the wait.
   */
  unlimited<T>(operation: () => Promise<T>): Promise<T>
  /** Ends the retrieval with this error. Sockets close, and every operation that runs rejects with it. */
  fail(error: RetrievalError): void
  /** Stops the total timer and no longer listens to the caller's signal, because the retrieval is over. */
  end(): void
}
