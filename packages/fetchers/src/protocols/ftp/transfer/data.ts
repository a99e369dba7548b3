import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { Connection } from '../../../wire/transport/connection.ts'
import { RingReader } from '../../../wire/transport/ring-reader.ts'
import { openSocket, readsIntoMemory } from '../../../wire/transport/socket.ts'
import { Lifetime } from '../../../wire/transport/socket-opened.ts'
import { startTls } from '../../../wire/transport/start-tls.ts'
import type { Step } from '../control/pipeline.ts'
import { isPermanent, type Reply, refusedByServer, violation, withReplyTimeout } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'

/**
 * Asks for a port to connect to (RFC 1579): by EPSV (RFC 2428), or by PASV if the server does not know EPSV or its port
 * is dead. The host is always the peer of the control connection: the address in a 227 reply may be a private one
 * behind NAT, or a third host that the server wants to attack (RFC 2577).
 */
export function portStep(retrieval: FtpRetrieval, asked: { port: number | null }): Step {
  const command = retrieval.session.quirks.passive
  const onReply = (reply: Reply): void => {
    asked.port = readPort(retrieval, command, reply)
  }
  // The second reply closes the port of the first.
  return { phase: 'request', command, onReply, onSecondReply: onReply }
}

/** Asks for a port outside a pipeline; by PASV if EPSV gives none. */
export async function askPort(retrieval: FtpRetrieval): Promise<number> {
  const asked: { port: number | null } = { port: null }
  while (asked.port === null) {
    const { phase, command, onReply } = portStep(retrieval, asked)
    onReply(await retrieval.session.control.ask(phase, command))
  }
  return asked.port
}

/** How many milliseconds a server has to answer a prefetching EPSV, while we do not know whether it can. */
const prefetchTimeout = 3000
const silence = 'No reply to a command sent during the transfer.'

/** Returns the port that the previous retrieval asked for. Null if the server names none or cannot be relied upon. */
export async function takePrefetchedPort(
  { session, context }: FtpRetrieval,
  ahead: Promise<Reply>,
): Promise<number | null> {
  const { control, quirks } = session
  const isUntried = quirks.prefetching === undefined
  const pending = isUntried ? withReplyTimeout(context, ahead, prefetchTimeout, silence) : ahead
  const reply = await control.wait('request', pending).catch((error: unknown) => {
    // The server is still there, so it throws away commands that come during a transfer.
    if (isUntried && control.isUsable) quirks.prefetching = false
    throw error
  })
  const port = portIn(reply)
  if (port === undefined || quirks.prefetching === false) return null
  session.prefetchedPort = checkPort(context, port, control.shown(reply))
  return session.prefetchedPort
}

/**
 * Reads the port in the reply. Returns null if EPSV does not work; PASV is then used from now on. Throws if there is no
 * port.
 */
function readPort({ session, context }: FtpRetrieval, command: 'EPSV' | 'PASV', reply: Reply): number | null {
  const isExtended = command === 'EPSV'
  const isRefusal = isExtended && isPermanent(reply)
  if (!isRefusal && reply.code !== (isExtended ? 229 : 227)) {
    // EPSV may have failed only once, and there is no PASV over IPv6.
    session.quirks.passive = session.quirks.preferred
    throw refusedByServer(context, reply, 'a data connection')
  }
  const port = portIn(reply)
  const words = session.control.shown(reply)
  if (port !== undefined) return checkPort(context, port, words)
  if (!isExtended) throw violation(context, `The server names no port in "${words}".`, words)
  session.quirks.passive = 'PASV'
  return null
}

function portIn({ code, text }: Reply): number | undefined {
  if (code === 229) return readExtendedPort(text)
  return code === 227 ? readPassivePort(text) : undefined
}

/** Reads the port in `Entering Extended Passive Mode (|||6446|)`, with any delimiter (RFC 2428 3); IBM i uses `!`. */
export function readExtendedPort(text: string): number | undefined {
  const [, , port] = /\(([!-/:-~])\1\1(\d{1,5})\1\)/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}

const sixOctets = /(\()?(?<![\d,])(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})(?![\d,])(\))?/

/**
 * Reads the port in six octets anywhere in the text, `(127,0,0,1,25,33)` (RFC 959 4.1.2, RFC 1123 4.1.2.6). Some
 * servers leave the brackets out.
 */
export function readPassivePort(text: string): number | undefined {
  const [, open, h1, h2, h3, h4, p1, p2, close] = sixOctets.exec(text) ?? []
  const octets = [h1, h2, h3, h4, p1, p2].map(Number)
  // If a bracket is not closed, the line was cut.
  if (octets.some((octet) => !(octet <= 255)) || (open !== undefined && close === undefined)) return undefined
  return Number(p1) * 256 + Number(p2)
}

