import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Mode, parseDialogues, type Script, type Step } from './script.ts'
import { Segments } from './segments.ts'

/** The transcript of a player: a script to the one client that comes, or a recording to each connection. */
type Played = { readonly script: Script } | { readonly dialogues: readonly (readonly Step[])[] }

/** A server on loopback that plays a transcript, and notes what does not go by it. */
export class Player implements AsyncDisposable {
  readonly #played: Played
  readonly #mode: Mode
  readonly #control: Server = createServer({ noDelay: true })
  readonly #data: Server = createServer({ noDelay: true })
  readonly #sockets = new Set<Socket>()
  readonly #mismatches: string[] = []
  readonly #runs: Promise<void>[] = []
  #dataSocket: Promise<Socket> | undefined
  #dataPort = 0

  private constructor(played: Played, mode: Mode) {
    this.#played = played
    this.#mode = mode
    this.#data.on('connection', (socket) => {
      this.#keep(socket)
      this.#dataSocket = Promise.resolve(socket)
    })
    this.#control.on('connection', (socket) => {
      this.#keep(socket)
      this.#runs.push(this.#run(socket))
    })
  }

  static start(script: Script, mode: Mode): Promise<Player> {
    return Player.#listening({ script }, mode)
  }

  /**
   * Each connection gets the dialogue that begins with what its client sends, or the first where the server speaks
   * first.
   */
  static replay(recording: string, mode: Mode = 'whole'): Promise<Player> {
    return Player.#listening({ dialogues: parseDialogues(recording) }, mode)
  }

  static async #listening(played: Played, mode: Mode): Promise<Player> {
    const player = new Player(played, mode)
    await Promise.all([player.#control, player.#data].map((server) => listen(server)))
    player.#dataPort = portOf(player.#data)
    return player
  }

  get port(): number {
    return portOf(this.#control)
  }

  /** The script's URL, with this player in the place of {HOST}. */
  get url(): string {
    if (!('script' in this.#played)) throw new TypeError('A recording has no URL; use the port.')
    return this.#played.script.url.replace('{HOST}', `127.0.0.1:${this.port}`)
  }

  /** Everything that was not as written, once all that was begun has been played or has failed; '' if all was. */
  async mismatches(): Promise<string> {
    if (this.#runs.length === 0) await once(this.#control, 'connection')
    await Promise.all(this.#runs)
    return this.#mismatches.join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all([this.#control, this.#data].map((server) => new Promise((closed) => server.close(closed))))
  }

  async #run(socket: Socket): Promise<void> {
    const incoming = new Segments(socket)
    for (const step of await this.#stepsFor(incoming)) {
      if (!(await this.#play(step, socket, incoming))) return
    }
    if (incoming.held !== '') this.#mismatches.push(`after the script the client sent ${JSON.stringify(incoming.held)}`)
    socket.end()
  }

  async #stepsFor(incoming: Segments): Promise<readonly Step[]> {
    if ('script' in this.#played) {
      if (this.#runs.length === 0) return this.#played.script.steps
      this.#mismatches.push('a second connection, which the script does not have')
      return []
    }
    const { dialogues } = this.#played
    const firstLine = dialogues[0]?.[0]?.does === 'expect' ? await incoming.peekLine() : ''
    const chosen = dialogues.find(([first]) => first?.does !== 'expect' || firstLine.startsWith(first.octets))
    if (chosen === undefined) this.#mismatches.push(`no dialogue begins with ${JSON.stringify(firstLine)}`)
    return chosen ?? []
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
        // libuv gives a reset that comes together with data as a plain end (POLLHUP in uv__stream_io): let the data be
        // read.
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
    const port = this.#dataPort
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

/** A transcript: `ftp/vsftpd.txt` is test/protocols/ftp/transcripts/vsftpd.txt. Characters stand for octets. */
export function readTranscript(name: string): string {
  const path = name.replace('/', '/transcripts/')
  return readFileSync(new URL(`../../protocols/${path}`, import.meta.url), 'latin1')
}
