import type { RetrievalContext } from '../contract/fetcher.ts'
import { Connection } from './transport/connection.ts'
import type { Peer } from './transport/dial.ts'
import { openSessionSocket } from './transport/socket.ts'

/** How many milliseconds a peer has to take the last octets. */
const grace = 1000

/** A connection that sends a farewell before it ends: at the end of the body, on errors, aborts and time limits. */
export class LeavingConnection {
  readonly connection: Connection
  /** The octets to send before the connection ends. Null: none. */
  farewell: string | null = null
  #isClosed = false
  readonly #forget: () => void

  /** Connects as openConnection does. */
  static async open(context: RetrievalContext, peer: Peer): Promise<LeavingConnection> {
    return new LeavingConnection(new Connection(await openSessionSocket(context, peer), context), context)
  }

  constructor(connection: Connection, { deadline }: RetrievalContext) {
    this.connection = connection
    this.#forget = deadline.onAbort(() => this.close())
  }

  /** Ends the connection. Only the first call counts. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    // The deadline may end the connection before `#forget` is set.
    this.#forget?.()
    const { connection, farewell } = this
    if (farewell === null || !connection.isOpen) {
      connection.close()
      return
    }
    void connection.sendFrame(farewell).catch(() => {})
    connection.end()
    setTimeout(() => connection.close(), grace).unref()
  }
}
