/**
 * When the steps of a retrieval were over, in milliseconds since `startTime`; null: not yet, or there was no such step.
 * The steps are those of the last try of the last hop: on a connection that was kept, `lookedUp`, `connected` and
 * `secured` are null. FTP's data connections do not count.
 */
export interface Timings {
  /** The start, by performance.now(): milliseconds since performance.timeOrigin. */
  readonly startTime: number
  /** The last redirect was followed. */
  readonly redirected: number | null
  /** The last failed try was over, and the wait after it. */
  readonly retried: number | null
  /** A connection was free, after a wait for one. */
  readonly waited: number | null
  /** The addresses of the host were known. */
  readonly lookedUp: number | null
  /** TCP was connected with the server, or with the proxy. */
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

/** Takes the times of one retrieval. */
export interface Stopwatch {
  readonly startTime: number
  readonly timings: Timings
  /** Notes that the last hop or try is over, and another one begins. */
  again(step: 'redirected' | 'retried'): void
  /** Notes that a step before the request is over. The first connection of a try is the one that a user waits for. */
  mark(step: 'waited' | 'lookedUp' | 'connected' | 'secured'): void
  requested(): void
  responded(): void
  ended(): void
}
