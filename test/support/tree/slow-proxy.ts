import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A request that has passed, and the status with which it was answered; null while no answer has come. */
export interface Passed {
  readonly path: string
  /** The first octet of its Range; null without one. */
  readonly from: number | null
  status: number | null
}

const piece = 16 * 1024

/** A slow line to an HTTP/1.1 server. It records requests, and stands still after as many octets as it is told. */
export class SlowProxy implements AsyncDisposable {
  readonly passed: Passed[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #left = Number.POSITIVE_INFINITY

  private constructor(port: number) {
    this.#server = createServer({ noDelay: true }, (client) => this.#join(client, connect(port, '127.0.0.1')))
  }

  static async to(port: number): Promise<SlowProxy> {
    const proxy = new SlowProxy(port)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
  }

  /** Lets so many more octets go to clients, about: then each answer stands still until its client has gone. */
  allow(octets: number): void {
    this.#left = octets
  }

  #join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => this.#sockets.delete(socket))
    }
    client.once('close', () => server.destroy())
    const waiting: Passed[] = []
    let head = ''
    client.on('data', (chunk) => {
      const heads = (head + chunk.toString('latin1')).split('\r\n\r\n')
      head = heads.pop() ?? ''
      for (const each of heads) waiting.push(this.#pass(each))
      server.write(chunk)
    })
    // The client is killed in the middle of answers.
    this.#send(server, client, waiting).catch(() => client.destroy())
  }

  #pass(head: string): Passed {
    const path = /^GET (\S+)/.exec(head)?.[1] ?? ''
    const range = /^range: bytes=(\d+)-/im.exec(head)?.[1]
    const passed: Passed = { path, from: range === undefined ? null : Number(range), status: null }
    this.passed.push(passed)
    return passed
  }

  /** Each answer begins a chunk, and no body has its first words. */
  async #send(server: Socket, client: Socket, waiting: Passed[]): Promise<void> {
    try {
      for await (const chunk of server as AsyncIterable<Buffer>) {
        for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          const answered = waiting.shift()
          if (answered !== undefined) answered.status = Number(status)
        }
        for (let at = 0; at < chunk.length; at += piece) {
          const next = chunk.subarray(at, at + piece)
          await new Promise<void>((resolve, reject) => {
            client.write(next, (error) => (error ? reject(error) : resolve()))
          })
          this.#left -= next.length
          if (this.#left <= 0 && !client.destroyed) await once(client, 'close')
          await setTimeout(4)
        }
      }
    } finally {
      client.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
