import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that reads one head, writes these octets and ends; `received` is all that came. */
export async function startScripted(octets: string, then: 'end' | 'wait' = 'end') {
  const sockets = new Set<Socket>()
  const received: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let head = ''
    socket.on('data', (chunk) => {
      received.push(chunk.toString('latin1'))
      const before = head.includes('\r\n\r\n')
      head += chunk.toString('latin1')
      if (before || !head.includes('\r\n\r\n')) return
      if (then === 'end') socket.end(octets)
      else socket.write(octets)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ port: (server.address() as AddressInfo).port, received, sockets },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
