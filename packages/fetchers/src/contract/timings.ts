/**
 * When each step of a retrieval was over, in milliseconds since `startTime`. Null: not yet, or there was no such step.
 * The steps are those of the last try of the last hop: on a connection that was kept, `lookedUp`, `connected` and
 * `secured` are null. FTP's data connections do not count.
 */
export interface Timings {
  /** When the retrieval began, by performance.now(): milliseconds since performance.timeOrigin. */
  readonly startTime: number
  /** The last redirect was followed. */
  readonly redirected: number | null
  /** The last failed try and the wait after it were over. */
  readonly retried: number | null
  /** A connection was free, if the retrieval had to wait for one. */
  readonly waited: number | null
  /** The addresses of the host were known. */
  readonly lookedUp: number | null
  /** TCP was connected to the server or the proxy. */
  readonly connected: number | null
  /** The TLS handshake was over. */
  readonly secured: number | null
  /** The last command or request before the answer was handed to the connection. */
  readonly requested: number | null
  /** The answer had begun: the header section, the reply to the command, or the first octets. */
  readonly responded: number | null
  /** The body was read, failed, or was given up. */
  readonly ended: number | null
}

/** Measures the times of one retrieval. */
export interface Stopwatch {
  readonly startTime: number
  readonly timings: Timings
  /** Notes that the last hop or try is over and another one begins. */
  again(step: 'redirected' | 'retried'): void
  /**
   * Notes that a step before the request is over. Only the first connection of a try counts, since a user waits for
   * that one.
   */
  mark(step: 'waited' | 'lookedUp' | 'connected' | 'secured'): void
  requested(): void
  responded(): void
  ended(): void
}
