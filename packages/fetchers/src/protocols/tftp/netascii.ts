const cr = 0x0d
const lf = 0x0a

/** Turns netascii into local text (RFC 1350 1, RFC 854): CR LF is a line end, CR NUL a CR. */
export class NetasciiDecoder {
  #isAfterCr = false

  push(octets: Uint8Array): Uint8Array {
    const text = new Uint8Array(octets.length + 1)
    let length = 0
    for (const octet of octets) {
      if (this.#isAfterCr) {
        if (octet !== lf) text[length++] = cr
        this.#isAfterCr = false
        if (octet === 0) continue
      }
      if (octet === cr) this.#isAfterCr = true
      else text[length++] = octet
    }
    return text.subarray(0, length)
  }

  /** Returns a CR that came at the very end. */
  end(): Uint8Array {
    return this.#isAfterCr ? Uint8Array.of(cr) : new Uint8Array(0)
  }
}
