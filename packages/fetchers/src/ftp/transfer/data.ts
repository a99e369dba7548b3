import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { RingReader } from '../../wire/transport/ring-reader.ts'
import { openSocket } from '../../wire/transport/socket.ts'
import { startTls } from '../../wire/transport/start-tls.ts'
import type { Dialogue } from '../control/dialogue.ts'

/** How long a port that EPSV named may be silent: firewalls that do not know EPSV drop what goes there, and let PASV's pass. */
const replyTimeout = 10_000

/** One connection for one transfer, from the server to us. */
export class DataConnection {
  /** Rejects with `connect-failed`. */
  readonly opened: Promise<void>
  readonly #dialogue: Dialogue
  readonly #life = new AbortController()
  readonly #ringReader: RingReader | undefined
  #unlink: () => void = () => {}
  #tellClosed: () => void = () => {}
  /** It was closed by us, or for good by both. */
  readonly closed: Promise<void> = new Promise((resolve) => {
    this.#tellClosed = resolve
  })
  #plain: Socket | undefined
  #connection: Connection | undefined

  /** Connects to the control connection's peer. */
  constructor(dialogue: Dialogue, port: number) {
    this.#dialogue = dialogue
    // TLS and proxies have their own ways with what is read.
    const isBare = !isSecure(dialogue) && !dialogue.context.proxy
    this.#ringReader = isBare ? new RingReader(dialogue.session.ringMemory) : undefined
    this.opened = this.#open(port)
    // Met where it is awaited, if it is: the server may refuse the transfer before.
    this.opened.catch(() => {})
    this.#unlink = dialogue.context.deadline.onAbort(() => this.close())
  }

  /**
   * Starts TLS where the control connection has it, resuming its session. To be called after the first reply: pyftpdlib resets a
   * connection on which TLS begins before the transfer command (so curl fails there), and no server waits for it before it answers.
   */
  async secure(): Promise<void> {
    const { session, plan, context } = this.#dialogue
    const { control } = session
    // What is in TLS may also be the way to an https proxy.
    if (plan.tls === 'none' || !(control.socket instanceof TLSSocket) || this.#plain === undefined) return
    const ticket = control.tlsSessionStore ?? control.socket.getSession()
    const { socket, agreed } = startTls(context, plan, this.#plain, ticket)
    // A ticket of TLS 1.3 serves once: the next data connection takes the next one.
    socket.on('session', (next) => {
      control.tlsSessionStore = next
    })
    this.#connection = new Connection(socket, context)
    await context.deadline.within('tls', () => agreed)
  }

  /** The next octets, or null at the end. They may be overwritten once the next ones are asked for. */
  async read(): Promise<Uint8Array | null> {
    await this.opened
    if (this.#ringReader !== undefined) return this.#ringReader.read('body', this.#dialogue.context)
    return this.#connection?.read('body') ?? null
  }

  /** Frees the connection, at once. A read under way gives null. */
  close(): void {
    this.#unlink()
    this.#tellClosed()
    // TLS before what it stands on: the other way round, Node 20 can end the process by a segmentation fault.
    this.#connection?.close()
    // With a reason: without one, an error with a stack is made for each connection.
    this.#life.abort('closed')
  }

  async #open(port: number): Promise<void> {
    const { session, context } = this.#dialogue
    const told = isSecure(this.#dialogue) ? announcingTls(context) : context
    const peer = { host: session.address, port, tls: 'none' as const }
    const isTrial = session.quirks.passive === 'EPSV' && !session.quirks.reached
    const timer = isTrial ? setTimeout(() => this.#life.abort('silent'), replyTimeout) : undefined
    try {
      this.#plain = await openSocket(told, peer, this.#life.signal, this.#ringReader?.onread)
    } catch (cause) {
      if (!RetrievalError.is(cause) || cause.code !== 'connect-failed') throw cause
      throw context.error('connect-failed', unreached(port, cause.cause), { phase: 'connect', cause })
    } finally {
      clearTimeout(timer)
    }
    session.quirks.reached = true
    this.#ringReader?.attach(this.#plain)
    this.#connection = new Connection(this.#plain, context)
  }
}

/**
 * Why there is no data connection. A firewall mostly drops what goes there; an answer comes from the machine itself.
 */
function unreached(port: number, cause: unknown): string {
  const what = `No data connection to port ${port}, which the server offers`
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return `${what}: nothing listens there. Try again.`
  if (code === 'ECONNRESET') return `${what}: it was reset. Try again.`
  return `${what}; a firewall may be in the way.`
}

function isSecure({ plan }: Dialogue): boolean {
  return plan.tls !== 'none'
}

/** TLS begins a moment later on this connection; the event says so at once. */
function announcingTls(context: RetrievalContext): RetrievalContext {
  return { ...context, emit: (event) => context.emit(event.type === 'connected' ? { ...event, tls: true } : event) }
}
