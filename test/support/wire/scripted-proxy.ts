import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { ok } from '../../protocols/http/support/http-answers.ts'
import { testCertificate, testKey } from '../../servers/src/certificate.ts'

/** A proxy's handling of one connection. */
export type ProxyScript = (peer: ProxyPeer, proxy: ScriptedProxy) => Promise<void>

export interface ScriptedProxy extends AsyncDisposable {
  readonly port: number
  /** The octets of each connection's client before it was passed on, in their order. */
  readonly heard: readonly string[]
  /** `host:port` of what was connected on to. */
  readonly targets: string[]
  /** Resolves when every connection of a client is closed. */
  closed(): Promise<void>
}

/** A proxy that follows a script: a good one's, or a hostile one's. With `tls`, by the test certificate. */
export async function scriptedProxy(script: ProxyScript, { tls = false } = {}): Promise<ScriptedProxy> {
  const peers: ProxyPeer[] = []
  const closings: Promise<unknown>[] = []
  const accept = (socket: Socket): void => {
    const peer = new ProxyPeer(socket)
    peers.push(peer)
    closings.push(new Promise((resolve) => socket.once('close', resolve)))
    // A client that has gone is no matter for a script.
    script(peer, proxy).catch(() => socket.destroy())
  }
  const server = tls ? createTlsServer({ cert: testCertificate, key: testKey }, accept) : createServer(accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: ScriptedProxy = {
    port: (server.address() as AddressInfo).port,
    get heard() {
      return peers.map(({ heard }) => heard)
    },
    targets: [],
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const peer of peers) peer.end()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

/** The proxy's side of one connection. */
export class ProxyPeer {
  readonly socket: Socket
  heard = ''
  #held = ''
  #over = false
  #wake: () => void = () => {}
  #server: Socket | undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      this.#held += chunk.toString('latin1')
      this.#wake()
    })
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.#over = true
        this.#wake()
      })
    }
  }

  /** So many octets, one a character. Rejects where the client closes instead. */
  take(count: number): Promise<string> {
    return this.#takeUntil(() => (this.#held.length >= count ? count : 0))
  }

  /** A header section with its blank line. */
  head(): Promise<string> {
    return this.#takeUntil(() => this.#held.indexOf('\r\n\r\n') + 4 * Number(this.#held.includes('\r\n\r\n')))
  }

  /** A text that ends with NUL, without it. */
  async text(): Promise<string> {
    return (await this.#takeUntil(() => this.#held.indexOf('\0') + 1)).slice(0, -1)
  }

  async #takeUntil(length: () => number): Promise<string> {
    while (length() < 1) {
      if (this.#over) throw new Error('The client has closed')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const taken = this.#held.slice(0, length())
    this.#held = this.#held.slice(taken.length)
    this.heard += taken
    return taken
  }

  /** In one piece, or an octet a segment. */
  async say(octets: string, bytewise = false): Promise<void> {
    for (const piece of bytewise ? octets.split('') : [octets]) {
      await new Promise((resolve) => this.socket.write(piece, 'latin1', resolve))
      // A turn of the event loop lets the client read before the next piece is there.
      if (bytewise) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /**
   * Connects on, answers, and passes everything both ways. `glued`: the answer comes in one piece with the server's
   * first octets, for which it waits.
   */
  async relay(
    host: string,
    port: number,
    answer: string,
    how: 'whole' | 'bytewise' | 'glued' = 'whole',
  ): Promise<void> {
    const server = connect({ host, port })
    this.#server = server
    server.on('error', () => this.socket.destroy())
    await once(server, 'connect')
    const first = how === 'glued' ? ((await once(server, 'data'))[0] as Buffer).toString('latin1') : ''
    await this.say(answer + first, how === 'bytewise')
    this.socket.removeAllListeners('data')
    server.write(this.#held, 'latin1')
    this.socket.pipe(server).pipe(this.socket)
    // RFC 9110 9.3.6: where one side has closed, what is outstanding goes to the other, and that is closed too.
    this.socket.once('end', () => server.destroySoon())
    this.socket.once('close', () => server.destroy())
    server.once('close', () => this.socket.destroySoon())
  }

  end(): void {
    this.socket.destroy()
    this.#server?.destroy()
  }
}

export interface SocksOptions {
  /** Wanted, `user:password`. */
  readonly login?: string
  readonly how?: 'whole' | 'bytewise' | 'glued'
  /** Where names lead to. Default 127.0.0.1. */
  readonly host?: string
}

/** SOCKS 5 as RFC 1928 and RFC 1929 have it. */
export function socks({ login, how = 'whole', host = '127.0.0.1' }: SocksOptions = {}): ProxyScript {
  return async (peer, proxy) => {
    const bytewise = how === 'bytewise'
    const methods = await peer.take((await peer.take(2)).charCodeAt(1))
    const method = login === undefined ? '\x00' : methods.includes('\x02') ? '\x02' : '\xff'
    await peer.say(`\x05${method}`, bytewise)
    if (method === '\xff') return
    if (method === '\x02') {
      const user = await peer.take((await peer.take(2)).charCodeAt(1))
      const password = await peer.take((await peer.take(1)).charCodeAt(0))
      const good = `${user}:${password}` === login
      await peer.say(`\x01${good ? '\x00' : '\x01'}`, bytewise)
      if (!good) return
    }
    const type = (await peer.take(4)).charCodeAt(3)
    const named = type === 3 ? await peer.take((await peer.take(1)).charCodeAt(0)) : null
    const address = named ?? (await peer.take(type === 4 ? 16 : 4)).split('').map((octet) => octet.charCodeAt(0))
    const port = (await peer.take(2)).split('').reduce((sum, octet) => sum * 256 + octet.charCodeAt(0), 0)
    proxy.targets.push(`${typeof address === 'string' ? address : address.join('.')}:${port}`)
    // BND.ADDR is nobody's business: of a type that not everybody expects.
    await peer.relay(host, port, `\x05\x00\x00\x03\x04host\x00\x00`, how)
  }
}

/** SOCKS 4 and 4A. `code`: the code of the reply; 90 connects. */
export function socks4({ how = 'whole', host = '127.0.0.1', code = 90 }: Socks4Options = {}): ProxyScript {
  return async (peer, proxy) => {
    const request = await peer.take(8)
    const octets = request.split('').map((octet) => octet.charCodeAt(0))
    const [, , high = 0, low = 0, ...address] = octets
    await peer.text()
    const isName = /^0\.0\.0\.[1-9]/.test(address.join('.'))
    const target = isName ? await peer.text() : address.join('.')
    proxy.targets.push(`${target}:${high * 256 + low}`)
    const reply = `\x00${String.fromCharCode(code)}\x12\x34\x7f\x00\x00\x01`
    if (code === 90) await peer.relay(host, high * 256 + low, reply, how)
    else await peer.say(reply)
  }
}

export interface Socks4Options extends Omit<SocksOptions, 'login'> {
  readonly code?: number
}

export interface HttpProxyOptions extends SocksOptions {
  /** Header fields of the answer to CONNECT. */
  readonly fields?: string
  /** The answer to a request for a whole URL. */
  readonly answer?: (target: string, head: string) => string
}

/** Makes tunnels (RFC 9110 9.3.6), and answers for itself where it is asked for a URL. */
export function httpProxy({
  login,
  how = 'whole',
  host = '127.0.0.1',
  fields = '',
  answer,
}: HttpProxyOptions = {}): ProxyScript {
  const wanted = login && `\r\nProxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`
  return async (peer, proxy) => {
    for (;;) {
      const head = await peer.head()
      const [method, target = ''] = head.split(' ')
      if (wanted && !head.includes(wanted)) {
        await peer.say('HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n')
      } else if (method === 'CONNECT') {
        proxy.targets.push(target)
        return peer.relay(host, Number(target.split(':').at(-1)), `HTTP/1.1 200 OK\r\n${fields}\r\n`, how)
      } else await peer.say(answer?.(target, head) ?? ok('through the proxy\n'), how === 'bytewise')
    }
  }
}
