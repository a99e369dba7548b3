import type { Dispatcher } from 'undici'
import type { SocketReader } from '../../../wire/transport/socket-reader.ts'
import type { HttpRequest } from '../request.ts'
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
import { idleMilliseconds } from './idle-time.ts'

/** If a body has more octets left than this, it is worth more memory. */
const large = 256 * 1024

/** If a body is no larger than this, copying it costs less than keeping the connection for it. */
const maxCopied = 64 * 1024

/**
 * How many octets may come that undici does not count, since it counts only header fields and trailers: interim
 * answers, a reason.
 */
const uncountedAllowance = 64 * 1024

type Controller = Dispatcher.DispatchController

/**
 * One request and its answer on a connection of HTTP/1.1. It pulls octets from the connection, and the consumer pulls
 * the body. The head is read here, and so is a body with a length. Other bodies are parsed by undici, which calls the
 * exchange as its handler.
 */
export class Http1Exchange implements Exchange, Dispatcher.DispatchHandler {
  readonly connection: Http1Connection
  readonly #source: SocketReader
  readonly #request: HttpRequest
  #isSent = false
  firstOctets = ''
  readonly #reader: HeadReader
  #head: Head | undefined
  #chunkSizes: ChunkSizes | undefined
  /** How many octets came since the last one that brought a head or a part of the body. */
  #withoutProgress = 0
  #chunks: Uint8Array[] = []
  /** How many octets of the body are still to come. Undefined: the head has not come, or undici finds the end. */
  #remaining: number | undefined
  /** True while undici is made ready; octets wait until it is. */
  #isPreparing = false
  /** True if octets came after the body, perhaps a queued response to the next request (threats.md case 39). */
  #hasExtraOctets = false
  #failure: Error | null = null
  #error: Error | undefined
  #isWhole = false
  #isOver = false
  #wake: () => void = () => {}

  constructor(connection: Http1Connection, source: SocketReader, request: HttpRequest) {
    this.connection = connection
    this.#source = source
    this.#request = request
    this.#reader = new HeadReader(connection.maxReply)
  }

  /** Notes that the request is written, so that octets from now on are the answer. */
  requestSent(): void {
    this.#isSent = true
    this.#wake()
  }

