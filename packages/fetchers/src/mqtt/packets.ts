import { randomBytes } from 'node:crypto'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { ExactReader } from '../wire/exact-reader.ts'

/** The types of packets (MQTT 3.1.1 2.2.1). */
export const types = {
  connect: 1,
  connack: 2,
  publish: 3,
  subscribe: 8,
  suback: 9,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const

/** The fixed header of a packet (MQTT 3.1.1 2.2). */
export interface PacketHead {
  readonly type: number
  readonly flags: number
  /** The octets after the header. */
  readonly length: number
}

/** The seconds after which a server may give up a silent client. */
const keepAlive = 60

/** CONNECT (MQTT 3.1.1 3.1) with a clean session. Strings have one octet a character. */
export function connectPacket(user: string | null, password: string | null): string {
  const flags = 0x02 | (user === null ? 0 : 0x80) | (password === null || user === null ? 0 : 0x40)
  // Servers must take 23 letters and digits (3.1.3.1).
  const client = `retriever${randomBytes(6).toString('hex')}`
  const login = user === null ? '' : field(user) + (password === null ? '' : field(password))
  return packet(types.connect, 0, `${field('MQTT')}\x04${char(flags)}\0${char(keepAlive)}${field(client)}${login}`)
}

/** SUBSCRIBE (3.8) to one topic with QoS 0, which wants no acknowledgements. */
export function subscribePacket(topic: string): string {
  return packet(types.subscribe, 2, `\0\x01${field(topic)}\0`)
}

export const pingPacket: string = packet(types.pingreq, 0, '')
export const disconnectPacket: string = packet(types.disconnect, 0, '')

/** The header of the next packet; null at the end of the connection. */
export async function readHead(
  reader: ExactReader,
  context: RetrievalContext,
  phase: 'request' | 'body',
): Promise<PacketHead | null> {
  const first = await reader.exactly(1, phase)
  if (first === null) return null
  const octet = first[0] ?? 0
  let length = 0
  // Seven bits in each octet, the lowest first, in at most four octets (2.2.3).
  for (let shift = 0; shift < 28; shift += 7) {
    const next = (await reader.exactly(1, phase))?.[0]
    if (next === undefined) {
      const code = phase === 'body' ? 'partial' : 'receive-failed'
      throw context.error(code, 'The connection ended within a message; try again.', { phase, transient: true })
    }
    length |= (next & 0x7f) << shift
    if (next < 0x80) return { type: octet >> 4, flags: octet & 15, length }
  }
  throw context.error('protocol-violation', 'The length of a packet is out of range. Check scheme and port.', { phase })
}

function packet(type: number, flags: number, rest: string): string {
  let size = ''
  let left = rest.length
  do {
    size += char((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    left >>= 7
  } while (left > 0)
  return char((type << 4) | flags) + size + rest
}

/** A string with its length in two octets (1.5.3). */
function field(text: string): string {
  return char(text.length >> 8) + char(text.length & 255) + text
}

function char(octet: number): string {
  return String.fromCharCode(octet)
}
