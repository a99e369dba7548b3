/** A packet of a server (RFC 1350 5, RFC 2347). Texts hold one octet a character. */
export type Packet =
  | { readonly kind: 'data'; readonly block: number; readonly octets: Uint8Array }
  | { readonly kind: 'error'; readonly code: number; readonly text: string }
  /** OACK: the options by lower-case name, with the values that the server agreed to. */
  | { readonly kind: 'options'; readonly values: ReadonlyMap<string, string> }

/** Reads a packet. Returns undefined for one that no server sends. */
export function parsePacket(octets: Uint8Array): Packet | undefined {
  if (octets.length < 2 || octets[0] !== 0) return undefined
  const number = ((octets[2] ?? 0) << 8) | (octets[3] ?? 0)
  const text = (from: number): string => Buffer.from(octets.subarray(from)).toString('latin1')
  switch (octets[1]) {
    case 3:
      return octets.length < 4 ? undefined : { kind: 'data', block: number, octets: octets.subarray(4) }
    case 5:
      return octets.length < 4 ? undefined : { kind: 'error', code: number, text: text(4).split('\0')[0] ?? '' }
    case 6: {
      const words = text(2).split('\0')
      const pairs = words.flatMap((name, at) =>
        at % 2 === 0 && name !== '' ? [[name.toLowerCase(), words[at + 1] ?? ''] as const] : [],
      )
      return { kind: 'options', values: new Map(pairs) }
    }
    default:
      return undefined
  }
}

/** Makes ACK (RFC 1350 5). */
export function acknowledgement(block: number): string {
  return `\0\x04${String.fromCharCode(block >> 8, block & 255)}`
}

/** Makes ERROR (RFC 1350 5): 0 not defined, 8 options refused (RFC 2347). */
export function errorPacket(code: number, text: string): string {
  return `\0\x05\0${String.fromCharCode(code)}${text}\0`
}
