import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** The server that a hostile one points to. It notes who comes and what is said, and answers as HTTP does. */
export interface Victim {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** All octets that came, one char each; of each connection at most the first 64 KiB. */
  readonly received: string
  /** From now on demands a login in place of giving its page. */
  demandLogin(): void
  close(): Promise<void>
}

const page = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nvictim'
const demand =
  'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="here"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
const mostOctets = 64 * 1024

/**
 * Starts a victim: on Linux at another address of loopback than the hostile server, elsewhere only at another port,
 * since other systems have no 127.0.0.2 of their own accord.
 */
export async function startVictim(): Promise<Victim> {
  const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
  const talks: string[] = []
  const sockets = new Set<Socket>()
  let answer = page
  const server = createServer((socket) => {
    const talk = talks.push('') - 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      const said = `${talks[talk]}${chunk.toString('latin1')}`.slice(0, mostOctets)
      talks[talk] = said
      if (said.includes('\r\n\r\n')) socket.end(answer)
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    host,
    port: (server.address() as AddressInfo).port,
    get connections() {
      return talks.length
    },
    get received() {
      return talks.join('\n')
    },
    demandLogin() {
      answer = demand
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
