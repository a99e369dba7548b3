import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2'
import { StreamReader } from '../../../wire/transport/socket-reader.ts'
import { type Exchange, type Head, HeadTooLarge, maxInterim, PrematureClose, TooManyInterim } from './connection.ts'
import type { Http2Connection } from './http2.ts'
import { namedFields } from './named-fields.ts'

/** One request and its response on a connection of HTTP/2. It has a stream of its own. */
export class Http2Exchange implements Exchange {
  readonly connection: Http2Connection
  readonly #stream: ClientHttp2Stream
  readonly #source: StreamReader
  #head: Head | undefined
  #interim = 0
  #error: Error | undefined
  /** True after END_STREAM has ended the stream. */
  #isWhole = false
  #wake: () => void = () => {}

  constructor(connection: Http2Connection, stream: ClientHttp2Stream) {
    this.connection = connection
    this.#stream = stream
    this.#source = new StreamReader(stream)
    stream.on('headers', () => {
      this.#interim++
      if (this.#interim > maxInterim) stream.destroy(new TooManyInterim(`over ${maxInterim} interim answers`))
    })
    stream.once('response', (headers) => {
      const head = headOf(headers)
      connection.served()
      if (sizeOf(head) > connection.maxReply) stream.destroy(new HeadTooLarge('a header section that is too long'))
      else this.#head = head
      this.#wake()
    })
    // A reset without an error (RFC 9113 8.1) is not the end of the body, but Node ends the stream for it, too. The
    // only difference is that such a stream is closed before it is ended.
    const push = stream.push.bind(stream)
    stream.push = (chunk, encoding) => {
      if (chunk === null && !stream.closed) this.#isWhole = true
      return push(chunk, encoding)
    }
    stream.on('error', (error: Error) => this.#fail(error))
    stream.once('aborted', () => this.#fail(new PrematureClose('The stream was reset')))
    stream.once('close', () => this.#wake())
  }

  get firstOctets(): string {
    return this.#head === undefined ? '' : 'HTTP/2'
  }

  async head(): Promise<Head> {
    while (true) {
      if (this.#head !== undefined) return this.#head
      if (this.#error !== undefined) throw this.#error
      if (this.#stream.closed || this.#stream.destroyed)
        throw new PrematureClose('The stream was closed without an answer')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  take(): Uint8Array | null | undefined {
    const chunk = this.#source.take()
    if (chunk === undefined || (chunk !== null && chunk.length > 0)) return chunk
    const error = this.#error ?? this.#stream.errored
    if (error !== null && error !== undefined) throw error
    if (!this.#isWhole || !this.#stream.readableEnded || this.#stream.rstCode !== 0)
      throw new PrematureClose('The stream was reset')
    return null
  }

  takeWhole(): null {
    return null
  }

  arrival(): Promise<void> {
    return this.#source.arrival()
  }

  async cancel(): Promise<void> {
    // RST_STREAM with CANCEL (8) leaves the connection to the other exchanges.
    if (!this.#stream.closed) this.#stream.close(8)
    this.#stream.destroy()
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }
}

function sizeOf({ fields }: Head): number {
  return fields.reduce((size, [name, value]) => size + name.length + value.length, 0)
}

/**
 * Makes the head of the response. Node joins fields that came several times, as RFC 9110 5.3 does; only cookies come as
 * a list.
 */
function headOf(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): Head {
  const fields = Object.entries(headers).flatMap(([name, value]): (readonly [string, string])[] => {
    if (name.startsWith(':') || value === undefined) return []
    return Array.isArray(value) ? value.map((one) => [name, one] as const) : [[name, String(value)] as const]
  })
  return { status: Number(headers[':status']), reason: '', version: 'HTTP/2', fields, named: namedFields(fields) }
}
