import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A listener that says nothing and counts who comes: for what nobody may connect to. */
export interface Victim extends AsyncDisposable {
  readonly port: number
  readonly connections: number
}

/** Calls back for all that it is told. */
export async function victim(onData = (): void => {}): Promise<Victim> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}).on('data', onData))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.length
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
