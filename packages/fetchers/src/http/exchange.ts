import type { Dispatcher } from 'undici'
import type { HttpConnection } from './connection.ts'

/** The header section of an answer. */
export interface Head {
  readonly status: number
  /** As sent, which may be nothing; HTTP/1.1 gives it no meaning. */
  readonly reason: string
  /** Name and value in turn, one octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** security.md section 2: a server must not keep a client busy with interim answers for ever. */
const maxInterim = 10

/** One request and its answer on a connection: undici pushes in, the consumer pulls out. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly connection: HttpConnection
  #head: Head | undefined
  #chunks: Uint8Array[] = []
  #ended = false
  #error: Error | undefined
  #interim = 0
  #wake: () => void = () => {}

  constructor(connection: HttpConnection, request: Dispatcher.DispatchOptions) {
    this.connection = connection
    connection.send(request, this)
  }

  /** Settles when the final answer's header section has come; rejects with undici's or the socket's error. */
  async head(): Promise<Head> {
    while (true) {
      if (this.#head !== undefined) return this.#head
      if (this.#error !== undefined) throw this.#error
      await this.#change()
    }
  }

  /** The next octets of the body if they have come, null at its end, undefined if they are to be waited for. Throws as `head`. */
  take(): Uint8Array | null | undefined {
    const ready = this.#chunks.shift()
    if (ready !== undefined) return ready
    if (this.#error !== undefined) throw this.#error
    if (this.#ended) return null
    this.connection.flow()
    return this.#chunks.shift()
  }

  /** The next octets of the body, or null at its end. Rejects as `head`. */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      const chunk = this.take()
      if (chunk !== undefined) return chunk
      // What take() let flow may have been the end alone.
      if (!this.#ended && this.#error === undefined) await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** undici's; the connection is there already. */
  onRequestStart(): void {}

  /** undici's; called for interim answers too. */
  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason: string | undefined,
  ): void {
    if (status < 200) {
      this.#interim++
      if (this.#interim > maxInterim) throw new TooManyInterim(`over ${maxInterim} interim answers`)
      return
    }
    this.#head = { status, reason: reason ?? '', fields: pairs(controller.rawHeaders) }
    this.#wake()
  }

  /** undici's. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(own(chunk))
    this.connection.stem()
    this.#wake()
  }

  /** undici's. */
  onResponseEnd(): void {
    const failure = this.connection.failure
    if (failure === null) this.#ended = true
    else this.#error = failure
    this.#wake()
  }

  /** undici's. */
  onResponseError(_controller: unknown, error: Error): void {
    this.#error = error
    this.#wake()
  }
}

export class TooManyInterim extends Error {}

function pairs(raw: Dispatcher.DispatchController['rawHeaders']): Head['fields'] {
  const octets = Array.isArray(raw) ? raw.map((part) => part.toString('latin1')) : []
  return octets.flatMap((name, at) => (at % 2 === 0 ? [[name, octets[at + 1] ?? ''] as const] : []))
}

/** What undici gives is a view of the socket's buffer, which may hold other things still: a consumer may transfer it. */
function own(chunk: Buffer): Uint8Array {
  const { buffer, byteOffset, length } = chunk
  return length === buffer.byteLength ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(chunk)
}
