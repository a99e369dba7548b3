import type { Message } from './respond.ts'

/** The most octets of a request's content that are kept. */
const KEPT = 16 * 1024 * 1024

/** The content of a request. It is always read, even if nobody wants it. */
export class Content {
  /** Resolves when all content has come, or the client is gone. */
  readonly ended: Promise<void>
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(message: Message) {
    if (isEmpty(message)) {
      message.resume()
      this.ended = Promise.resolve()
      return
    }
    message.on('data', (chunk: Buffer) => {
      if (this.#size + chunk.length > KEPT) return
      this.#chunks.push(chunk)
      this.#size += chunk.length
    })
    this.ended = new Promise((resolve) => {
      for (const event of ['end', 'error', 'close']) message.once(event, () => resolve())
    })
  }

  get octets(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }
}

/** RFC 9112, 6.3: a request without these fields has no content. HTTP/2 needs neither field. */
function isEmpty({ headers, httpVersion }: Message): boolean {
  const announced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return httpVersion.startsWith('1') && !announced
}