  /** Called if something came before the request: octets, which cannot answer it, or the end of the connection. */
  receivedBeforeRequest(): Error | null {
    const octets = this.#source.take()
    if (!octets) return null
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
      if (this.#remaining !== undefined) return this.#takeCounted(this.#remaining)
      if (!this.#pull()) return undefined
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
      else if (this.#isSent && !this.#isPreparing && this.#failure === null) this.#source.watch(resolve)
    })
  }

  async cancel(): Promise<void> {
    if (!this.#isOver) await this.connection.destroy()
  }

  /** Reads the octets that have arrived. Returns false if there are none, or no more will come. */
  #pull(): boolean {
    if (!this.#isSent || this.#isPreparing || this.#failure !== null) return false
    const octets = this.#source.take()
    if (octets === undefined) return false
    if (octets === null) {
      this.#failure = this.connection.failure ?? new PrematureClose('The connection ended')
      if (this.#reader.head === undefined) this.fail(this.#failure)
      else this.connection.ended()
      return this.#isWhole
    }
    const head = this.#head
    if (this.#reader.head === undefined) this.#readHead(octets)
    else this.#parse(octets)
    const isProgress = this.#chunks.length > 0 || this.#head !== head
    this.#withoutProgress = isProgress ? 0 : this.#withoutProgress + octets.length
    // undici counts only header fields. A reason, the extension of a chunk, zeros before its size and blank lines could
    // go on without end.
    if (this.#withoutProgress > this.connection.maxReply + uncountedAllowance && !this.#isWhole)
      this.fail(new UnboundedHead('octets that are no answer'))
    return true
  }

  #readHead(octets: Buffer): void {
    this.firstOctets += octets.toString('latin1', 0, shownOctets - this.firstOctets.length)
    try {
      const length = this.#reader.read(octets)
      const { head } = this.#reader
      if (head !== undefined) this.#begin(head, octets.subarray(length))
    } catch (error) {
      this.fail(error as Error)
    }
  }

  /** Begins with a body, of which these are the first octets. */
  #begin(head: Head, octets: Buffer): void {
    // These have no body, even if a field gives a length (RFC 9112 6.3). undici would wait for one after 204 and 304.
    const isEmpty = this.#request.method === 'HEAD' || head.status === 204 || head.status === 304
    const length = isEmpty ? 0 : lengthOf(head)
    if (length === undefined) this.#prepare(head, octets)
    else {
      this.#head = head
      const first = this.#count(octets, length)
      if (first.length > 0) this.#chunks.push(first)
    }
  }

  /** Counts octets of a body of which so many are missing. Returns those that belong to it. */
  #count(octets: Buffer, missing: number): Buffer {
    if (octets.length > missing) this.#hasExtraOctets = true
    this.#remaining = Math.max(0, missing - octets.length)
    this.#isWhole = this.#remaining === 0
    return octets.length > missing ? octets.subarray(0, missing) : octets
  }

  #takeCounted(missing: number): Uint8Array | undefined {
    if (missing > large) this.#source.grow()
    const octets = this.#source.take()
    if (octets === undefined) return undefined
    if (octets !== null) return this.#count(octets, missing)
    const error = this.connection.failure ?? new PrematureClose('The connection ended')
    this.fail(error)
    throw error
  }

  /**
   * Lets undici parse the body, behind a head with the only field that undici needs for that. The octets stay where
   * they are: nothing is taken until it is ready.
   */
  #prepare({ named }: Head, octets: Buffer): void {
    const coding = named['transfer-encoding']
    if (coding !== undefined) this.#chunkSizes = new ChunkSizes()
    const framing = coding === undefined ? '' : `Transfer-Encoding: ${coding}\r\n`
    this.#isPreparing = true
    const ready = (): void => {
      this.#isPreparing = false
      this.#feed(Buffer.from(`HTTP/1.1 200 \r\n${framing}\r\n`, 'latin1'))
      this.#parse(octets)
      this.#wake()
    }
    this.connection.parseBy(this, ready).catch((error) => this.fail(error))
  }

  #parse(octets: Buffer): void {
    for (const piece of this.#chunkSizes?.withoutBlanks(octets) ?? [octets]) this.#feed(piece)
  }

  /** Makes undici parse octets, unless it has ended. */
  #feed(octets: Buffer): void {
    if (octets.length === 0 || this.#error !== undefined) return
    if (!this.connection.parse(octets) && !this.#isWhole) this.fail(new PrematureClose('The connection is closed'))
  }

  #finish(): null {
    if (this.#isOver) return null
    this.#isOver = true
    const idle = this.#hasExtraOctets || this.#head === undefined ? 0 : idleMilliseconds(this.#head)
    if (idle > 0) this.connection.free(idle)
    else void this.connection.destroy()
    return null
  }

  fail(error: Error): void {
    if (this.#isWhole) return
    this.#error ??= error
    this.#wake()
  }

  /** undici recognises a handler of this interface by this method. */
  onRequestStart(): void {}

  /** Only what #prepare feeds has a head; it wakes the reader, too. */
  onResponseStart(): void {
    this.#head = this.#reader.head
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    // If the answer has no length, undici treats a reset as a regular end.
    if (this.#failure !== null && !(this.#failure instanceof PrematureClose)) this.fail(this.#failure)
    else if (this.#failure !== null && this.#source.isCut) this.fail(new TlsCut('TLS ended without close_notify'))
    else this.#isWhole = true
    this.#wake()
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error)
  }
}

/**
 * Returns the value of Content-Length. HeadReader has made sure that it is one number, and that no other field says
 * where the body ends (RFC 9112 6.3).
 */
function lengthOf({ named }: Head): number | undefined {
  const length = named['content-length']
  return length === undefined ? undefined : Number(length)
}
