/** A Telnet server whose side of the dialogue a test writes. Strings hold one character an octet. */
import { type Faults, type ServerConnection, startServer, type TestServer } from '@retriever/servers'

export interface TelnetPeer {
  readonly connection: ServerConnection
  /** All that the client has sent so far. */
  readonly received: string
  send(octets: string): Promise<void>
  /** Resolves once the client has sent this, behind what was awaited before. Rejects if it ends first. */
  until(octets: string): Promise<void>
  /** Resolves to all that the client has sent, once it ends its side. */
  rest(): Promise<string>
}

interface Settings {
  readonly faults?: Faults
  readonly tls?: boolean
}

/** Starts the server; `play` is called for each connection, which ends when it settles. */
export function scriptedTelnet(
  play: (peer: TelnetPeer) => Promise<unknown>,
  { faults = {}, tls = false }: Settings = {},
): Promise<TestServer> {
  return startServer({
    scheme: 'telnet',
    faults,
    tls,
    async serve(connection) {
      await play(peerOf(connection))
    },
  })
}

function peerOf(connection: ServerConnection): TelnetPeer {
  let received = ''
  let seen = 0
  let hasEnded = false
  let wake = (): void => {}
  const told = (): void => wake()
  connection.stream.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    told()
  })
  const end = (): void => {
    hasEnded = true
    told()
  }
  connection.stream.once('end', end).once('close', end)
  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve))
  return {
    connection,
    get received() {
      return received
    },
    send: (octets) => connection.send(octets),
    async until(octets) {
      while (!received.includes(octets, seen)) {
        if (hasEnded) throw new Error(`The client never sent ${JSON.stringify(octets)}: ${JSON.stringify(received)}`)
        await next()
      }
      seen = received.indexOf(octets, seen) + octets.length
    },
    async rest() {
      while (!hasEnded) await next()
      return received
    },
  }
}

/** A service that resets the connection once it has got the line `x`, with the fault `resetAfter: 0`. */
export async function resetAfterX(peer: TelnetPeer): Promise<void> {
  await peer.send('hello')
  await peer.until('x\r\n')
  await peer.connection.sendBody('bye')
}
