import type { ByteSource } from '../plugin/byte-source.ts'

/** The octets of a web stream, and how the stream ends. */
export interface StreamedOctets {
  /** Called when the first chunk is wanted. */
  take(): ByteSource
  /** Called when the consumer wants no more. */
  giveUp(): void
  /** Gives the error of the stream for an error of the source. Default: the same one. */
  failureOf?(error: unknown): unknown
  /** Its abort ends the stream at once with its reason, even if no read is waiting. */
  readonly signal?: AbortSignal | null
}

/**
 * A readable byte stream (Streams Standard 4.7). It reads a chunk from the network only when its consumer asks for one.
 * Each chunk is copied, because a byte stream takes the memory of its chunks away from everyone else.
 */
export function byteStream(octets: StreamedOctets): ReadableStream<Uint8Array> {
  let source: ByteSource | undefined
  let forget = (): void => {}
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      if (octets.signal) forget = failOnAbort(controller, octets.signal)
    },
    async pull(controller) {
      try {
        source ??= octets.take()
        let chunk = await source.read()
        // A byte stream accepts no empty chunk.
        while (chunk !== null && chunk.length === 0) chunk = await source.read()
        if (chunk !== null) return controller.enqueue(new Uint8Array(chunk))
        forget()
        controller.close()
        // This settles a BYOB read that is waiting at the end.
        controller.byobRequest?.respond(0)
      } catch (error) {
        forget()
        controller.error(octets.failureOf?.(error) ?? error)
      }
    },
    cancel() {
      forget()
      octets.giveUp()
    },
  })
}

/** Returns a function that removes the listener. */
function failOnAbort(controller: ReadableByteStreamController, signal: AbortSignal): () => void {
  const fail = (): void => controller.error(signal.reason)
  signal.addEventListener('abort', fail, { once: true })
  return () => signal.removeEventListener('abort', fail)
}
