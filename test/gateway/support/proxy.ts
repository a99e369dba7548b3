import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { createGateway, type GatewayOptions } from '@retriever/gateway'

/** A running proxy with a client of its own. */
export async function startProxy(options: Omit<GatewayOptions, 'client'> = {}, clientOptions: ClientOptions = {}) {
  const client = createClient({ limits: { maxRetries: 0 }, ...clientOptions })
  const gateway = createGateway({ client, ...options })
  gateway.proxy.server.listen(0, '127.0.0.1')
  await once(gateway.proxy.server, 'listening')
  const { port } = gateway.proxy.server.address() as AddressInfo
  return {
    ...{ gateway, client, port },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await client.close()
    },
  }
}

/** An answer, as a raw client reads it. */
export interface RawAnswer {
  readonly status: number
  /** By name in lower case, lines of one name joined by `, `. */
  readonly fields: Readonly<Record<string, string>>
  readonly body: Buffer
  /** True: the body ended as its framing says. */
  readonly isWhole: boolean
}

/** Sends octets as they are and reads all that comes; `from` is the client's address. */
export async function exchange(port: number, request: string | Buffer, from = '127.0.0.1'): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.write(request)
  return collect(socket)
}

/** All octets that come until the connection ends, also by a reset. */
export function collect(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Asks the proxy for a URL by a head of its own. */
export async function ask(
  port: number,
  target: string,
  {
    method = 'GET',
    fields = {},
    version = '1.1',
  }: { method?: string; fields?: Record<string, string>; version?: string } = {},
): Promise<RawAnswer> {
  const lines = Object.entries({ host: 'h', connection: 'close', ...fields }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return parse(await exchange(port, `${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`))
}

export function parse(octets: Buffer): RawAnswer {
  const end = octets.indexOf('\r\n\r\n')
  const [first = '', ...lines] = octets.subarray(0, end).toString('latin1').split('\r\n')
  const fields: Record<string, string> = {}
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    const value = line.slice(line.indexOf(':') + 1).trim()
    fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`
  }
  const rest = octets.subarray(end + 4)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1])
  if (fields['transfer-encoding'] === 'chunked') return { status, fields, ...dechunked(rest) }
  const length = fields['content-length']
  return { status, fields, body: rest, isWhole: length === undefined || Number(length) === rest.length }
}

function dechunked(octets: Buffer): Pick<RawAnswer, 'body' | 'isWhole'> {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = octets.indexOf('\r\n', at)
    const size = Number.parseInt(octets.subarray(at, lineEnd).toString('latin1'), 16)
    if (lineEnd < 0 || Number.isNaN(size)) return { body: Buffer.concat(chunks), isWhole: false }
    if (size === 0) return { body: Buffer.concat(chunks), isWhole: true }
    chunks.push(octets.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
