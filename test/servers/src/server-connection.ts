import type { Duplex } from 'node:stream'
import { wholeBody } from './body.ts'
import type { Connection } from './connection.ts'
import type { Faults } from './faults.ts'
import { Incoming } from './incoming.ts'
import type { Listener } from './listener.ts'
import { commandLine, recorded } from './request.ts'

/**
 * One connection to your own server. Strings hold one char an octet. A write rejects once the client is gone: do not
 * catch that, and the server ends the connection.
 */
export interface ServerConnection {
  /** The connection's octets, within TLS, for what the methods below cannot do. */
  readonly stream: Duplex
  readonly tls: boolean
  readonly faults: Faults
  /** The next line without its end, LF or CRLF; undefined once the client ends or is gone. Lines are recorded. */
  readLine(): Promise<string | undefined>
  /** The next `size` octets, or fewer if the client ends before. */
  readOctets(size: number): Promise<string>
  /** Waits for the `delay` of the faults, then sends a reply. */
  send(reply: string): Promise<void>
  /**
   * Waits for the `delay`, then sends the content that the client wants, as far as `resetAfter`, `cutAfter`,
   * `shortBody` and the stalls 'response' and 'body' allow. If it resolves to false, the connection is over, so return.
   */
  sendBody(content: string | Uint8Array): Promise<boolean>
  /** Sends the first reply that `faults.replies` has for one of these keys. Resolves to false if there is none. */
  sendFault(...keys: readonly string[]): Promise<boolean>
  /** Sends a reply, then begins TLS as the server. Octets that came before are forgotten (RFC 3207, 4.2). */
  startTls(reply: string): Promise<void>
  /** Stays silent until the client closes. */
  stall(): Promise<void>
  /** Ends this side once everything has been sent. Returning from `serve` has the same effect. */
  end(): Promise<void>
}

export function serverConnection(connection: Connection, server: Listener): ServerConnection {
  const incoming = new Incoming(connection.stream, (line) => server.record(recorded(connection, commandLine(line))))
  return {
    get stream() {
      return connection.stream
    },
    get tls() {
      return connection.tls
    },
    get faults() {
      return connection.faults
    },
    readLine: () => incoming.line(),
    readOctets: (size) => incoming.octets(size),
    send: (reply) => connection.send(reply),
    async sendBody(content) {
      if (connection.faults.stall === 'response') {
        await connection.stall()
        return false
      }
      await connection.delay()
      return connection.sendBody(wholeBody(content))
    },
    sendFault: (...keys) => connection.sendFault(...keys),
    async startTls(reply) {
      incoming.stop()
      await connection.send(reply)
      await connection.flown()
      connection.secure()
      incoming.attach(connection.stream)
    },
    stall: () => connection.stall(),
    end: () => connection.end(),
  }
}
