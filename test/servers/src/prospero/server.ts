import type { RemoteInfo, Socket } from 'node:dgram'
import { type Check, type Checks, checkOptions, count, flag } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { UdpListener } from '../tftp/udp-listener.ts'
import { answerTo } from './answers.ts'
import {
  type ClientPacket,
  firstHeader,
  keyOf,
  laterHeader,
  optionPacket,
  piecesOf,
  readPacket,
  redirectFields,
  uint16,
  waitPacket,
  windowSize,
} from './ardp.ts'
import { type SeedObject, seedObjects } from './seed.ts'
import { tokensOf } from './tokens.ts'

export interface ProsperoServerOptions extends Omit<ServerOptions, 'tls'> {
  /** The port on 127.0.0.1 that access methods of FTP name. Default 2121. */
  readonly ftpPort?: number
  /** The port on 127.0.0.1 that access methods of Gopher name. Default 7070. */
  readonly gopherPort?: number
  /** How many requests are lost before the first is heard. Default 0. */
  readonly losesRequests?: number
  /** The packet of an answer, counted from 1, whose first sending is lost. Default 0: none. */
  readonly loses?: number
  /** Whether the packets of a window come in reverse order. Default false. */
  readonly reorders?: boolean
  /** Whether each packet comes twice. Default false. */
  readonly duplicates?: boolean
  /**
   * Whether forged answers come first: one with another connection id, and one with the right id from another address.
   * Default false.
   */
  readonly forges?: boolean
  /** Whether packets that are sent again have the octets of the connection id swapped. Default false. */
  readonly swapsId?: boolean
  /** Whether answers come from another port of the same address. Default false. */
  readonly answersElsewhere?: boolean
  /** The first answer to a request asks the client to wait this many seconds. Default 0: no wait. */
  readonly waits?: number
  /** Each request is redirected to this port of 127.0.0.1 (ARDP option 4). Default 0: none. */
  readonly redirects?: number
  /** Whether requests are refused (ARDP option 1). Default false. */
  readonly refuses?: boolean
  /** Whether an answer never ends. Default false. */
  readonly endless?: boolean
  /** Whether each packet ends with a NUL, as before 1994. Default false. */
  readonly appendsNul?: boolean
}

const { tls: _tls, ...checks } = serverChecks
export const prosperoChecks: Checks<ProsperoServerOptions> = {
  ...checks,
  ftpPort: count as Check,
  gopherPort: count as Check,
  losesRequests: count as Check,
  loses: count as Check,
  reorders: flag,
  duplicates: flag,
  forges: flag,
  swapsId: flag,
  answersElsewhere: flag,
  waits: count as Check,
  redirects: count as Check,
  refuses: flag,
  endless: flag,
  appendsNul: flag,
}

/** A read-only Prospero server (protocol version 5 over ARDP and UDP). */
export async function startProsperoServer(options: ProsperoServerOptions = {}): Promise<TestServer> {
  checkOptions('startProsperoServer', options, prosperoChecks)
  const service = new Service(options)
  const server = new UdpListener('prospero', options, (octets, from, listener) => {
    const packet = readPacket(octets)
    if (packet !== undefined) service.take(packet, from, listener)
  })
  return server.listen(options.port ?? 0)
}

/** A request, and how much of the answer the client has. */
interface Request {
  readonly parts: Map<number, string>
  /** The pieces of the answer; empty until the request is complete. */
  pieces: readonly string[]
  /** The number of the last packet that was sent. */
  sent: number
  /** Whether the packet of `loses` has been lost. */
  isLost: boolean
}

/** The most requests that are kept. If a client never ends its request, others push it out. */
const requestsKept = 256

class Service {
  readonly #options: ProsperoServerOptions
  readonly #objects: ReadonlyMap<string, SeedObject>
  /** The latest requests, by address and connection id. */
  readonly #requests = new Map<string, Request>()
  #heard = 0
  /** The socket for `answersElsewhere`. */
  #elsewhere: Socket | null = null

  constructor(options: ProsperoServerOptions) {
    this.#options = options
    this.#objects = seedObjects({ ftp: options.ftpPort ?? 2121, gopher: options.gopherPort ?? 7070 })
  }

