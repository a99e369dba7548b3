import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { type Body, sendBody } from './body.ts'
import { testCertificate, testKey } from './certificate.ts'
import type { FaultState, Faults } from './faults.ts'
import { turns, Wire, write } from './wire.ts'

let context: SecureContext | undefined

/** Makes a TLS context. A server with its own context resumes only sessions that it began itself. */
export function newTlsContext(): SecureContext {
  return createSecureContext({ cert: testCertificate, key: testKey })
}

export interface ConnectionOptions {
  /** Connections with the same TLS context can resume each other's sessions. By default all share one. */
  readonly tlsContext?: SecureContext | undefined
  /** The number of the connection; 0 for a data connection. */
  readonly number?: number
  /** The protocols that TLS offers (RFC 7301). */
  readonly alpn?: readonly string[] | undefined
}

/** One accepted socket; TLS and the faults of the line stand between it and the protocol. */
export class Connection {
  readonly raw: Socket
  /** The number of this connection at its server, counted from 1. */
  readonly number: number
  readonly tlsContext: SecureContext
  readonly #state: FaultState
  readonly #line: Wire | undefined
  readonly #gone = new AbortController()
  readonly #alpn: readonly string[] | undefined
  #handshake: Promise<TLSSocket | undefined> = Promise.resolve(undefined)
  #tls: TLSSocket | undefined
  #stream: Duplex

  constructor(raw: Socket, state: FaultState, tls: boolean, options: ConnectionOptions = {}) {
    this.raw = raw
    this.number = options.number ?? 0
    this.#alpn = options.alpn
    this.#state = state
    context ??= newTlsContext()
    this.tlsContext = options.tlsContext ?? context
    // Every error is followed by 'close', on which the server acts.
    raw.on('error', ignore)
    raw.once('close', () => this.#gone.abort())
    raw.setNoDelay(true)
    const { latency, chunking } = state.current
    const late = Boolean(latency?.up || latency?.down)
    if (late) this.#line = new Wire(raw, { ...latency, chunking: tls ? 'whole' : chunking })
    this.#stream = this.#line ?? raw
    this.#stream.on('error', ignore)
    if (tls) this.secure()
    else if (!late) this.#crumble()
  }

  get stream(): Duplex {
    return this.#stream
  }

  get faults(): Faults {
    return this.#state.current
  }

  get tls(): boolean {
    return this.#tls !== undefined
  }

  /** Starts TLS as the server, at once or in mid-session (RFC 4217, RFC 4642). Chunking then cuts TLS records. */
  secure(): void {
    this.#tls = new TLSSocket(this.#line ?? this.raw, {
      isServer: true,
      secureContext: this.tlsContext,
      ...(this.#alpn && { ALPNProtocols: [...this.#alpn] }),
    })
    this.#tls.on('error', () => this.raw.destroy())
    // If a client leaves during the handshake, pending writes would never finish.
    let agreed = false
    const tls = this.#tls
    this.#handshake = new Promise((resolve) => {
      tls.once('secure', () => {
        agreed = true
        resolve(tls)
      })
      this.raw.once('close', () => resolve(undefined))
    })
    tls.once('end', () => agreed || this.raw.destroy())
    this.#stream = this.#tls
    this.#crumble()
  }

  /** Resolves after the handshake: whether TLS resumed an earlier session. False if the client leaves before. */
  get resumed(): Promise<boolean> {
    return this.#handshake.then((tls) => tls?.isSessionReused() ?? false)
  }

  /** Resolves after the handshake: the protocol that ALPN chose. */
  get alpn(): Promise<string | undefined> {
    return this.#handshake.then((tls) => tls?.alpnProtocol || undefined)
  }

  /** Waits as long as the faults ask before a reply. The wait ends early if the client leaves or the server closes. */
  async delay(): Promise<void> {
    const { delay } = this.faults
    if (delay) await sleep(delay, undefined, { signal: this.#gone.signal })
  }

  /** Waits for the delay, then sends one reply, one char an octet. */
  async send(reply: string): Promise<void> {
    await this.delay()
    await write(this.#stream, Buffer.from(reply, 'latin1'))
  }

  /** Sends a body as far as the faults allow. Resolves to false if the connection is over. */
  async sendBody(body: Body): Promise<boolean> {
    const end = await sendBody(this.#stream, body, this.nextBody())
    if (end === 'reset') await this.reset()
    if (end === 'reset' || end === 'stalled') await this.stall()
    return end === 'whole'
  }

  /** The wrong reply that the faults have for the first of these keys. A reply from a list is used up. */
  takeFault(...keys: readonly string[]): string | undefined {
    return this.#state.reply(...keys)
  }

  /** The faults for the next body of this server. */
  nextBody(): Faults {
    return this.#state.nextBody()
  }

  /**
   * Sends the wrong reply that the faults have for one of the keys. An empty reply closes the connection without a
   * word.
   */
  async sendFault(...keys: readonly string[]): Promise<boolean> {
    const reply = this.takeFault(...keys)
    if (reply === undefined) return false
    if (reply === '') await this.end()
    else await this.send(reply)
    return true
  }

  /** Resolves when everything written so far is on its way to the client. */
  async flown(): Promise<void> {
    if (this.#stream instanceof Wire) await this.#stream.flown()
    await this.#line?.flown()
  }

  /** Sends nothing more, and keeps the socket open until the client closes it. */
  stall(): Promise<void> {
    const stream = this.#stream
    stream.resume()
    return new Promise((resolve) => {
      if (stream.destroyed || stream.readableEnded) return resolve()
      stream.once('end', resolve)
      stream.once('close', resolve)
    })
  }

  /**
   * Sends RST, but only after everything written so far has left and the client had time to read it: if an RST comes
   * together with the last data, libuv reports a clean end.
   */
  async reset(): Promise<void> {
    await this.flown()
    await turns(20)
    this.raw.resetAndDestroy()
  }

  /** Ends this side, and resolves when the FIN is on its way. */
  end(): Promise<void> {
    const stream = this.#tls && this.faults.noCloseNotify ? (this.#line ?? this.raw) : this.#stream
    // Reads the client's remaining octets. Otherwise closing would become a reset that loses the last reply.
    this.#stream.resume()
    return new Promise((resolve) => {
      if (stream.destroyed || stream.writableFinished) return resolve()
      stream.once('close', resolve)
      stream.end(resolve)
    })
  }

  destroy(): void {
    this.raw.destroy()
  }

  #crumble(): void {
    const { chunking } = this.faults
    if (chunking === undefined || chunking === 'whole') return
    this.#stream = new Wire(this.#stream, { chunking })
    this.#stream.on('error', ignore)
  }
}

function ignore(): void {}
