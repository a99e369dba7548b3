import type { Duplex } from 'node:stream'
import { wholeBody } from './body.ts'
import type { Connection } from './connection.ts'
import type { Faults } from './faults.ts'
import { Incoming } from './incoming.ts'
import type { Listener } from './listener.ts'
import { commandLine, recorded } from './request.ts'

/**
 * One connection to a server of your own. Strings hold one char an octet. A write rejects once the client is gone: let
 * it, the server then ends the connection.
 */
export interface ServerConnection {
  /** The connection's own octets, inside TLS, for what the methods below cannot do. */
  readonly stream: Duplex
  readonly tls: boolean
  readonly faults: Faults
  /** The next line without its end, LF or CRLF, which is recorded; undefined once the client ends or is gone. */
  readLine(): Promise<string | undefined>
  /** The next octets; fewer where the client ends before. */
  readOctets(size: number): Promise<string>
  /** Sends a reply, after the `delay` of the faults. */
  send(reply: string): Promise<void>
  /**
   * Sends the content that the client is after, with the `delay` and as far as `resetAfter`, `cutAfter`, `shortBody`
   * and the stalls 'response' and 'body' let it. False: the connection is over, so return.
   */
  sendBody(content: string | Uint8Array): Promise<boolean>
  /** Sends the first reply that `faults.replies` has for one of these keys. False: there is none. */
  sendFault(...keys: readonly string[]): Promise<boolean>
  /** Sends a reply, then begins TLS as the server. Octets that came before are forgotten (RFC 3207, 4.2). */
  startTls(reply: string): Promise<void>
  /** Goes silent until the client closes. */
  stall(): Promise<void>
  /** Ends this side, once everything has been sent. Returning from `serve` does the same. */
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
