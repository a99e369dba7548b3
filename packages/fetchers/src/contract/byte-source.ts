/**
 * Octets that one consumer pulls chunk by chunk. The source reads nothing ahead, so a slow consumer slows the sender
 * down.
 */
export interface ByteSource {
  /**
   * Gives the next chunk, valid until the next read() or cancel(), or null after the last octet of a complete body.
   * Rejects with a RetrievalError if the body is incomplete. Only one read may be under way at a time.
   */
  read(): Promise<Uint8Array | null>
  /**
   * Gives up the unread octets and settles once everything is released. It may be called at any time: during a read,
   * after the end, after a failure, and again.
   */
  cancel(): Promise<void>
  /**
   * True: the next read() overwrites the memory of the last chunk, so a consumer that keeps chunks must copy them.
   * False or absent: each chunk is the consumer's own.
   */
  readonly reusesChunks?: boolean
  /**
   * Names the consumer's sink, before the first read(). If the octets break off and the server can only send them again
   * from the first one, the source tells the sink to start over and goes on.
   */
  restartInto?(sink: Sink): void
}

/** The destination of octets. */
export interface Sink {
  /** Throws away the octets received so far. Null: the sink cannot do that, or not yet. */
  startOver: (() => Promise<void>) | null
}
