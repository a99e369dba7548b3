import type { Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { isOneLine } from '../framing/lines.ts'
import { receiveError } from './socket-error.ts'
import { startTls } from './start-tls.ts'

/** A connection that is read chunk by chunk. All writes are checked in one place. */
export class Connection {
  #socket: Socket
  readonly #context: RetrievalContext

  constructor(socket: Socket, context: RetrievalContext) {
    this.#socket = socket
    this.#context = context
  }

  /** Binds the same connection to another retrieval. */
  handOver(context: RetrievalContext): Connection {
    return new Connection(this.#socket, context)
  }

  /** True if the connection is open and nobody left octets unread. */
  get isQuiet(): boolean {
    const { readableEnded, readableLength, writable } = this.#socket
    return this.isOpen && !readableEnded && writable && readableLength === 0
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Whether the connection keeps the process alive. */
  keepAlive(isWanted: boolean): void {
    if (isWanted) this.#socket.ref()
    else this.#socket.unref()
  }

  /** Reads the next octets; null at the end of the stream. Reads no further ahead than the socket's own buffer. */
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
   * Reads one octet; null if the connection has ended or broken. The exchange with a proxy uses it: the server's octets
   * follow at once, and none of them may be read.
   */
  async readOctet(phase: Phase): Promise<number | null> {
    const socket = this.#socket
    while (true) {
      const octet = socket.read(1) as Uint8Array | null
      if (octet !== null) return octet[0] ?? null
      if (socket.readableEnded || socket.destroyed) return null
      await this.#context.deadline.within(phase, () => readableOrOver(socket))
    }
  }

  /**
   * Sends one line and adds CRLF. The string holds one octet a character. A line with CR, LF, NUL or a character above
   * U+00FF is `refused`, even if the caller has checked it. Events show `shown` in place of a secret line.
   */
  sendLine(line: string, shown: string = line): Promise<void> {
    return this.sendLines([line], [shown])
  }

  /** Sends several lines at once, as sendLine does. */
  async sendLines(lines: readonly string[], shown: readonly string[] = lines): Promise<void> {
    this.#checkLines(lines)
    await this.#write(`${lines.join('\r\n')}\r\n`, `${shown.join('\r\n')}\r\n`)
  }

  /**
   * Sends one line as sendLine does, but does not wait until the system has taken it. For commands that are sent while
   * answers are read: a server that writes an answer reads nothing, and would wait for the client as the client for it.
   */
  async postLine(line: string, shown: string = line): Promise<void> {
    this.#checkLines([line])
    this.#begin(`${line}\r\n`, `${shown}\r\n`)
  }

  /** Sends octets that may contain line ends (Gopher+ form data). `shown` as in sendLine. */
  async sendMessage(octets: string, shown: string = octets): Promise<void> {
    await this.#write(octets, shown)
  }

  /** Sends octets without an event (SOCKS, whose fields carry their lengths). */
  async sendFrame(octets: string): Promise<void> {
    await this.#write(octets, null)
  }

  #checkLines(lines: readonly string[]): void {
    if (lines.every(isOneLine)) return
    throw this.#context.error('refused', 'A line to be sent holds CR, LF, NUL or a character that is no octet.', {
      phase: 'policy',
    })
  }

  async #write(octets: string, shown: string | null): Promise<void> {
    if (this.#begin(octets, shown)) return
    await this.#context.deadline.within('request', () => drainedOrOver(this.#socket))
  }

  /** Hands octets to the socket. Returns false if it holds more than it should. */
  #begin(octets: string, shown: string | null): boolean {
    const { deadline, emit, url, stopwatch } = this.#context
    deadline.look()
    if (shown !== null) {
      emit({ type: 'sent', url, octets: shown })
      stopwatch?.requested()
    }
    return this.#socket.write(octets, 'latin1')
  }

  /**
   * Begins TLS on this connection after the server agreed to it in the clear (STARTTLS, RFC 2595 3.1). The certificate
   * must be that of `host`. If the connection has a `reader`, it must hold no octets: octets sent in the clear must not
   * pass for octets sent through TLS, so they are `protocol-violation`. Also rejects with `certificate`, `tls-failed`
   * or `timeout`.
   */
  async startTls(
    peer: { readonly host: string; readonly port: number },
    reader?: { readonly holds: boolean },
  ): Promise<void> {
    if (this.#socket.readableLength > 0 || reader?.holds) {
      const message = 'Octets came before TLS had begun; the connection was closed.'
      this.close()
      throw this.#context.error('protocol-violation', message)
    }
    const { socket, agreed } = startTls(this.#context, peer, this.#socket)
    this.#socket = socket
    await this.#context.deadline.within('tls', () => agreed)
  }

  /** Ends the connection once the system has taken the octets that were sent. Reads nothing more. */
  end(): void {
    this.#socket.destroySoon()
  }

  /** Ends the connection at once. */
  close(): void {
    this.#socket.destroy()
  }
}

function readableOrOver(socket: Socket): Promise<void> {
  return anyOf(socket, ['readable', 'end', 'error', 'close'])
}

/** Waits for `drain` or the end: a socket that has ended never drains. The next read tells why it ended. */
async function drainedOrOver(socket: Socket): Promise<void> {
  if (socket.writable) await anyOf(socket, ['drain', 'error', 'close'])
}

function anyOf(socket: Socket, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      for (const event of events) socket.off(event, wake)
      resolve()
    }
    for (const event of events) socket.on(event, wake)
  })
}
