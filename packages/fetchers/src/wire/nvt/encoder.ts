import { IAC, SB, SE } from './codes.ts'

const LF = 10
const CR = 13

/**
 * Encodes text for a network virtual terminal (RFC 854), however it is cut. LF, CR LF and CR each become CR LF (RFC
 * 1123 3.3.1), and FF is doubled: so no octet of text becomes a command, and none splits a line.
 */
export class NvtEncoder {
  /** True if octets are sent without conversion (RFC 856). FF is still doubled. */
  binary = false
  #isAfterCr = false

  encode(text: Uint8Array): Uint8Array {
    const octets: number[] = []
    for (const octet of text) {
      const isSecond = octet === LF && this.#isAfterCr
      this.#isAfterCr = octet === CR && !this.binary
      if (octet === IAC) octets.push(IAC, IAC)
      else if (this.binary || (octet !== LF && octet !== CR)) octets.push(octet)
      else if (!isSecond) octets.push(CR, LF)
    }
    return Uint8Array.from(octets)
  }
}

/**
 * We answer at most this many subnegotiations of a connection. Real servers ask a few times. Our answer may be far
 * longer than the question, since it has all variables of RFC 1572.
 */
export const maxSubnegotiations = 100

/** Encodes a whole subnegotiation (RFC 855). */
export function subnegotiation(option: number, octets: readonly number[]): number[] {
  return [IAC, SB, option, ...doubled(octets), IAC, SE]
}

/** Doubles each FF. */
function doubled(octets: readonly number[]): number[] {
  return octets.flatMap((octet) => (octet === IAC ? [IAC, IAC] : [octet]))
}
