import type { Dispatcher } from 'undici'
import type { SocketReader } from '../../../wire/transport/socket-reader.ts'
import { ChunkSizes } from './chunk-sizes.ts'
import {
  type Exchange,
  type Head,
  PrematureClose,
  shownOctets,
  TlsCut,
  UnboundedHead,
  UnsolicitedData,
} from './connection.ts'
import { HeadReader } from './head-reader.ts'
import type { Http1Connection } from './http1.ts'

/**
 * If a body has more octets left than this, it is read without undici: that saves more than the new client costs that
 * follows.
 */
const directReadThreshold = 256 * 1024

/** If a body is no larger than this, copying it costs less than keeping the connection for it. */
const maxCopied = 64 * 1024

/**
 * How many octets may come that undici does not count, since it counts only header fields and trailers: interim
 * answers, a reason.
 */
const uncountedAllowance = 64 * 1024

type Controller = Dispatcher.DispatchController

/**
 * One request and its answer on a connection of HTTP/1.1. It pulls octets from the connection, undici parses them and
 * calls it as its handler, and the consumer pulls the parsed body.
 */
export class Http1Exchange implements Exchange, Dispatcher.DispatchHandler {
  readonly connection: Http1Connection
  readonly #source: SocketReader
  readonly #isHead: boolean
  #isSent = false
  firstOctets = ''
  readonly #reader: HeadReader
  #head: Head | undefined
  #chunkSizes: ChunkSizes | undefined
  /** How many octets came since the last one that brought a head or a part of the body. */
  #withoutProgress = 0
  #chunks: Uint8Array[] = []
  /** How many octets of a body with a length are still to come. Undefined: undici finds the end. */
  #remaining: number | undefined
  /** True while the rest of the body is read without undici. */
  #isDirect = false
  /** True if octets came after the body, perhaps a queued response to the next request (threats.md case 39). */
  #hasExtraOctets = false
  #failure: Error | null = null
  #error: Error | undefined
  #isWhole = false
  #isOver = false
  #wake: () => void = () => {}

  constructor(connection: Http1Connection, source: SocketReader, method: string) {
    this.connection = connection
    this.#source = source
    this.#isHead = method === 'HEAD'
    this.#reader = new HeadReader(connection.maxReply)
  }

  /** Notes that the request is written, so that octets from now on are the answer. */
  requestSent(): null {
    this.#isSent = true
    this.#wake()
    return null
  }

  /** Called if something came before the request: octets, which cannot answer it, or the end of the connection. */
  receivedBeforeRequest(): Error | null {
    const octets = this.#source.take()
    if (!octets) return this.requestSent()
    this.firstOctets = octets.toString('latin1', 0, shownOctets)
    return new UnsolicitedData('octets before the request')
  }

