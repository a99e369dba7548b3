import { TextDecoder } from 'node:util'

/** How many octets are examined before a text counts as UTF-8. */
const looked = 64 * 1024

/**
 * Decodes a text of unknown charset: as UTF-8 if its first 64 KiB are valid UTF-8, else as windows-1252. ASCII is the
 * same in both and is returned at once. From the first other octet on, the text is held until 64 KiB have come.
 */
export class GuessingDecoder {
  #decoder: TextDecoder | undefined
  #held: Uint8Array = new Uint8Array(0)
  #passed = 0

  decode(octets: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(octets, { stream: true })
    const all = this.#held.length === 0 ? octets : Buffer.concat([this.#held, octets])
    const at = all.findIndex((octet) => octet > 0x7f)
    const ascii = all.subarray(0, at === -1 ? all.length : at)
    // The octets are copied, since the memory of the chunk may be reused.
    this.#held = Uint8Array.from(all.subarray(ascii.length))
    this.#passed += ascii.length
    const isEnough = this.#passed + this.#held.length >= looked
    return Buffer.from(ascii).toString('latin1') + (isEnough ? this.#decide(false) : '')
  }

  end(): string {
    const held = this.#decoder === undefined ? this.#decide(true) : ''
    return held + (this.#decoder?.decode() ?? '')
  }

  #decide(isWhole: boolean): string {
    this.#decoder = guessedDecoder(this.#held.subarray(0, looked - this.#passed), isWhole)
    const text = this.#decoder.decode(this.#held, { stream: true })
    this.#held = new Uint8Array(0)
    return text
  }
}

/** The decoder for a text, or for its beginning, which may end in the middle of a character. */
export function guessedDecoder(text: Uint8Array, isWhole: boolean): TextDecoder {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(text, { stream: !isWhole })
    return new TextDecoder()
  } catch {
    return new TextDecoder('windows-1252')
  }
}
