import type { Phase, RetrievalError } from '@retriever/core'

/**
 * The time budget of a retrieval, and the one way to cancel it. The caller's AbortSignal, an exceeded limit and a close
 * all come through `signal`, whose reason is a RetrievalError. Timers run only during an operation, so a slow consumer
 * causes no timeout; only the total timer runs on.
 */
export interface Deadline {
  /** The phase of the operation under way, or of the last one. */
  phase: Phase
  /**
   * Makes a deadline for one try within this one: the limit of a phase ends only the try, which may be followed by
   * another. The end of this deadline ends the try, too. `end()` on the try detaches it from this deadline. `url`: what
   * the try retrieves, if that differs.
   */
  attempt(url?: string): Deadline
  /**
   * Milliseconds spent so far waiting for octets of a body, including the waits of its attempts. Counted only if
   * limits.minSpeed is set.
   */
  readonly bodyWait: number
  /** Aborts when the retrieval must end; its reason is the RetrievalError to throw. */
  readonly signal: AbortSignal
  /**
   * Throws the RetrievalError that ends the retrieval, if there is one. Like signal.throwIfAborted(), but makes no
   * signal.
   */
  throwIfAborted(): void
  /**
   * Calls the listener once the retrieval must end, at once if that is already so. Returns a function that removes the
   * listener.
   */
  onAbort(listener: () => void): () => void
  /**
   * Lets the total time end a body well that has no end of its own: the listener is called when the time is over. If it
   * gives true, what has come is whole, and the listener has ended the operation under way; otherwise the time limit is
   * an error, as it is without a listener. The function returned removes the listener.
   */
  onTimeUp(listener: () => boolean): () => void
  /** The RetrievalError that ends the retrieval; null: it goes on. */
  readonly reason: RetrievalError | null
  /**
   * Runs one operation of a phase under that phase's limit. Rejects with the signal's reason as soon as the signal
   * aborts, even if the operation does not listen to it.
   */
  within<T>(phase: Phase, operation: () => Promise<T>): Promise<T>
  /**
   * Waits without the limit of a phase, for example while a person types a password. The end of the retrieval ends the
   * wait.
   */
  unlimited<T>(operation: () => Promise<T>): Promise<T>
  /** Ends the retrieval with this error: sockets close, and every operation under way rejects with it. */
  fail(error: RetrievalError): void
  /** Stops the total timer and stops listening to the caller's signal, because the retrieval is over. */
  end(): void
}
