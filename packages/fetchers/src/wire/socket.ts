import { once } from 'node:events'
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Phase, TlsMode } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { connectError, receiveError } from './socket-error.ts'

export interface Peer {
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
}

/**
 * Opens a connection under the deadline: both address families in turn (RFC 8305, by Node), TLS where the plan says `implicit`.
 * Rejects with host-not-found, connect-failed, certificate, tls-failed or timeout.
 */
export async function openConnection(context: RetrievalContext, peer: Peer): Promise<Connection> {
  const socket = await openSocket(context, peer)
  return new Connection(socket, context)
}

/**
 * The bare socket of openConnection, for a library that wants one. It is destroyed when the deadline's signal aborts, or that
 * of `lifetime`, where the connection is to outlive its retrieval. `onread` is where the octets of a connection without TLS go.
 */
export async function openSocket(
  context: RetrievalContext,
  peer: Peer,
  lifetime: AbortSignal = context.deadline.signal,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { deadline } = context
  const secure = peer.tls === 'implicit'
  const options = { host: peer.host, port: peer.port, noDelay: true }
  const socket = await deadline.within('connect', async () => {
    const opening = secure
      ? connectTls({
          ...options,
          // SNI carries names only (RFC 6066 3), and no trailing dot.
          ...(isIP(peer.host) ? {} : { servername: peer.host.replace(/\.$/, '') }),
          ...(context.tls.ca === undefined ? {} : { ca: context.tls.ca }),
          // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no say.
          rejectUnauthorized: context.tls.insecure !== true,
        })
      : connectTcp(onread === undefined ? options : { ...options, onread })
    destroyOnAbort(opening, lifetime)
    try {
      await once(opening, secure ? 'secureConnect' : 'connect', { signal: lifetime })
      return opening
    } catch (cause) {
      opening.destroy()
      throw connectError(context, peer, cause)
    }
  })
  // An error while nobody reads is kept by the socket and met by the next read; it must not end the process.
  socket.on('error', () => {})
  context.emit({
    type: 'connected',
    url: context.url,
    address: socket.remoteAddress ?? peer.host,
    port: socket.remotePort ?? peer.port,
    tls: secure,
  })
  return socket
}

function destroyOnAbort(socket: Socket, signal: AbortSignal): void {
  const destroy = (): void => {
    socket.destroy()
  }
  if (signal.aborted) destroy()
  signal.addEventListener('abort', destroy, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', destroy))
}

/** A connection that is read by pulling and written through one guarded door. */
export class Connection {
  readonly #socket: Socket
  readonly #context: RetrievalContext

  constructor(socket: Socket, context: RetrievalContext) {
    this.#socket = socket
    this.#context = context
  }

  /** The next octets, or null at the end of the stream. Nothing is read ahead beyond the socket's own buffer. */
  read(phase: Phase): Promise<Uint8Array | null> {
    const chunk = this.#socket.read() as Uint8Array | null
    if (chunk !== null) return Promise.resolve(chunk)
    return this.#context.deadline.within(phase, () => this.#nextChunk())
  }

  async #nextChunk(): Promise<Uint8Array | null> {
    const socket = this.#socket
    while (true) {
      const chunk = socket.read() as Uint8Array | null
      if (chunk !== null) return chunk
      if (socket.errored !== null) throw receiveError(this.#context, socket.errored)
      if (socket.readableEnded || socket.destroyed) return null
      await readableOrOver(socket)
    }
  }

  /**
   * Sends one line. Strings hold one octet a character; anything that would make the line two (CR, LF, NUL inside) or that
   * is no octet at all is refused here, whatever was checked before. `shown` stands for it in events where it is secret.
   */
  async sendLine(line: string, shown: string = line): Promise<void> {
    if (/[\r\n\0]|[^\0-\xFF]/.test(line)) {
      throw this.#context.error('refused', 'A line to be sent holds CR, LF, NUL or a character that is no octet.', {
        phase: 'policy',
      })
    }
    await this.#write(`${line}\r\n`, `${shown}\r\n`)
  }

  /** Sends octets that form a whole message of their own, line ends included: Gopher+ form data. */
  async sendMessage(octets: string): Promise<void> {
    await this.#write(octets, octets)
  }

  async #write(octets: string, shown: string): Promise<void> {
    const { deadline, emit, url } = this.#context
    emit({ type: 'sent', url, octets: shown })
    if (this.#socket.write(octets, 'latin1')) return
    await deadline.within('request', () => drainedOrOver(this.#socket))
  }

  /** Ends the connection and frees it, at once. */
  close(): void {
    this.#socket.destroy()
  }
}

function readableOrOver(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const events = ['readable', 'end', 'error', 'close'] as const
    const wake = (): void => {
      for (const event of events) socket.off(event, wake)
      resolve()
    }
    for (const event of events) socket.on(event, wake)
  })
}

/** A socket that has ended never drains; what became of it, the next read tells. */
function drainedOrOver(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (!socket.writable) return resolve()
    const events = ['drain', 'error', 'close'] as const
    const wake = (): void => {
      for (const event of events) socket.off(event, wake)
      resolve()
    }
    for (const event of events) socket.on(event, wake)
  })
}
