/** The caller can set every limit. Times are in milliseconds, sizes in octets. `Infinity` switches a limit off. */
export interface Limits {
  /** How long name lookup, TCP and TLS handshakes may take together. */
  readonly connectTimeout: number
  /** How long the server may send nothing, in any phase. It does not run while the consumer pauses. */
  readonly idleTimeout: number
  /** How long the whole retrieval may take, redirects included. */
  readonly totalTimeout: number
  /**
   * Octets a second. If a body is slower for minSpeedTime, it ends with `timeout`. The wait for an answer also ends if
   * nothing arrives for that time. Only the time spent waiting for the server counts. 0: no minimum. Default 0; 10 with
   * policy.publicOnly.
   */
  readonly minSpeed: number
  /** How long a body may be slower than minSpeed. */
  readonly minSpeedTime: number
  /**
   * Octets a second that a body may not exceed on average. It comes in pieces for a tenth of a second, and the server
   * has to wait. A number above 0. Default: no limit.
   */
  readonly maxRate: number
  /** How large a body may be, wherever it goes. */
  readonly maxSize: number
  /** How large a body in memory may be: text(), json(), bytes(). */
  readonly maxCollected: number
  /**
   * How large a listing may be that entries() reads: an FTP directory, a menu, an overview. A listing that must be held
   * whole is also limited by maxCollected.
   */
  readonly maxListing: number
  /** How long one line of a control connection may be. */
  readonly maxLine: number
  /** How large one reply or header section may be, all its lines together. */
  readonly maxReply: number
  /** How many redirects are followed in one retrieval. 0: none. */
  readonly maxRedirects: number
  /**
   * How often a retrieval is tried again after errors that may pass. Each wait is longer than the one before. The
   * budget starts again once 1 MiB of the body has arrived since the last failure.
   */
  readonly maxRetries: number
  /**
   * How long a body may stay unread while others wait: in a batch after it has given its place back, in News before it
   * loses its connection. The event `unread` comes first.
   */
  readonly unreadTimeout: number
  /** The longest wait before another try. If a server asks for a longer one (Retry-After), the retrieval fails. */
  readonly maxRetryDelay: number
  /** The wait before each further try, unless the server asks for one. 0: each wait is longer than the one before. */
  readonly retryDelay: number
  /** How long after the beginning of the retrieval another try may begin. */
  readonly maxRetryTime: number
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<`limits.${keyof Limits}`, true>> {}
}
