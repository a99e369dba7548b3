import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
// A test's clock is not ours.
import { setImmediate as turn } from 'node:timers/promises'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { testCertificate, testKey } from '../../../servers/src/certificate.ts'

/** One request as it came. */
export interface Asked {
  /** The header section with its blank line. */
  readonly head: string
  /** `GET /x HTTP/1.1`. */
  readonly line: string
  readonly target: string
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly socket: Socket
  /** From 0, over all connections. */
  readonly index: number
}

/**
 * How an answer ends: `keep` leaves the connection open, `fin` closes it well (with close_notify in TLS), `reset` by
 * RST, `cut` is a FIN without close_notify, as whoever sits on the line can forge one.
 */
export type Ending = 'keep' | 'fin' | 'reset' | 'cut'

export interface Reply {
  /** A string holds one octet a character. */
  readonly octets: string | Buffer
  /** Default: keep. */
  readonly end?: Ending
  /** The event that a reset waits for. Default: some turns of the event loop. */
  readonly after?: Promise<unknown>
}

/** Undefined: no answer, or one that the script writes to the socket itself. */
export type Said = Reply | string | Buffer | undefined

/** The answer to one request. */
export type HttpScript = (asked: Asked) => Said | Promise<Said>

/** How answers are cut into segments: whole, one octet each, or lengths over and over. */
export type Segments = 'whole' | 'bytes' | readonly number[]

export interface ScriptedHttpOptions {
  readonly segments?: Segments
  /** True: by the test certificate. */
  readonly tls?: boolean | TlsOptions
}

export interface ScriptedHttp extends AsyncDisposable {
  /** With `/` at its end. */
  readonly url: string
  readonly port: number
  /** The requests, in order. */
  readonly asked: Asked[]
  /** Their header sections. */
  readonly heads: readonly string[]
  /** Their first lines. */
  readonly lines: readonly string[]
  /** Connections that were accepted; in TLS, after the handshake. */
  readonly sockets: readonly Socket[]
  /** Answers the requests that are still to come. */
  script: HttpScript
  /** Resolves when no connection is open. */
  closed(): Promise<void>
}

/** A server that says what a script says, whatever that is. */
export async function scriptedHttp(script: HttpScript, options: ScriptedHttpOptions = {}): Promise<ScriptedHttp> {
  const { segments = 'whole', tls = false } = options
  const asked: Asked[] = []
  const sockets: Socket[] = []
  const raw: Socket[] = []
  const closings: Promise<unknown>[] = []
  const accept = (socket: Socket): void => {
    sockets.push(socket.setNoDelay().on('error', () => {}))
    const under = raw.find(({ remotePort }) => remotePort === socket.remotePort) ?? socket
    let held = ''
    let answered = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      // Servers in the clear end a connection that begins with a handshake record of TLS (RFC 8446 5.1).
      if (!tls && held === '' && chunk[0] === 22) return void socket.destroy()
      held += chunk.toString('latin1')
      for (let end = held.indexOf('\r\n\r\n'); end >= 0; end = held.indexOf('\r\n\r\n')) {
        const request = read(held.slice(0, end + 4), socket, asked.length)
        held = held.slice(end + 4)
        asked.push(request)
        answered = answered.then(async () => say(socket, under, await scripted.script(request), segments))
      }
    })
  }
  const server = tls
    ? createTlsServer({ cert: testCertificate, key: testKey, ...(tls !== true && tls) }, accept)
    : createServer(accept)
  server.on('connection', (socket: Socket) => {
    raw.push(socket.on('error', () => {}))
    closings.push(new Promise((resolve) => socket.once('close', resolve)))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const scripted: ScriptedHttp = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/`,
    port,
    asked,
    get heads() {
      return asked.map(({ head }) => head)
    },
    get lines() {
      return asked.map(({ line }) => line)
    },
    sockets,
    script,
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const socket of raw) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return scripted
}

function read(head: string, socket: Socket, index: number): Asked {
  const [line = '', ...lines] = head.slice(0, -4).split('\r\n')
  const fields = lines.map((each) => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()]
  })
  return { head, line, target: line.split(' ')[1] ?? '', fields: Object.fromEntries(fields), socket, index }
}

async function say(socket: Socket, under: Socket, said: Said, segments: Segments): Promise<void> {
  if (said === undefined) return
  const { octets, end = 'keep', after } = typeof said === 'string' || Buffer.isBuffer(said) ? { octets: said } : said
  await write(socket, typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets, segments)
  if (end === 'fin') socket.end()
  if (end === 'reset') {
    // A reset takes with it what the client has not read yet.
    if (after !== undefined) await after
    else for (let turns = 0; turns < 20; turns++) await turn()
    under.resetAndDestroy()
  }
  // The octets that TLS has still to write go out first.
  if (end === 'cut') socket.write('', () => under.end())
}

async function write(socket: Socket, octets: Buffer, segments: Segments): Promise<void> {
  const lengths = segments === 'whole' ? [octets.length] : segments === 'bytes' ? [1] : segments
  for (let at = 0, n = 0; at < octets.length; n++) {
    if (socket.destroyed) return
    const length = lengths[n % lengths.length] ?? 1
    await new Promise((resolve) => socket.write(octets.subarray(at, at + length), resolve))
    at += length
    // A turn of the event loop lets the client read before the next piece is there.
    if (segments !== 'whole') await turn()
  }
}
