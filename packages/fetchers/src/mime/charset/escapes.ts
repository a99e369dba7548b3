import { decodeFatal } from './fatal.ts'

const lf = 0x0a
const cr = 0x0d
const tilde = 0x7e
const shiftOut = 0x0e
const shiftIn = 0x0f

/**
 * Decodes HZ (RFC 1843): `~{` begins GB 2312, `~}` ends it, `~~` is a tilde, and a tilde before a line end joins two
 * lines. If a tilde is the second octet of a character, it begins no escape.
 */
export function hzGb2312(octets: Uint8Array): string | null {
  const gbk = Buffer.allocUnsafe(octets.length)
  let length = 0
  let isGb = false
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0
    const next = octets[at + 1] ?? 0
    if (octet === tilde && '{}~'.includes(String.fromCharCode(next))) {
      if (next === tilde) gbk[length++] = tilde
      else isGb = next !== 0x7d
      at++
    } else if (octet === tilde && (next === lf || (next === cr && octets[at + 2] === lf))) at += next === lf ? 1 : 2
    else if (isGb && octet > 0x20 && next > 0x20) {
      gbk[length++] = octet | 0x80
      gbk[length++] = next | 0x80
      at++
    } else {
      // Every line begins in ASCII.
      if (octet === lf) isGb = false
      gbk[length++] = octet
    }
  }
  return decodeFatal(gbk.subarray(0, length), 'gbk')
}

/** Decodes ISO-2022-KR (RFC 1557): ESC $ ) C announces the charset, SO begins KS X 1001, SI ends it. */
export function iso2022Kr(octets: Uint8Array): string | null {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
  const eucKr = Buffer.from(text.replaceAll('\x1B$)C', ''), 'latin1')
  let length = 0
  let high = 0
  for (const octet of eucKr) {
    if (octet === shiftOut) high = 0x80
    else if (octet === shiftIn) high = 0
    else {
      if (octet === lf) high = 0
      eucKr[length++] = octet > 0x20 ? octet | high : octet
    }
  }
  return decodeFatal(eucKr.subarray(0, length), 'euc-kr')
}
