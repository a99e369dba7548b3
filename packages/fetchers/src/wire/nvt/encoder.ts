import { IAC, SB, SE } from './codes.ts'

const LF = 10
const CR = 13

/**
 * Makes a network virtual terminal's octets of text (RFC 854), however it is cut: LF, CR LF and CR alone are each one
 * end of a line, CR LF (RFC 1123 3.3.1), and FF is doubled. So no text is a command, and none breaks a line in two.
 */
export class NvtEncoder {
  /** True: octets go out without conversion (RFC 856); only FF is doubled. */
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
 * A server gets so many subnegotiations at most of one connection. Real ones ask a few times; the answer, with all
 * variables of RFC 1572, may be far longer than the question.
 */
export const maxSubnegotiations = 100

/** A whole subnegotiation (RFC 855). */
export function subnegotiation(option: number, octets: readonly number[]): number[] {
  return [IAC, SB, option, ...doubled(octets), IAC, SE]
}

/** The octets with each FF doubled. */
function doubled(octets: readonly number[]): number[] {
  return octets.flatMap((octet) => (octet === IAC ? [IAC, IAC] : [octet]))
}
