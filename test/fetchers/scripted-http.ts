import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { testCertificate, testKey } from '../servers/src/certificate.ts'

/**
 * How an answer ends: `keep` leaves the connection open, `fin` closes it well (with close_notify in TLS), `reset` by RST, `cut` is a FIN
 * without close_notify, as whoever sits on the line can forge one.
 */
export type Ending = 'keep' | 'fin' | 'reset' | 'cut'

export interface Reply {
  /** One octet a character. */
  readonly octets: string
  /** Default: keep. */
  readonly end?: Ending
}

/** What a server says to one request; `count` is its number, from 0. */
export type HttpScript = (head: string, count: number) => Reply | string | undefined

/** How answers are cut into segments: whole, one octet each, or lengths over and over. */
export type Segments = 'whole' | 'bytes' | readonly number[]

export interface ScriptedHttpOptions {
  readonly segments?: Segments
  readonly tls?: boolean | { readonly cert: string; readonly key: string }
  readonly host?: string
}

export interface ScriptedHttp extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The header sections of all requests, in order. */
  readonly heads: readonly string[]
  /** Connections that were accepted, and their sockets. */
  readonly sockets: readonly Socket[]
  /** Request lines, in order. */
  readonly asked: readonly string[]
  /** Resolves when no connection is open. */
  closed(): Promise<void>
}

/** A server that says what a script says, whatever that is. */
export async function scriptedHttp(script: HttpScript, options: ScriptedHttpOptions = {}): Promise<ScriptedHttp> {
  const { segments = 'whole', tls = false, host = '127.0.0.1' } = options
  const heads: string[] = []
  const sockets: Socket[] = []
  const raw: Socket[] = []
  const closings: Promise<unknown>[] = []
  const accept = (socket: Socket): void => {
    sockets.push(socket)
    socket.setNoDelay()
    socket.on('error', () => {})
    let held = ''
    let turn: Promise<void> = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      held += chunk.toString('latin1')
      for (let end = held.indexOf('\r\n\r\n'); end >= 0; end = held.indexOf('\r\n\r\n')) {
        const head = held.slice(0, end + 4)
        held = held.slice(end + 4)
        const count = heads.push(head) - 1
        turn = turn.then(() => answer(socket, script(head, count)))
      }
    })
  }
  const answer = async (socket: Socket, said: Reply | string | undefined): Promise<void> => {
    if (said === undefined) return
    const { octets, end = 'keep' } = typeof said === 'string' ? { octets: said } : said
    await write(socket, octets, segments)
    const under = rawOf(socket)
    if (end === 'fin') socket.end()
    if (end === 'reset') {
      // A reset takes with it what the client has not read yet.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      under.resetAndDestroy()
    }
    // What TLS has still to write goes out first.
    if (end === 'cut') socket.write('', () => under.end())
  }
  const rawOf = (socket: Socket): Socket => raw.find((each) => each.remotePort === socket.remotePort) ?? socket
  const certificate = tls === true ? { cert: testCertificate, key: testKey } : tls
  const server = certificate
    ? createTlsServer(certificate, accept as (socket: TLSSocket) => void)
    : createServer(accept)
  server.on('connection', (socket: Socket) => {
    raw.push(socket)
    socket.on('error', () => {})
    closings.push(new Promise((resolve) => socket.once('close', resolve)))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `${certificate ? 'https' : 'http'}://${shown}:${port}/`,
    port,
    heads,
    sockets,
    get asked() {
      return heads.map((head) => head.slice(0, head.indexOf('\r\n')))
    },
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const socket of raw) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function write(socket: Socket, octets: string, segments: Segments): Promise<void> {
  const lengths = segments === 'whole' ? [Math.max(1, octets.length)] : segments === 'bytes' ? [1] : segments
  for (let at = 0, n = 0; at < octets.length; n++) {
    if (socket.destroyed) return
    const length = lengths[n % lengths.length] ?? 1
    await new Promise((resolve) => socket.write(octets.slice(at, at + length), 'latin1', resolve))
    at += length
    // A turn of the event loop lets the client read before the next piece is there.
    if (segments !== 'whole') await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A listener that counts who comes: for what nobody may connect to. */
export interface Victim extends AsyncDisposable {
  readonly port: number
  readonly connections: number
  /** All that it was told, of all connections. */
  readonly heard: string
}

export async function victim(host = '127.0.0.1'): Promise<Victim> {
  const sockets: Socket[] = []
  let heard = ''
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.length
    },
    get heard() {
      return heard
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer with a length. */
export function ok(body: string, fields: readonly string[] = []): string {
  return `HTTP/1.1 200 OK\r\n${lines(fields)}Content-Length: ${body.length}\r\n\r\n${body}`
}

export function redirectTo(location: string, status = 302, fields: readonly string[] = []): string {
  return `HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\n${lines(fields)}Content-Length: 0\r\n\r\n`
}

export function challenge(scheme: string, status: 401 | 407 = 401): string {
  const field = status === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate'
  return `HTTP/1.1 ${status} No\r\n${field}: ${scheme}\r\nContent-Length: 0\r\n\r\n`
}

function lines(fields: readonly string[]): string {
  return fields.map((field) => `${field}\r\n`).join('')
}

/** A field's value in a header section; null: it is not there. */
export function fieldOf(head: string, name: string): string | null {
  const line = head.split('\r\n').find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  return line === undefined ? null : line.slice(name.length + 1).trim()
}