  take(packet: ClientPacket, from: RemoteInfo, server: UdpListener): void {
    const key = keyOf(from, packet.id)
    if (packet.isCancelled) {
      this.#requests.delete(key)
      return
    }
    const { losesRequests = 0, redirects = 0, refuses, waits = 0 } = this.#options
    if (packet.number > 0 && this.#heard++ < losesRequests) return
    if (this.#options.answersElsewhere && this.#elsewhere === null) {
      this.#elsewhere = server.newSocket()
      server.track(this.#elsewhere)
    }
    const wire = new Wire(this.#options, packet.id, from, server, this.#elsewhere)
    const known = this.#requests.get(key)
    if (packet.number === 0) {
      if (known !== undefined) this.#acknowledged(known, packet.through, wire)
      return
    }
    if (refuses) wire.send(optionPacket(packet.id, 1))
    else if (redirects > 0) wire.send(optionPacket(packet.id, 4, redirectFields('127.0.0.1', redirects)))
    else if (known !== undefined && known.pieces.length > 0) this.#again(known, packet.through, wire)
    else if (waits > 0 && known === undefined) {
      this.#keep(key, packet)
      wire.send(waitPacket(packet.id, waits))
    } else this.#begin(this.#keep(key, packet), packet.total, wire, server)
  }

  /** Stores a packet of a request. */
  #keep(key: string, { number, data }: ClientPacket): Request {
    const request = this.#requests.get(key) ?? { parts: new Map(), pieces: [], sent: 0, isLost: false }
    this.#requests.set(key, request)
    request.parts.set(number, data)
    for (const oldest of this.#requests.keys()) {
      if (this.#requests.size <= requestsKept) break
      this.#requests.delete(oldest)
    }
    return request
  }

  /** Sends the first window of the answer once the request is complete. */
  #begin(request: Request, total: number, wire: Wire, server: UdpListener): void {
    if (request.parts.size < total) return
    const text = Array.from({ length: total }, (_, at) => request.parts.get(at + 1) ?? '').join('')
    const pieces = this.#answer(text, server)
    if (pieces === null) return
    request.pieces = pieces
    this.#window(request, wire, true)
  }

  /** The pieces of the answer; null if there is no answer. */
  #answer(text: string, server: UdpListener): readonly string[] | null {
    const commands = tokensOf(text).filter(([word]) => word !== 'VERSION' && word !== 'AUTHENTICATE')
    const line = commands.map((tokens) => tokens.join(' ')).join(' | ')
    const [verb = '', ...rest] = commands.at(-1) ?? []
    server.record(line, verb, rest[2] ?? '')
    const { stall } = server.faults
    if (stall === 'greeting' || stall === 'response') return null
    const raw = server.state.reply(line, verb)
    return piecesOf(raw ?? answerTo(text, this.#objects))
  }

  #window(request: Request, wire: Wire, isFirst: boolean): void {
    const { pieces, sent } = request
    const total = this.#options.endless ? Number.MAX_SAFE_INTEGER : pieces.length
    const end = Math.min(sent + windowSize, total)
    const numbers = Array.from({ length: end - sent }, (_, at) => sent + at + 1)
    for (const number of this.#options.reorders ? numbers.toReversed() : numbers) {
      if (wire.isStalled && number > total / 2) continue
      const isLost = number === this.#options.loses && !request.isLost
      request.isLost ||= isLost
      const piece = pieces[number - 1] ?? pieces[0] ?? ''
      if (!isLost)
        wire.piece(isFirst ? firstHeader(wire.id, number, total) : laterHeader(wire.later, number, total), piece)
    }
    request.sent = end
  }

  /** The client has all packets up to `through`. Sends the rest again, or the next window. */
  #acknowledged(request: Request, through: number, wire: Wire): void {
    const isAgain = through < request.sent
    if (isAgain) request.sent = through
    if (through < request.pieces.length || this.#options.endless) this.#window(request, wire, !isAgain)
  }

  /** Answers a request that the client has repeated. */
  #again(request: Request, through: number, wire: Wire): void {
    request.sent = through
    this.#window(request, wire, false)
  }
}

/** Sends packets to one client, and plays the faults of the server. */
class Wire {
  readonly id: string
  readonly #options: ProsperoServerOptions
  readonly #from: RemoteInfo
  readonly #server: UdpListener
  readonly #socket: Socket | null

  constructor(
    options: ProsperoServerOptions,
    id: string,
    from: RemoteInfo,
    server: UdpListener,
    elsewhere: Socket | null,
  ) {
    this.#options = options
    this.id = id
    this.#from = from
    this.#server = server
    this.#socket = elsewhere
  }

  /** The connection id in packets that are sent again. */
  get later(): string {
    return this.#options.swapsId ? `${this.id[1]}${this.id[0]}` : this.id
  }

  get isStalled(): boolean {
    return this.#server.faults.stall === 'body'
  }

  piece(header: string, piece: string): void {
    if (this.#options.forges) this.#forge()
    const octets = header + piece + (this.#options.appendsNul ? '\0' : '')
    this.send(octets)
    if (this.#options.duplicates) this.send(octets)
  }

  send(octets: string): void {
    const buffer = Buffer.from(octets, 'latin1')
    const { port, address } = this.#from
    if (this.#socket === null) this.#server.send(buffer, port, address)
    else this.#socket.send(buffer, port, address)
  }

  /** Sends another id from the right place, and the right id from another address. */
  #forge(): void {
    const other = uint16((Buffer.from(this.id, 'latin1').readUInt16BE() + 1) & 0xffff)
    this.send(`\x03${other}FAILURE NOT-FOUND\n`)
    const elsewhere = this.#server.newSocket()
    const { port, address } = this.#from
    elsewhere.bind({ address: '127.0.0.3' }, () => {
      const forged = Buffer.from(`\x03${this.id}FAILURE NOT-FOUND\n`, 'latin1')
      elsewhere.send(forged, port, address, () => elsewhere.close())
    })
  }
}
