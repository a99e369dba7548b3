import type { RemoteInfo } from 'node:dgram'

/** The header of a packet that a client sends (Prospero protocol 5, appendix B). */
export interface ClientPacket {
  readonly id: string
  readonly number: number
  readonly total: number
  readonly through: number
  /** Whether the client cancels its request (option 1). */
  readonly isCancelled: boolean
  /** One octet a character. */
  readonly data: string
}

/** Reads a packet; undefined if it has no connection id. */
export function readPacket(octets: Buffer): ClientPacket | undefined {
  const length = octets[0] ?? 0
  if (length < 3 || length > 31 || length > octets.length) return undefined
  const field = (at: number, otherwise: number): number => (length >= at + 2 ? octets.readUInt16BE(at) : otherwise)
  return {
    id: octets.toString('latin1', 1, 3),
    number: field(3, 1),
    total: field(5, 1),
    through: field(7, 0),
    isCancelled: length >= 13 && octets[12] === 1,
    data: octets.toString('latin1', length),
  }
}

/** The most octets of a message in one packet. */
export const packetSize = 1250
/** How many packets are sent before an acknowledgement must come. */
export const windowSize = 16

/** The pieces of an answer; an empty answer is one piece. */
export function piecesOf(message: string): string[] {
  const count = Math.max(1, Math.ceil(message.length / packetSize))
  return Array.from({ length: count }, (_, at) => message.slice(at * packetSize, (at + 1) * packetSize))
}

/** The shortest header for a packet that is sent for the first time. */
export function firstHeader(id: string, number: number, total: number): string {
  if (total === 1) return `\x03${id}`
  // Only the last packet states the number of packets.
  const head = `${id}${uint16(number)}${uint16(number === total ? total : 0)}`
  const isWindowEnd = number % windowSize === 0 && number < total
  return isWindowEnd ? `\x0c${head}${uint16(0)}${uint16(0)}\x80` : `\x07${head}`
}

/** The header of a packet that is sent again. */
export function laterHeader(id: string, number: number, total: number): string {
  return `\x09${id}${uint16(number)}${uint16(total)}${uint16(1)}`
}

/** A control packet that asks the client to wait this many seconds. */
export function waitPacket(id: string, seconds: number): string {
  return `\x0b${id}${uint16(0)}${uint16(0)}${uint16(1)}${uint16(seconds)}`
}

/** A control packet with an option and its fields. */
export function optionPacket(id: string, option: number, fields: string = ''): string {
  const length = String.fromCharCode(13 + fields.length)
  return `${length}${id}${'\0'.repeat(9)}${String.fromCharCode(option)}${fields}`
}

/** The fields of options 4 and 5: an IPv4 address and a port. */
export function redirectFields(address: string, port: number): string {
  return String.fromCharCode(...address.split('.').map(Number)) + uint16(port)
}

/** The key of a request: the client's address and the connection id. */
export function keyOf({ address, port }: RemoteInfo, id: string): string {
  return `${address} ${port} ${Buffer.from(id, 'latin1').toString('hex')}`
}

export function uint16(value: number): string {
  return String.fromCharCode((value >> 8) & 255, value & 255)
}
