import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Gives a port of 127.0.0.1 at which nothing listens until the test is finished: that of a client's connection. The
 * port of a server that was closed may be given to the server of another test at once.
 */
export async function closedPort(): Promise<number> {
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return Number(client.localPort)
}
