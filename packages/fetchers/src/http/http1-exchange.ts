import type { Dispatcher } from 'undici'
import type { Inflow } from '../wire/inflow.ts'
import {
  BodyCut,
  type Exchange,
  Flood,
  Forestalled,
  type Head,
  maxInterim,
  shownOctets,
  TooManyInterim,
  WrongVersion,
} from './connection.ts'
import type { Http1Connection } from './http1.ts'

/** What is left of a body must be more than this for it to be worth while to read it past undici. */
const worthWhile = 256 * 1024

/** Of a body no larger than this, a copy costs less than keeping the connection for it. */
const small = 64 * 1024

/** What may come beside header fields, which undici counts: interim answers, a reason, trailers. */
const slack = 64 * 1024

/**
 * One request and its answer on a connection of HTTP/1.1: octets are pulled in, parsed by undici, and what it says is pulled out. The
 * handler is of the form that undici uses inside; the other one has the fields parsed for it, which are read here once more.
 */
export class Http1Exchange implements Exchange, Dispatcher.DispatchHandler {
  readonly connection: Http1Connection
  readonly #inflow: Inflow
  readonly #isHead: boolean
  #isSent = false
  #first = ''
  #head: Head | undefined
  #interim = 0
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

  constructor(connection: Http1Connection, inflow: Inflow, method: string) {
    this.connection = connection
    this.#inflow = inflow
    this.#isHead = method === 'HEAD'
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
    const octets = this.#inflow.take()
    if (!octets) return this.sent()
    this.#first = octets.toString('latin1', 0, shownOctets)
    return new Forestalled('octets before the request')
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
      else if (this.#isSent && this.#failure === null) this.#inflow.watch(resolve)
    })
  }

  async cancel(): Promise<void> {
    if (!this.#isOver) await this.connection.destroy()
  }

  /** Has undici parse what has come. False: there is nothing, or nothing more. */
  #pull(): boolean {
    if (!this.#isSent || this.#failure !== null) return false
    const octets = this.#inflow.take()
    if (octets === undefined) return false
    if (octets === null) {
      this.#failure = this.connection.failure ?? new BodyCut('The connection ended')
      this.connection.ended()
      return this.#isWhole
    }
    if (this.#first.length < shownOctets) this.#first += octets.toString('latin1', 0, shownOctets - this.#first.length)
    const head = this.#head
    // undici keeps the fields as they lie there until the last one has come, and this memory is used again before that.
    if (!this.connection.parse(head === undefined ? Buffer.from(octets) : octets))
      this.#fail(new BodyCut('The connection is closed'))
    const isProgress = this.#chunks.length > 0 || this.#head !== head
    this.#idle = isProgress ? 0 : this.#idle + octets.length
    // undici counts header fields alone; a reason, a chunk's extension, its size in zeros and blank lines may go on for ever.
    if (this.#idle > this.connection.maxReply + slack && !this.#isWhole)
      this.#fail(new Flood('octets that are no answer'))
    return true
  }

  #passUndici(): void {
    this.#isPast = true
    this.#inflow.grow()
  }

  #takePast(): Uint8Array | undefined {
    const octets = this.#inflow.take()
    if (octets === undefined) return undefined
    if (octets === null) {
      this.#fail(this.connection.failure ?? new BodyCut('The connection ended'))
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

  /** undici's. */
  onConnect(): void {}

  /** undici's; called for interim answers too. */
  onHeaders(status: number, raw: readonly Buffer[], _resume: unknown, reason: string): boolean {
    if (status < 200) {
      this.#interim++
      if (this.#interim > maxInterim) throw new TooManyInterim(`over ${maxInterim} interim answers`)
      return true
    }
    const fields = pairs(raw)
    const [, version = 'HTTP/1.1', said] = statusLine.exec(this.#first) ?? []
    if (!/^HTTP\/1\./.test(version)) throw new WrongVersion(`(an answer of ${version})`)
    // Of a reason that comes in pieces undici has the last one.
    this.#head = { status, reason: (this.#interim === 0 && said) || reason, version, fields }
    // RFC 9112 6.3: these have no body, whatever their length says; undici does not think so.
    if (status === 204 || status === 304) this.#isWhole = true
    else if (!this.#isHead) this.#left = lengthOf(fields)
    this.#wake()
    return true
  }

  /** undici's. */
  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    if (this.#left !== undefined) this.#left -= chunk.length
    return true
  }

  /** undici's. */
  onComplete(): void {
    if (this.#isPast) return
    // It takes a reset for a regular end where the answer has no length.
    if (this.#failure !== null && !(this.#failure instanceof BodyCut)) this.#fail(this.#failure)
    else this.#isWhole = true
    this.#wake()
  }

  /** undici's. */
  onError(error: Error): void {
    if (!this.#isWhole) this.#fail(error)
  }
}

const statusLine = /^(HTTP\/\d\.\d)(?: \d{3} ([^\r\n]*)\r?\n)?/

function pairs(raw: readonly Buffer[]): Head['fields'] {
  const fields: (readonly [string, string])[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const value = raw[at + 1]
    fields.push([raw[at]?.toString('latin1') ?? '', value?.toString('latin1', 0, endOf(value)) ?? ''])
  }
  return fields
}

/**
 * Without the spaces and tabs behind it (RFC 9112 5.1), which undici leaves. By hand: a regular expression would look at
 * each run of them.
 */
function endOf(value: Buffer): number {
  let end = value.length
  while (end > 0 && (value[end - 1] === 0x20 || value[end - 1] === 0x09)) end--
  return end
}

/** Where the body is so many octets and nothing else (RFC 9112 6.3). */
function lengthOf(fields: Head['fields']): number | undefined {
  let length: string | undefined
  for (const [name, value] of fields) {
    // Their lengths tell them from nearly all others.
    if (name.length === 14 && name.toLowerCase() === 'content-length') length = value
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return undefined
  }
  return length === undefined || !/^\d{1,15}$/.test(length) ? undefined : Number(length)
}

/** RFC 9112 9.3: whether the server means to go on. */
function staysOpen({ version, fields }: Head): boolean {
  const options = fields.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value.toLowerCase())
  const has = (option: string): boolean =>
    options.some((value) => value.split(',').some((one) => one.trim() === option))
  return !has('close') && (version === 'HTTP/1.1' || has('keep-alive'))
}