/**
 * Refuses ports below 1024: no server offers data there, so such a port aims the client at another service (RFC 2577
 * 3).
 */
function checkPort(context: RetrievalContext, port: number, words: string): number {
  if (port >= 1024 && port <= 65_535) return port
  throw violation(context, `The server offers port ${port} for data; only 1024 to 65535 are dialled.`, words)
}

/**
 * How many milliseconds a port named by EPSV may be silent. Firewalls that do not know EPSV drop its connection, but
 * let that of PASV pass.
 */
const silentPortTimeout = 10_000

/** A connection for one transfer, from the server to the client. */
export class DataConnection {
  /** Rejects with `connect-failed`. */
  readonly opened: Promise<void>
  readonly #retrieval: FtpRetrieval
  readonly #life = new Lifetime()
  readonly #ringReader: RingReader | undefined
  #unlink: () => void = () => {}
  #tellClosed: () => void = () => {}
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void> = new Promise((resolve) => {
    this.#tellClosed = resolve
  })
  #plain: Socket | undefined
  #connection: Connection | undefined

  /** Connects to the peer of the control connection. */
  constructor(retrieval: FtpRetrieval, port: number) {
    this.#retrieval = retrieval
    // TLS begins on the open connection, so it cannot read into memory.
    const isBare = !isSecure(retrieval) && readsIntoMemory(retrieval.context, false)
    this.#ringReader = isBare ? new RingReader({ memory: retrieval.session.ringMemory }) : undefined
    this.opened = this.#open(port)
    // Avoids an unhandledRejection, since the server may refuse the transfer before anybody awaits `opened`.
    this.opened.catch(() => {})
    this.#unlink = retrieval.context.deadline.onAbort(() => this.close())
  }

  /**
   * Starts TLS if the control connection has it, and resumes its TLS session. It is called after the first reply:
   * pyftpdlib resets a connection on which TLS begins before the transfer command (so curl fails there), and no server
   * waits for TLS before it replies.
   */
  async secure(): Promise<void> {
    const { session, plan, context } = this.#retrieval
    const { control } = session
    // The socket's TLS may also be that of an https proxy.
    if (plan.tls === 'none' || !(control.socket instanceof TLSSocket) || this.#plain === undefined) return
    const ticket = control.tlsSessionStore ?? control.socket.getSession()
    const { socket, agreed } = startTls(context, plan, this.#plain, ticket)
    // A TLS 1.3 ticket can be used once, so the next data connection uses the next ticket.
    socket.on('session', (next) => {
      control.tlsSessionStore = next
    })
    this.#connection = new Connection(socket, context)
    await context.deadline.within('tls', () => agreed)
  }

  /** Reads the next octets; null at the end. The next read may overwrite them. */
  async read(): Promise<Uint8Array | null> {
    await this.opened
    if (this.#ringReader !== undefined) return this.#ringReader.read('body', this.#retrieval.context)
    return this.#connection?.read('body') ?? null
  }

  /** Closes the connection at once. A read that is waiting returns null. */
  close(): void {
    this.#unlink()
    this.#tellClosed()
    // Closes TLS before the socket below it: in the other order, Node 20 can crash with a segmentation fault.
    this.#connection?.close()
    this.#life.end('closed')
  }

  async #open(port: number): Promise<void> {
    const { session, context } = this.#retrieval
    const told = isSecure(this.#retrieval) ? announcingTls(context) : context
    const peer = { host: session.address, port, tls: 'none', isFurther: true } as const
    const isUntried = session.quirks.passive === 'EPSV' && !session.quirks.reached
    const timer = isUntried ? setTimeout(() => this.#life.end('silent'), silentPortTimeout) : undefined
    try {
      this.#plain = await openSocket(told, peer, this.#life, this.#ringReader?.onread)
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

/** Says why the data connection failed. Firewalls usually drop packets; the host itself refuses the connection. */
function unreached(port: number, cause: unknown): string {
  const what = `No data connection to port ${port}, which the server offers`
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return `${what}: nothing listens there. Try again.`
  if (code === 'ECONNRESET') return `${what}: it was reset. Try again.`
  return `${what}; a firewall may be in the way.`
}

function isSecure({ plan }: FtpRetrieval): boolean {
  return plan.tls !== 'none'
}

/** Makes a context whose event reports TLS at once, although TLS begins a moment later on this connection. */
function announcingTls(context: RetrievalContext): RetrievalContext {
  return { ...context, emit: (event) => context.emit(event.type === 'connected' ? { ...event, tls: true } : event) }
}
