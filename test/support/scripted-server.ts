import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A server on a free port of the loopback address whose connections follow a script. */
export interface ScriptedServer {
  readonly port: number
  /** The octets of each client, one a character. */
  readonly received: readonly string[]
  /** Resolves when the connection of the first client has ended, with its octets. */
  readonly ended: Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

/** `answer` gets each chunk of a client, and everything that came before it. The server says `greeting` first. */
export async function startScriptedServer(
  answer: (socket: Socket, received: string) => void,
  greeting: string = '',
): Promise<ScriptedServer> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  let end: (octets: string) => void = () => {}
  const ended = new Promise<string>((resolve) => (end = resolve))
  const server = createServer((socket) => {
    const place = received.push('') - 1
    sockets.add(socket)
    if (greeting !== '') socket.write(greeting)
    socket.on('data', (chunk) => {
      received[place] += chunk.toString('latin1')
      answer(socket, received[place] ?? '')
    })
    socket.on('error', () => {})
    socket.once('close', () => end(received[0] ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: Number(Object(server.address()).port),
    received,
    ended,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
