import type { Dispatcher } from 'undici'
import type { ByteSource } from '../../wire/transport/byte-source.ts'
import { ChunkSizes } from './chunk-sizes.ts'
import { type Exchange, type Head, PrematureClose, shownOctets, UnboundedHead, UnsolicitedData } from './connection.ts'
import { HeadReader } from './head-reader.ts'
import type { Http1Connection } from './http1.ts'

/** What is left of a body must be more than this for it to be worth while to read it past undici. */
const worthWhile = 256 * 1024

/** Of a body no larger than this, a copy costs less than keeping the connection for it. */
const small = 64 * 1024

/** What may come beside header fields, which undici counts: interim answers, a reason, trailers. */
const slack = 64 * 1024

type Controller = Dispatcher.DispatchController

/**
 * One request and its answer on a connection of HTTP/1.1. Octets are pulled from the connection, undici parses them and
 * calls this as its handler, and the consumer pulls what came of it.
 */
export class Http1Exchange implements Exchange, Dispatcher.DispatchHandler {
  readonly connection: Http1Connection
  readonly #source: ByteSource
  readonly #isHead: boolean
  #isSent = false
  #first = ''
  readonly #reader: HeadReader
  #head: Head | undefined
  #chunkSizes: ChunkSizes | undefined
  /** Octets that have come since there was a head or some of a body. */
  #idle = 0
  #chunks: Uint8Array[] = []
  /** Of a body with a length, what is still to come; undefined: its end is for undici to find. */
  #left: number | undefined
  /** The rest of the body is read past undici. */
  #isPast = false
  /** More came than the body is: no answer to anything (security.md case 39). */
  #isFouled = false
  #failure: Error | null = null
  #error: Error | undefined
  #isWhole = false
  #isOver = false
  #wake: () => void = () => {}

  constructor(connection: Http1Connection, source: ByteSource, method: string) {
    this.connection = connection
    this.#source = source
    this.#isHead = method === 'HEAD'
    this.#reader = new HeadReader(connection.maxReply)
  }

  get firstOctets(): string {
    return this.#first
  }

  /** The request goes out now; what comes from now on is the answer. */
  sent(): null {
    this.#isSent = true
    this.#wake()
    return null
  }

  /** Before the request, something has come: octets, which are no answer to it, or the end. */
  forestalled(): Error | null {
    const octets = this.#source.take()
    if (!octets) return this.sent()
    this.#first = octets.toString('latin1', 0, shownOctets)
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
      if (this.#isPast) return this.#takePast()
      if (this.#left !== undefined && this.#left > worthWhile) this.#passUndici()
      else if (!this.#pull()) return undefined
    }
  }

  takeWhole(): Uint8Array | null {
    if (!this.#isWhole || this.#error !== undefined) return null
    const length = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (length > small) return null
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
      // undici may have something to say although nothing comes: an error. After the end, it has always, if later.
      this.#wake = resolve
      if (this.#error !== undefined || this.#isWhole) resolve()
      else if (this.#isSent && this.#failure === null) this.#source.watch(resolve)
    })
  }

  async cancel(): Promise<void> {
    if (!this.#isOver) await this.connection.destroy()
  }

  /** Has undici parse what has come. False: there is nothing, or nothing more. */
  #pull(): boolean {
    if (!this.#isSent || this.#failure !== null) return false
    const octets = this.#source.take()
    if (octets === undefined) return false
    if (octets === null) {
      this.#failure = this.connection.failure ?? new PrematureClose('The connection ended')
      this.connection.ended()
      return this.#isWhole
    }
    if (this.#first.length < shownOctets) this.#first += octets.toString('latin1', 0, shownOctets - this.#first.length)
    const head = this.#head
    this.#parse(octets)
    const isProgress = this.#chunks.length > 0 || this.#head !== head
    this.#idle = isProgress ? 0 : this.#idle + octets.length
    // undici counts header fields alone; a reason, a chunk's extension, its size in zeros and blank lines may go on for ever.
    if (this.#idle > this.connection.maxReply + slack && !this.#isWhole)
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

  /** Has undici parse octets, where it still takes any. */
  #feed(octets: Buffer): void {
    if (octets.length === 0 || this.#error !== undefined) return
    if (!this.connection.parse(octets) && !this.#isWhole) this.#fail(new PrematureClose('The connection is closed'))
  }

  #passUndici(): void {
    this.#isPast = true
    this.#source.grow()
  }

  #takePast(): Uint8Array | undefined {
    const octets = this.#source.take()
    if (octets === undefined) return undefined
    if (octets === null) {
      this.#fail(this.connection.failure ?? new PrematureClose('The connection ended'))
      throw this.#error
    }
    const left = this.#left ?? 0
    if (octets.length > left) this.#isFouled = true
    this.#left = Math.max(0, left - octets.length)
    this.#isWhole = this.#left === 0
    return octets.subarray(0, left)
  }

  #finish(): null {
    if (this.#isOver) return null
    this.#isOver = true
    if (!this.#isPast) this.connection.free()
    else if (!this.#isFouled && this.#head !== undefined && staysOpen(this.#head)) this.connection.freePast()
    else void this.connection.destroy()
    return null
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** undici takes a handler for one of this interface if it has this method. */
  onRequestStart(): void {}

  onResponseStart(_controller: Controller, status: number): void {
    this.#head = this.#reader.head
    const { fields = [] } = this.#head ?? {}
    // RFC 9112 6.3: these have no body, whatever their length says; undici does not think so.
    if (status === 204 || status === 304) this.#isWhole = true
    else if (!this.#isHead && fieldOf(fields, 'transfer-encoding') !== undefined) this.#chunkSizes = new ChunkSizes()
    else if (!this.#isHead) this.#left = lengthOf(fields)
    this.#wake()
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk)
    if (this.#left !== undefined) this.#left -= chunk.length
  }

  onResponseEnd(): void {
    if (this.#isPast) return
    // It takes a reset for a regular end where the answer has no length.
    if (this.#failure !== null && !(this.#failure instanceof PrematureClose)) this.#fail(this.#failure)
    else this.#isWhole = true
    this.#wake()
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (!this.#isWhole) this.#fail(error)
  }
}

/** Where the body is so many octets and nothing else (RFC 9112 6.3), which the reader of the head has seen to. */
function lengthOf(fields: Head['fields']): number | undefined {
  const length = fieldOf(fields, 'content-length')
  return length === undefined ? undefined : Number(length)
}

function fieldOf(fields: Head['fields'], wanted: string): string | undefined {
  // Their lengths tell them from nearly all others.
  return fields.find(([name]) => name.length === wanted.length && name.toLowerCase() === wanted)?.[1]
}

/** RFC 9112 9.3: whether the server means to go on. */
function staysOpen({ version, fields }: Head): boolean {
  const options = fields.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value.toLowerCase())
  const has = (option: string): boolean =>
    options.some((value) => value.split(',').some((one) => one.trim() === option))
  return !has('close') && (version === 'HTTP/1.1' || has('keep-alive'))
}
