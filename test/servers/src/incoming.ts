import type { Duplex } from 'node:stream'
import { LONGEST } from './lines.ts'

/** The octets of a client (one char each), read by line or by number: a file in a form has no lines. */
export class Incoming {
  #stream: Duplex
  readonly #onLine: (line: string) => void
  /** The octets of a line that has not ended yet. */
  #open = ''
  #octets = ''
  #ended = false
  #wake: (() => void) | undefined

  /** Calls `onLine` for each line as it comes, even if nobody reads it. */
  constructor(stream: Duplex, onLine: (line: string) => void) {
    this.#stream = stream
    this.#onLine = onLine
    this.attach(stream)
  }

  /** Takes no more from the stream, since the next octets belong to the TLS handshake. */
  stop(): void {
    this.#stream.off('data', this.#onData).pause()
  }

  /** Reads from another stream, or begins anew. Earlier octets are forgotten. */
  attach(stream: Duplex): void {
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#stream = stream
    this.#open = ''
    this.#octets = ''
    stream.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd)
  }

  /** The next line without its end, LF or CRLF; undefined if the client ends before, or the line does not end. */
  async line(): Promise<string | undefined> {
    while (!this.#octets.includes('\n')) {
      if (this.#octets.length > LONGEST) this.#stream.destroy()
      if (!(await this.#more())) return undefined
    }
    const end = this.#octets.indexOf('\n')
    const line = this.#octets.slice(0, end).replace(/\r$/, '')
    this.#octets = this.#octets.slice(end + 1)
    return line
  }

  /** The next `size` octets, or fewer if the client ends before. */
  async octets(size: number): Promise<string> {
    while (this.#octets.length < size && (await this.#more()));
    const octets = this.#octets.slice(0, size)
    this.#octets = this.#octets.slice(size)
    return octets
  }

  /** Whether unread octets have come. */
  get hasMore(): boolean {
    return this.#octets !== ''
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    return true
  }

  readonly #onData = (chunk: Buffer): void => {
    const octets = chunk.toString('latin1')
    this.#octets += octets
    // A chunk without a line end is only appended: searching a long line again for each chunk would block all clients.
    const [first = '', ...others] = octets.split('\n')
    this.#open += first
    for (const other of others) {
      this.#onLine(this.#open.replace(/\r$/, ''))
      this.#open = other
    }
    // No test sends so much, so such a client is cut off.
    if (this.#octets.length > 64 * 1024 * 1024) this.#stream.destroy()
    this.#wake?.()
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    this.#wake?.()
  }
}
