/** A packet of ARDP (Prospero protocol 5, appendix B). A field that the header omits has its default. */
export interface Packet {
  /** The two octets of the connection id, one octet a character. */
  readonly id: string
  /** 0 for an unsequenced control packet. */
  readonly number: number
  /** How many packets the message has. 0: the server does not know yet. */
  readonly total: number
  /** The sender has received all packets up to this one. */
  readonly through: number
  /** After how many seconds the server wants to be asked again. 0: the client decides. Null: it does not say. */
  readonly wait: number | null
  /** True if the packet has a number, but its octets are no part of the message. */
  readonly isControl: boolean
  /** True if the server waits for an acknowledgement. */
  readonly wantsAcknowledgement: boolean
  readonly option: number
  /** The address to which the option 4 or 5 redirects. */
  readonly target: { readonly address: string; readonly port: number } | null
  readonly octets: Uint8Array
}

/** The options of octet 12 that mean something to a client. */
export const options = { refused: 1, redirect: 4, redirectAndNotify: 5 } as const

const flags = { address: 0x01, priority: 0x02, protocol: 0x04, window: 0x08, control: 0x40, acknowledge: 0x80 } as const

/** Reads a packet. Returns undefined for octets that are no packet of ARDP, version 0, with a connection id. */
export function parsePacket(octets: Uint8Array): Packet | undefined {
  const length = octets[0] ?? 0
  // The two high bits are the version. Without a connection id, a packet cannot be distinguished from a forged one.
  if (length > 0x3f || length < 3 || length > octets.length) return undefined
  const header = octets.subarray(0, length)
  const number = length >= 5 ? uint16(header, 3) : 1
  const flag = header[11] ?? 0
  const option = header[12] ?? 0
  return {
    id: String.fromCharCode(header[1] ?? 0, header[2] ?? 0),
    number,
    total: length >= 7 ? uint16(header, 5) : length >= 5 ? 0 : 1,
    through: length >= 9 ? uint16(header, 7) : 0,
    wait: length >= 11 ? uint16(header, 9) : null,
    isControl: (flag & flags.control) !== 0,
    wantsAcknowledgement: (flag & flags.acknowledge) !== 0,
    option,
    target:
      option === options.redirect || option === options.redirectAndNotify ? targetOf(header, afterFlags(header)) : null,
    octets: octets.subarray(length),
  }
}

/** Returns the offset of the option's own fields, which follow those of the flags. */
function afterFlags(header: Uint8Array): number {
  const flag = header[11] ?? 0
  let at = 13
  if (flag & flags.address) at += 2 + (header[at + 1] ?? 0)
  for (const each of [flags.priority, flags.protocol, flags.window]) if (flag & each) at += 2
  return at
}

function targetOf(header: Uint8Array, at: number): Packet['target'] {
  if (at + 6 > header.length) return null
  return { address: header.subarray(at, at + 4).join('.'), port: uint16(header, at + 4) }
}

function uint16(octets: Uint8Array, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)
}

/** Makes the packet that says up to which packet all have arrived: 9 octets of header, with the number 0. */
export function acknowledgement(id: string, through: number): string {
  return `\x09${id}\0\0\0\0${String.fromCharCode((through >> 8) & 255, through & 255)}`
}

/** Makes the packet that tells the server to forget a request (option 1). */
export function cancellation(id: string): string {
  return `\x0d${id}${'\0'.repeat(9)}\x01`
}

/** Swaps the connection id, as a server of another octet order writes it in packets that it sends again. */
export function swapped(id: string): string {
  return `${id[1]}${id[0]}`
}
