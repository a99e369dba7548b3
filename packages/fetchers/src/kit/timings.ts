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

/** The steps that count once a try: the first connection is the one that a user waits for. */
type ConnectionStep = 'waited' | 'lookedUp' | 'connected' | 'secured'
type Step = Exclude<keyof Timings, 'startTime'>

/** Takes the times of one retrieval. */
export class Stopwatch {
  readonly startTime: number = performance.now()
  #times: Partial<Record<Step, number>> = {}

  /** Notes that the last hop or try is over, and another one begins. */
  again(step: 'redirected' | 'retried'): void {
    const { redirected } = this.#times
    this.#times = { ...(redirected !== undefined && { redirected }), [step]: this.#now() }
  }

  /** Notes that a step before the request is over. */
  mark(step: ConnectionStep): void {
    this.#times[step] ??= this.#now()
  }

  requested(): void {
    if (this.#times.responded === undefined) this.#times.requested = this.#now()
  }

  responded(): void {
    this.#times.responded = this.#now()
  }

  ended(): void {
    this.#times.ended ??= this.#now()
  }

  get timings(): Timings {
    const { redirected, retried, waited, lookedUp, connected, secured, requested, responded, ended } = this.#times
    return {
      startTime: this.startTime,
      redirected: redirected ?? null,
      retried: retried ?? null,
      waited: waited ?? null,
      lookedUp: lookedUp ?? null,
      connected: connected ?? null,
      secured: secured ?? null,
      requested: requested ?? null,
      responded: responded ?? null,
      ended: ended ?? null,
    }
  }

  #now(): number {
    return performance.now() - this.startTime
  }
}
