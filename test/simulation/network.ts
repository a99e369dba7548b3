import { Duplex } from 'node:stream'
import type { ConnectTarget } from '@retriever/fetchers/internal'
import type { Random } from '../fuzz/random.ts'
import type { VirtualClock } from './clock.ts'

/** The server's end of a connection. Octets are characters. */
export interface Peer {
  /** Returns false if the connection has broken, so that not all of this will come. */
  send(octets: string): boolean
  end(): void
}

/** Gets a connection, and gives what to call with the octets of its client. */
export type Server = (peer: Peer) => (octets: string) => void

/** A fault of the network, once so many octets have come from servers, or at a connection of this number. */
export interface Trouble {
  readonly kind: 'none' | 'fin' | 'reset' | 'stall' | 'refuse' | 'silent'
  readonly at: number
  /** How often, and how many octets or connections further on each further time. */
  readonly times: number
  readonly gap: number
  /** True: the connection breaks when the next octet is due, and not right behind the one before. */
  readonly isLate: boolean
  /** True: all connections of that host break. */
  readonly isOfHost: boolean
}

export const noTrouble: Trouble = { kind: 'none', at: 0, times: 0, gap: 1, isLate: false, isOfHost: false }

/** How octets are cut on their way, and how long they take. */
export interface Pace {
  readonly cuts: 'none' | 'some' | 'all' | 'lines'
  readonly delays: readonly number[]
}

/** The client's end of a connection. */
export class VirtualSocket extends Duplex {
  readonly #line: Line
  #timer: NodeJS.Timeout | undefined

  constructor(line: Line) {
    super({ allowHalfOpen: false, decodeStrings: false })
    this.#line = line
  }

  override _read(): void {}

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#timer?.refresh()
    this.#line.toServer(typeof chunk === 'string' ? chunk : chunk.toString('latin1'))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    done(error)
  }

  arrive(octets: string | null): void {
    this.#timer?.refresh()
    if (!this.destroyed) this.push(octets === null ? null : Buffer.from(octets, 'latin1'))
  }

  setTimeout(milliseconds: number): this {
    clearTimeout(this.#timer)
    this.#timer = milliseconds > 0 ? setTimeout(() => this.emit('timeout'), milliseconds) : undefined
    return this
  }
}

/** A connection: what is under way arrives in order. */
class Line implements Peer {
  readonly host: string
  readonly port: number
  readonly socket = new VirtualSocket(this)
  readonly #network: Network
  readonly #receive: (octets: string) => void
  readonly #under = { client: 0, server: 0 }
  /** True: the server's end sends nothing more. */
  #isOver = false

  constructor(network: Network, host: string, port: number, server: Server) {
    this.#network = network
    this.host = host
    this.port = port
    this.#receive = server(this)
  }

