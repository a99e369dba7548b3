const cr = 0x0d
const lf = 0x0a

/**
 * Turns the CRLF that ends every line in TYPE A into LF, this machine's line end (RFC 959 3.1.1.1: the receiver
 * converts "to his own internal form"). A CR elsewhere stays, even if CR and LF are in different chunks.
 */
export class LineEnds {
  /** True if the last chunk ended with a CR, which is held back. */
  #held = false

  push(chunk: Uint8Array): Uint8Array {
    if (!this.#held && !chunk.includes(cr)) return chunk
    const octets = this.#held ? Buffer.concat([Buffer.of(cr), chunk]) : chunk
    this.#held = octets.at(-1) === cr
    const end = this.#held ? octets.length - 1 : octets.length
    return withoutCr(octets.subarray(0, end))
  }

  /** Returns the octet that is held back, if any. */
  end(): Uint8Array {
    const left = this.#held ? Uint8Array.of(cr) : new Uint8Array(0)
    this.#held = false
    return left
  }
}

function withoutCr(octets: Uint8Array): Uint8Array {
  const result = new Uint8Array(octets.length)
  let length = 0
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0
    if (octet === cr && octets[at + 1] === lf) continue
    result[length++] = octet
  }
  return result.subarray(0, length)
}
