import type { ByteSource } from '../contract/byte-source.ts'

/** The octets of a body, and the errors that its consumer gets. */
export interface FetchedOctets {
  /** Called when the first chunk is wanted. */
  take(): ByteSource
  /** Called when the consumer wants no more. */
  giveUp(): void
  /** Turns an error of the source into the consumer's error. */
  failureOf(error: unknown): unknown
  /** Its abort ends the stream at once with its reason, even if no read waits. */
  readonly signal: AbortSignal | null
}

/** Octets in memory of their own: `Uint8Array<ArrayBuffer>`, a type that TypeScript before 5.7 does not have. */
type OwnOctets = ReturnType<Uint8ArrayConstructor['of']>

/** A body that nobody has read. Its consumer takes it in one piece or as a stream. */
export class UnreadBody {
  readonly #octets: FetchedOctets

  constructor(octets: FetchedOctets) {
    this.#octets = octets
  }

  /** Reads all octets into memory of their own. */
  async read(): Promise<OwnOctets> {
    try {
      const source = this.#octets.take()
      const chunks: Uint8Array<ArrayBuffer>[] = []
      let length = 0
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
        chunks.push(new Uint8Array(chunk))
        length += chunk.length
      }
      const [first] = chunks
      return first !== undefined && chunks.length === 1 ? first : joined(chunks, length)
    } catch (error) {
      throw this.#octets.failureOf(error)
    }
  }

  stream(): ReadableStream<Uint8Array> {
    return byteStream(this.#octets)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/**
 * Makes a readable byte stream (Streams Standard 4.7). It reads from the network only when its consumer asks for a
 * chunk. It copies each chunk, because a byte stream takes the memory of its chunks away from everybody else.
 */
function byteStream(octets: FetchedOctets): ReadableStream<Uint8Array> {
  let source: ByteSource | undefined
  let forget = (): void => {}
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      if (octets.signal !== null) forget = failOnAbort(controller, octets.signal)
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
        // Settles a BYOB read that waits at the end.
        controller.byobRequest?.respond(0)
      } catch (error) {
        forget()
        controller.error(octets.failureOf(error))
      }
    },
    cancel() {
      forget()
      octets.giveUp()
    },
  })
}

/** Fails the stream when the signal aborts. Returns a function that removes the listener. */
function failOnAbort(controller: ReadableByteStreamController, signal: AbortSignal): () => void {
  const fail = (): void => controller.error(signal.reason)
  if (signal.aborted) fail()
  else signal.addEventListener('abort', fail, { once: true })
  return () => signal.removeEventListener('abort', fail)
}