  toServer(octets: string): void {
    this.#network.note(this, '>', octets)
    this.#later('server', () => {
      if (!this.#isOver && !this.socket.destroyed) this.#receive(octets)
    })
  }

  send(octets: string): boolean {
    if (this.#isOver) return false
    const whole = octets.slice(0, this.#network.allows(octets.length))
    for (const piece of this.#network.cut(whole)) this.#later('client', () => this.#arrive(piece))
    this.#network.sent(this, whole.length, whole.length < octets.length)
    return !this.#isOver
  }

  end(): void {
    if (!this.#isOver) this.#later('client', () => this.#arrive(null))
    this.#isOver = true
  }

  /** Breaks the connection in the way of a trouble. */
  strike(kind: Trouble['kind']): void {
    if (this.#isOver) return
    this.#network.note(this, '!', kind)
    this.#isOver = true
    if (kind === 'fin') this.#later('client', () => this.#arrive(null))
    if (kind === 'reset') this.#later('client', () => this.socket.destroy(failure('read', 'ECONNRESET')))
  }

  #arrive(piece: string | null): void {
    this.#network.note(this, '<', piece ?? '(end)')
    this.socket.arrive(piece)
  }

  #later(to: 'client' | 'server', run: () => void): void {
    const { clock } = this.#network
    this.#under[to] = Math.max(this.#under[to], clock.now + this.#network.delay())
    clock.after(this.#under[to] - clock.now, run)
  }
}

/** An error of the system. */
function failure(syscall: string, code: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
}

/** Servers by host and port, and the connections to them. */
export class Network {
  readonly clock: VirtualClock
  readonly lines: Line[] = []
  readonly servers = new Map<string, Server>()
  /** The octets that each host got, and the most connections that it had. */
  readonly received = new Map<string, string>()
  readonly most = new Map<string, number>()
  /** How many octets servers have sent, and how many connections were made. */
  octets = 0
  connections = 0
  /** What happened, if a reader wants it. */
  log: string[] | null = null
  readonly #random: Random
  readonly #pace: Pace
  readonly #trouble: Trouble
  #left: number
  #next: number

  constructor(clock: VirtualClock, random: Random, pace: Pace, trouble: Trouble) {
    this.clock = clock
    this.#random = random
    this.#pace = pace
    this.#trouble = trouble
    this.#left = trouble.times
    this.#next = trouble.at
  }

  /** Connects a client (ClientOptions.connect). */
  connect({ host, port }: Pick<ConnectTarget, 'host' | 'port'>): Promise<VirtualSocket> {
    const { kind } = this.#trouble
    const isStruck = (kind === 'refuse' || kind === 'silent') && this.#left > 0 && this.connections >= this.#next
    this.connections++
    if (isStruck) this.#strike(this.connections)
    return new Promise((resolve, reject) => {
      if (isStruck && kind === 'silent') return
      this.clock.after(this.delay(), () => {
        const server = this.servers.get(`${host}:${port}`)
        if (server === undefined || isStruck) return reject(failure('connect', 'ECONNREFUSED'))
        const line = new Line(this, host, port, server)
        this.lines.push(line)
        const now = this.lines.filter((each) => each.host === host && each.port === port && !each.socket.destroyed)
        this.most.set(`${host}:${port}`, Math.max(now.length, this.most.get(`${host}:${port}`) ?? 0))
        resolve(line.socket)
      })
    })
  }

  /** The connections that clients have not closed. */
  get open(): number {
    return this.lines.filter(({ socket }) => !socket.destroyed).length
  }

  delay(): number {
    return this.#random.pick(this.#pace.delays)
  }

  cut(octets: string): readonly string[] {
    if (octets === '') return []
    const { cuts } = this.#pace
    if (cuts === 'none') return [octets]
    if (cuts === 'all') return octets.split('')
    if (cuts === 'lines') return octets.split(/(?<=\r)(?=\n)|(?<=\n)/)
    const at = this.#random.below(octets.length)
    return at === 0 ? [octets] : [octets.slice(0, at), octets.slice(at)]
  }

  /** How many of so many octets can be sent before something goes wrong. */
  allows(length: number): number {
    return this.#breaks ? Math.min(length, this.#next - this.octets) : length
  }

  sent(line: Line, length: number, isCut: boolean): void {
    this.octets += length
    const { kind, isLate, isOfHost } = this.#trouble
    if (!isCut && (isLate || !this.#breaks || this.octets < this.#next)) return
    this.#strike(this.octets)
    for (const each of isOfHost ? this.lines.filter(({ host }) => host === line.host) : [line]) each.strike(kind)
  }

  note({ host, port }: Line, mark: string, what: string): void {
    if (mark === '>') this.received.set(host, (this.received.get(host) ?? '') + what)
    if (this.log === null) return
    const place = `${this.clock.now} ${host}:${port} ${mark} `
    const last = this.log.at(-1)
    if (mark === '<' && last?.startsWith(`${place}"`))
      this.log.splice(-1, 1, last.slice(0, -1) + JSON.stringify(what).slice(1))
    else this.log.push(place + JSON.stringify(what))
  }

  get #breaks(): boolean {
    const { kind } = this.#trouble
    return this.#left > 0 && (kind === 'fin' || kind === 'reset' || kind === 'stall')
  }

  #strike(count: number): void {
    this.#left--
    this.#next = count + this.#trouble.gap
  }
}
