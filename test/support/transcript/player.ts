import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Mode, Script, Step } from './script.ts'
import { Segments } from './segments.ts'

/** A server on loopback that plays one script to the first client that comes, and notes what does not go by it. */
export class Player implements AsyncDisposable {
  readonly #script: Script
  readonly #mode: Mode
  readonly #control: Server = createServer({ noDelay: true })
  readonly #data: Server = createServer({ noDelay: true })
  readonly #sockets = new Set<Socket>()
  readonly #mismatches: string[] = []
  readonly #done: Promise<void>
  #dataSocket: Promise<Socket> | undefined

  private constructor(script: Script, mode: Mode) {
    this.#script = script
    this.#mode = mode
    for (const server of [this.#control, this.#data]) server.on('connection', (socket) => this.#keep(socket))
    this.#done = this.#run()
  }

  static async start(script: Script, mode: Mode): Promise<Player> {
    const player = new Player(script, mode)
    await Promise.all([player.#control, player.#data].map((server) => listen(server)))
    return player
  }

  /** The script's URL, with this player in the place of {HOST}. */
  get url(): string {
    return this.#script.url.replace('{HOST}', `127.0.0.1:${portOf(this.#control)}`)
  }

  /** Everything that was not as written, once the script has been played or has failed; '' if all was. */
  async mismatches(): Promise<string> {
    await this.#done
    return this.#mismatches.join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all([this.#control, this.#data].map((server) => new Promise((closed) => server.close(closed))))
  }

  async #run(): Promise<void> {
    const [socket] = (await once(this.#control, 'connection')) as [Socket]
    this.#control.on('connection', () => this.#mismatches.push('a second connection, which the script does not have'))
    const incoming = new Segments(socket)
    for (const step of this.#script.steps) {
      if (!(await this.#play(step, socket, incoming))) return
    }
    const left = incoming.held
    if (left !== '') this.#mismatches.push(`after the script the client sent ${JSON.stringify(left)}`)
    socket.end()
  }

  /** False where the dialogue is over. */
  async #play(step: Step, socket: Socket, incoming: Segments): Promise<boolean> {
    switch (step.does) {
      case 'send':
        await this.#send(socket, this.#withPorts(step.octets))
        return true
      case 'expect':
        return this.#expect(step, socket, incoming)
      case 'data':
        await this.#sendData(step.octets)
        return true
      case 'reset data': {
        const data = await this.#acceptData()
        await clientsTurn()
        data.resetAndDestroy()
        return true
      }
      case 'close':
        socket.end()
        return false
      case 'reset':
        // libuv gives a reset that comes together with data as a plain end (POLLHUP in uv__stream_io): let the data be read.
        await clientsTurn()
        await clientsTurn()
        socket.resetAndDestroy()
        return false
      case 'stall':
        await incoming.end
        return false
    }
  }

  async #expect(step: Extract<Step, { does: 'expect' }>, socket: Socket, incoming: Segments): Promise<boolean> {
    const got = await incoming.take(step.octets)
    if (got === step.octets) return true
    if (step.optional && got === '') return false
    const what = got === '' ? 'the end of the connection' : JSON.stringify(got)
    this.#mismatches.push(
      `line ${step.line}: expected ${JSON.stringify(step.octets)}\n${' '.repeat(10)}but got  ${what}`,
    )
    socket.destroy()
    return false
  }

  async #sendData(octets: string): Promise<void> {
    const socket = await this.#acceptData()
    this.#dataSocket = undefined
    await this.#send(socket, octets)
    socket.end()
  }

  #acceptData(): Promise<Socket> {
    return this.#dataSocket ?? once(this.#data, 'connection').then(([socket]) => socket as Socket)
  }

  /** Each piece is a segment of its own: no delay, and the client's turn between two writes. */
  async #send(socket: Socket, octets: string): Promise<void> {
    for (const piece of pieces(octets, this.#mode)) {
      if (socket.destroyed) return
      await new Promise((sent) => socket.write(piece, 'latin1', sent))
      await clientsTurn()
    }
  }

  #withPorts(octets: string): string {
    const port = portOf(this.#data)
    return octets
      .replaceAll('{PORT}', String(port))
      .replaceAll('{P1}', String(port >> 8))
      .replaceAll('{P2}', String(port & 255))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    // The client may leave at any time; what it leaves out is a mismatch, not an error.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    if (socket.localPort === portOf(this.#data)) this.#dataSocket = Promise.resolve(socket)
  }
}

/** Immediates run after the sockets were polled; the second one, after they were polled again. */
async function clientsTurn(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

function pieces(octets: string, mode: Mode): string[] {
  if (mode === 'bytes') return octets.split('')
  return mode === 'split-crlf' ? octets.split(/(?<=\r)(?=\n)/) : [octets]
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function listen(server: Server): Promise<unknown> {
  const listening = once(server, 'listening')
  server.listen(0, '127.0.0.1')
  return listening
}