  async head(): Promise<Head> {
    while (true) {
      if (this.#head !== undefined) return this.#head
      if (this.#error !== undefined) throw this.#error
      if (!this.#pull()) await this.arrival()
    }
  }

  take(): Uint8Array | null | undefined {
    while (true) {
      const ready = this.#chunks.shift()
      if (ready !== undefined) return ready
      if (this.#error !== undefined) throw this.#error
      if (this.#isWhole) return this.#finish()
      if (this.#isDirect) return this.#takeDirect()
      if (this.#remaining !== undefined && this.#remaining > directReadThreshold) this.#readDirect()
      else if (!this.#pull()) return undefined
    }
  }

  takeWhole(): Uint8Array | null {
    if (!this.#isWhole || this.#error !== undefined) return null
    const length = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (length > maxCopied) return null
    const whole = new Uint8Array(length)
    let at = 0
    for (let chunk = this.take(); chunk; chunk = this.take()) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      // undici may report an error although nothing comes. After the end it always reports something, at once or later.
      this.#wake = resolve
      if (this.#error !== undefined || this.#isWhole) resolve()
      else if (this.#isSent && this.#failure === null) this.#source.watch(resolve)
    })
  }

  async cancel(): Promise<void> {
    if (!this.#isOver) await this.connection.destroy()
  }

  /** Makes undici parse the octets that have arrived. Returns false if there are none, or no more will come. */
  #pull(): boolean {
    if (!this.#isSent || this.#failure !== null) return false
    const octets = this.#source.take()
    if (octets === undefined) return false
    if (octets === null) {
      this.#failure = this.connection.failure ?? new PrematureClose('The connection ended')
      this.connection.ended()
      return this.#isWhole
    }
    if (this.firstOctets.length < shownOctets)
      this.firstOctets += octets.toString('latin1', 0, shownOctets - this.firstOctets.length)
    const head = this.#head
    this.#parse(octets)
    const isProgress = this.#chunks.length > 0 || this.#head !== head
    this.#withoutProgress = isProgress ? 0 : this.#withoutProgress + octets.length
    // undici counts only header fields. A reason, the extension of a chunk, zeros before its size and blank lines could
    // go on without end.
    if (this.#withoutProgress > this.connection.maxReply + uncountedAllowance && !this.#isWhole)
      this.#fail(new UnboundedHead('octets that are no answer'))
    return true
  }

  #parse(octets: Buffer): void {
    let body = octets
    if (this.#reader.head === undefined) {
      try {
        body = octets.subarray(this.#reader.read(octets))
      } catch (error) {
        this.#fail(error as Error)
        return
      }
      if (this.#reader.head === undefined) return
      this.#feed(this.#reader.framing())
    }
    for (const piece of this.#chunkSizes?.withoutBlanks(body) ?? [body]) this.#feed(piece)
  }

  /** Makes undici parse octets, unless it has ended. */
  #feed(octets: Buffer): void {
    if (octets.length === 0 || this.#error !== undefined) return
    if (!this.connection.parse(octets) && !this.#isWhole) this.#fail(new PrematureClose('The connection is closed'))
  }

  #readDirect(): void {
    this.#isDirect = true
    this.#source.grow()
  }

  #takeDirect(): Uint8Array | undefined {
    const octets = this.#source.take()
    if (octets === undefined) return undefined
    if (octets === null) {
      this.#fail(this.connection.failure ?? new PrematureClose('The connection ended'))
      throw this.#error
    }
    const left = this.#remaining ?? 0
    if (octets.length > left) this.#hasExtraOctets = true
    this.#remaining = Math.max(0, left - octets.length)
    this.#isWhole = this.#remaining === 0
    return octets.subarray(0, left)
  }

  #finish(): null {
    if (this.#isOver) return null
    this.#isOver = true
    if (!this.#isDirect) this.connection.free()
    else if (!this.#hasExtraOctets && this.#head !== undefined && staysOpen(this.#head))
      this.connection.freeWithNewClient()
    else void this.connection.destroy()
    return null
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** undici recognises a handler of this interface by this method. */
  onRequestStart(): void {}

  onResponseStart(_controller: Controller, status: number): void {
    this.#head = this.#reader.head
    const { fields = [] } = this.#head ?? {}
    // These statuses have no body, even if a field gives a length (RFC 9112 6.3). undici would wait for one.
    if (status === 204 || status === 304) this.#isWhole = true
    else if (!this.#isHead && fieldOf(fields, 'transfer-encoding') !== undefined) this.#chunkSizes = new ChunkSizes()
    else if (!this.#isHead) this.#remaining = lengthOf(fields)
    this.#wake()
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk)
    if (this.#remaining !== undefined) this.#remaining -= chunk.length
  }

  onResponseEnd(): void {
    if (this.#isDirect) return
    // If the answer has no length, undici treats a reset as a regular end.
    if (this.#failure !== null && !(this.#failure instanceof PrematureClose)) this.#fail(this.#failure)
    else if (this.#failure !== null && this.#source.isCut) this.#fail(new TlsCut('TLS ended without close_notify'))
    else this.#isWhole = true
    this.#wake()
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (!this.#isWhole) this.#fail(error)
  }
}

/**
 * Returns the value of Content-Length. HeadReader has made sure that it is one number, and that no other field says
 * where the body ends (RFC 9112 6.3).
 */
function lengthOf(fields: Head['fields']): number | undefined {
  const length = fieldOf(fields, 'content-length')
  return length === undefined ? undefined : Number(length)
}

function fieldOf(fields: Head['fields'], wanted: string): string | undefined {
  // Nearly all other names have other lengths.
  return fields.find(([name]) => name.length === wanted.length && name.toLowerCase() === wanted)?.[1]
}

/** Whether the server keeps the connection open (RFC 9112 9.3). */
function staysOpen({ version, fields }: Head): boolean {
  const options = fields.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value.toLowerCase())
  const has = (option: string): boolean =>
    options.some((value) => value.split(',').some((each) => each.trim() === option))
  return !has('close') && (version === 'HTTP/1.1' || has('keep-alive'))
}
