import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { testCertificate, testKey } from '../../../servers/src/certificate.ts'

/** RFC 9113 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
} as const

export interface RawHttp2 extends AsyncDisposable {
  readonly url: string
  readonly connections: readonly TLSSocket[]
  /** The frames that came, over all connections. */
  readonly frames: readonly Required<Frame>[]
  /** Streams that were begun, over all connections. */
  readonly streams: () => number
}

export interface Frame {
  readonly type: keyof typeof frameTypes
  readonly flags?: number
  readonly stream?: number
  readonly payload?: Buffer | string
}

/** The server's action once a stream has begun; `connection` and `count` are numbers from 0, of all. */
export type OnStream = (
  stream: number,
  send: (...frames: readonly Frame[]) => void,
  of: { readonly socket: TLSSocket; readonly connection: number; readonly count: number },
) => void

export function octets({ type, flags = 0, stream = 0, payload = '' }: Frame): Buffer {
  const content = Buffer.from(payload as string, 'latin1')
  const head = Buffer.alloc(9)
  head.writeUIntBE(content.length, 0, 3)
  head[3] = frameTypes[type]
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, content])
}

export function uint32(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length)
  values.forEach((value, at) => void buffer.writeUInt32BE(value, 4 * at))
  return buffer
}

/** `:status: 200`, from the static table, and further fields as literals (RFC 7541 6.1, 6.2.2). */
export function headers200(fields: Readonly<Record<string, string>> = {}): Buffer {
  const lines = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([Buffer.of(0), literal(name), literal(value)]),
  )
  return Buffer.concat([Buffer.of(0x88), ...lines])
}

/** Of at most 126 octets. */
function literal(text: string): Buffer {
  return Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')])
}

/** Flags. */
export const endStream = 1
export const endHeaders = 4

/** A server of HTTP/2 of which a test writes every frame behind its SETTINGS. */
export async function rawHttp2(onStream: OnStream, settings: Buffer = Buffer.alloc(0)): Promise<RawHttp2> {
  const connections: TLSSocket[] = []
  const frames: Required<Frame>[] = []
  let count = 0
  const server = createServer({ cert: testCertificate, key: testKey, ALPNProtocols: ['h2'] }, (socket) => {
    const connection = connections.push(socket) - 1
    socket.on('error', () => {})
    socket.write(octets({ type: 'settings', payload: settings }))
    const send = (...frames: readonly Frame[]): void => {
      if (!socket.destroyed) socket.write(Buffer.concat(frames.map(octets)))
    }
    let held = Buffer.alloc(0)
    let isOpened = false
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk])
      if (!isOpened) {
        if (held.length < 24) return
        isOpened = true
        held = held.subarray(24)
      }
      while (held.length >= 9 && held.length >= 9 + held.readUIntBE(0, 3)) {
        const length = held.readUIntBE(0, 3)
        const [type, flags, stream] = [held[3], held[4] ?? 0, held.readUInt32BE(5)]
        const payload = held.subarray(9, 9 + length)
        held = held.subarray(9 + length)
        for (const [name, code] of Object.entries(frameTypes) as [Frame['type'], number][]) {
          if (code === type) frames.push({ type: name, flags, stream, payload })
        }
        if (type === frameTypes.settings && (flags & 1) === 0) send({ type: 'settings', flags: 1 })
        if (type === frameTypes.ping && (flags & 1) === 0) send({ type: 'ping', flags: 1, payload })
        if (type === frameTypes.headers) onStream(stream, send, { socket, connection, count: count++ })
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    connections,
    frames,
    streams: () => count,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
