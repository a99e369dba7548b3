import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { RetrievalContext } from '../fetcher.ts'
import { Connection, openSocket, serverAddress } from '../wire/socket.ts'
import type { Dialogue } from './dialogue.ts'
import { startTls } from './secure.ts'

/** One connection for one transfer, from the server to us. */
export class DataConnection {
  readonly #dialogue: Dialogue
  readonly #plain: Socket
  #connection: Connection

  private constructor(dialogue: Dialogue, plain: Socket) {
    this.#dialogue = dialogue
    this.#plain = plain
    this.#connection = new Connection(plain, dialogue.context)
  }

  /** Connects to the control connection's peer. */
  static async open(dialogue: Dialogue, port: number): Promise<DataConnection> {
    const { control, plan, context } = dialogue
    const { socket } = control
    const announced = plan.tls !== 'none' ? announcingTls(context) : context
    const peer = { host: serverAddress(context, socket, plan.host), port, tls: 'none' as const }
    return new DataConnection(dialogue, await openSocket(announced, peer))
  }

  /**
   * Starts TLS where the control connection has it, resuming its session. To be called after the first reply: pyftpdlib resets a
   * connection on which TLS begins before the transfer command (so curl fails there), and no server waits for it before it answers.
   */
  async secure(): Promise<void> {
    const { control, plan, context } = this.#dialogue
    // What is in TLS may also be the way to an https proxy.
    if (plan.tls === 'none' || !(control.socket instanceof TLSSocket)) return
    const session = control.tlsSessionStore ?? control.socket.getSession()
    const { socket, agreed } = startTls(context, plan, this.#plain, session)
    // A ticket of TLS 1.3 serves once: the next data connection takes the next one.
    socket.on('session', (next) => {
      control.tlsSessionStore = next
    })
    this.#connection = new Connection(socket, context)
    await context.deadline.within('tls', () => agreed)
  }

  /** The next octets, or null at the end. */
  read(): Promise<Uint8Array | null> {
    return this.#connection.read('body')
  }

  /** Frees the connection, at once. A read under way gives null. */
  close(): void {
    this.#connection.close()
    this.#plain.destroy()
  }
}

/** TLS begins a moment later on this connection; the event says so at once. */
function announcingTls(context: RetrievalContext): RetrievalContext {
  return { ...context, emit: (event) => context.emit(event.type === 'connected' ? { ...event, tls: true } : event) }
}
