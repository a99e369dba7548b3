import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { field, readLoosely } from './fields.ts'

/** The octets that freeWAIS writes at once: the buffer of C's standard streams. */
const blockSize = 4096

/**
 * A server on loopback that writes an answer as freeWAIS does, and that keeps all behind the first write back until the
 * client sends something, as Nagle's algorithm does before an acknowledgement. There is no delayed acknowledgement, so
 * a client that sends nothing gets no more; the last piece comes whole.
 */
export class NagleServer implements AsyncDisposable {
  readonly #server: Server = createServer({ noDelay: false })
  readonly #sockets = new Set<Socket>()
  readonly #content: Buffer
  /** The first octets and the ends of the pieces that were asked for. */
  readonly asked: (readonly [start: number, end: number])[] = []
  /** How many requests came before the answer to the one before them had begun. */
  early = 0

  private constructor(content: Buffer) {
    this.#content = content
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      this.#serve(socket).catch(() => socket.destroy())
    })
  }

  static async start(content: Buffer): Promise<NagleServer> {
    const server = new NagleServer(content)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `wais://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async #serve(socket: Socket): Promise<void> {
    let held = ''
    let rest: Buffer[] = []
    for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
      held += chunk
      for (const block of rest) socket.write(block)
      rest = []
      const size = 25 + Number(held.slice(0, 10))
      if (held.length < 25 || held.length < size) continue
      // What came behind the request is lost, and the connection with it.
      if (held.length > size) {
        this.early++
        return void socket.destroy()
      }
      const request = readLoosely(held)
      held = ''
      if (request?.kind !== 'document') return void socket.destroy()
      const { start, end } = request
      this.asked.push([start, end])
      const text = this.#content.toString('latin1', start, end)
      const blocks = blocksOf(Buffer.from(answerOf(field(153, field(127, text))), 'latin1'))
      const isLast = end >= this.#content.length
      rest = isLast ? [] : blocks.splice(1)
      for (const block of blocks) socket.write(block)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((closed) => this.#server.close(closed))
  }
}

/** The answer with these records, one octet a character. */
export function answerOf(records: string): string {
  const apdu = `\0\x0e\x17\0\0\0\0\0\0\x01\0\0\0\x1b\x01\0${field(99, records)}`
  return `${String(apdu.length).padStart(10, '0')}z2wais        0${apdu}`
}

function blocksOf(octets: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(octets.length / blockSize) }, (_, at) =>
    octets.subarray(at * blockSize, (at + 1) * blockSize),
  )
}
