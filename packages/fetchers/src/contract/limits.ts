/** The caller can set every limit. Times are in milliseconds, sizes in octets. `Infinity` switches a limit off. */
export interface Limits {
  /** Name lookup, TCP and TLS handshakes together. */
  readonly connectTimeout: number
  /** The longest wait for the server's next octets, in any phase. It does not run while the consumer pauses. */
  readonly idleTimeout: number
  /** The whole retrieval, redirects included. */
  readonly totalTimeout: number
  /**
   * Octets a second: a body that is slower for minSpeedTime ends with `timeout`, and so does the wait for an answer of
   * which nothing comes for that time. Only the time spent waiting for the server counts. 0: no minimum. Default 0; 10
   * with policy.publicOnly.
   */
  readonly minSpeed: number
  /** The time for which a body may be slower than minSpeed. */
  readonly minSpeedTime: number
  /**
   * Octets a second: a body comes no faster on average, in pieces for a tenth of a second, and the server has to wait.
   * A number above 0. Default: no limit.
   */
  readonly maxRate: number
  /** The size of a body, wherever it goes. */
  readonly maxSize: number
  /** The size of a body collected in memory: text(), json(), bytes(). */
  readonly maxCollected: number
  /**
   * The size of a listing that entries() reads: FTP directory, menu, overview. A listing that must be held whole is
   * also limited by maxCollected.
   */
  readonly maxListing: number
  /** The length of one line of a control connection. */
  readonly maxLine: number
  /** The size of one reply or header section, all its lines together. */
  readonly maxReply: number
  /** The number of redirects followed in one retrieval; 0: none. */
  readonly maxRedirects: number
  /**
   * The number of further tries after errors that may pass; each wait is longer than the one before. A retrieval has
   * one such budget. It is renewed once 1 MiB of the body has come since the last failure.
   */
  readonly maxRetries: number
  /**
   * How long a body may stay unread that keeps others waiting: one of a batch once it has given its place back, one of
   * News before it loses its connection. The event `unread` comes first.
   */
  readonly unreadTimeout: number
  /** The longest wait before trying again. If a server asks for a longer one (Retry-After), the retrieval fails. */
  readonly maxRetryDelay: number
  /** The wait before each further try, unless the server asks for one. 0: each wait is longer than the one before. */
  readonly retryDelay: number
  /** The time since the beginning of the retrieval after which no further try begins. */
  readonly maxRetryTime: number
}
