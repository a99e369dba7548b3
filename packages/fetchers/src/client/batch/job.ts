/** One URL of a batch, as the scheduler sees it. */
export interface Job {
  /** "" if the URL has no host. */
  readonly host: string
  /** The number of jobs like this one that share a connection, and so count as one. */
  readonly inFlight: number
  /** A higher one begins first. */
  readonly priority: number
  /** The position of its URL in the list. */
  readonly index: number
  /** Retrieves; resolves when the job needs its place no longer. Never rejects. */
  run(): Promise<void>
}
