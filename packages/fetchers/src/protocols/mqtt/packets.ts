import { randomBytes } from 'node:crypto'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ExactReader } from '../../wire/exact-reader.ts'

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
  /** How many octets follow the header. */
  readonly length: number
}

/** Makes a name for the client. Servers must take 23 letters and digits (MQTT 3.1.1 3.1.3.1). */
export function clientName(): string {
  return `retriever${randomBytes(6).toString('hex')}`
}

export const pingPacket: string = '\xc0\0'

/** Reads the header of the next packet. Null at the end of the connection. */
export async function readHead(
  reader: ExactReader,
  context: RetrievalContext,
  phase: 'request' | 'body',
): Promise<PacketHead | null> {
  const first = await reader.exactly(1, phase)
  if (first === null) return null
  const octet = first[0] ?? 0
  let length = 0
  // Each octet holds seven bits, the lowest first; there are at most four octets (2.2.3).
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
