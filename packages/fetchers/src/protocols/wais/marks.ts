const mark = 0x1b
const open = 0x28
const close = 0x29

/**
 * Removes freeWAIS's marks from a text, however it is cut: `ESC (` and `ESC )` around a searched word, and ESC with
 * four more octets at a paragraph.
 */
export class MarkRemover {
  /** How many octets of a mark are still to come. Null: the next octet says how many. */
  #left: number | null = 0

  remove(octets: Uint8Array): Uint8Array {
    if (this.#left === 0 && !octets.includes(mark)) return octets
    const text = new Uint8Array(octets.length)
    let length = 0
    for (const octet of octets) {
      if (this.#left === null) this.#left = octet === open || octet === close ? 0 : 3
      else if (this.#left > 0) this.#left--
      else if (octet === mark) this.#left = null
      else text[length++] = octet
    }
    return text.subarray(0, length)
  }
}
