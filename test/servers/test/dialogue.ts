import { connect, type Socket } from 'node:net'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { type TestServer, testCa } from '../src/index.ts'

/** A raw client: what it reads is one char an octet. */
export class Dialogue {
  readonly socket: Socket
  error: NodeJS.ErrnoException | undefined
  /** The pieces as they arrived. */
  readonly pieces: string[] = []
  #text = ''
  #ended = false
  #wake: (() => void) | undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.pieces.push(chunk.toString('latin1'))
      this.#text += chunk.toString('latin1')
      this.#wake?.()
    })
    socket.on('error', (error) => {
      this.error = error
    })
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#ended = true
        this.#wake?.()
      })
    }
  }

  static to(server: { readonly host: string; readonly port: number }): Promise<Dialogue> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: server.host, port: server.port, noDelay: true }, () => resolve(dialogue))
      const dialogue = new Dialogue(socket)
      socket.once('error', reject)
    })
  }

  static tls(server: TestServer): Promise<Dialogue> {
    return new Promise((resolve, reject) => {
      const socket: TLSSocket = tlsConnect(
        { host: server.host, port: server.port, ca: testCa, servername: 'localhost' },
        () => resolve(dialogue),
      )
      const dialogue = new Dialogue(socket)
      socket.once('error', reject)
    })
  }

  /** Goes over to TLS, as after AUTH TLS or STARTTLS. */
  async secure(): Promise<Dialogue> {
    this.socket.removeAllListeners('data')
    const socket = tlsConnect({ socket: this.socket, ca: testCa, servername: 'localhost' })
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    return new Dialogue(socket)
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** All up to and including `end`. */
  async until(end: string): Promise<string> {
    while (!this.#text.includes(end)) {
      if (this.#ended) throw new Error(`ended before ${JSON.stringify(end)}: ${JSON.stringify(this.#text)}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const at = this.#text.indexOf(end) + end.length
    const text = this.#text.slice(0, at)
    this.#text = this.#text.slice(at)
    return text
  }

  line(): Promise<string> {
    return this.until('\r\n')
  }

  /** A three-digit reply, with all of its lines. */
  async reply(): Promise<string> {
    let text = await this.line()
    if (text[3] !== '-') return text
    const last = `${text.slice(0, 3)} `
    for (let line = ''; !line.startsWith(last); text += line) line = await this.line()
    return text
  }

  /** Sends a command and gives the reply. */
  ask(command: string): Promise<string> {
    this.send(`${command}\r\n`)
    return this.reply()
  }

  /** A dot-terminated block, as it is on the wire. */
  async block(): Promise<string> {
    let text = ''
    for (let line = ''; line !== '.\r\n'; text += line) line = await this.line()
    return text
  }

  /** All that comes until the server closes, or the error that ended it. */
  async rest(): Promise<string> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const text = this.#text
    this.#text = ''
    return text
  }

  /** The octets of a short while: for tests that show that nothing comes. */
  async within(ms: number): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return this.#text
  }

  close(): void {
    this.socket.destroy()
  }
}

/** One request on a connection of its own. */
export async function exchange(server: TestServer, request: string): Promise<string> {
  const dialogue = await Dialogue.to(server)
  dialogue.send(request)
  const text = await dialogue.rest()
  dialogue.close()
  return text
}
