import { charsetOf, octetsDecoder, type TextMetadata } from '../kit/text/text.ts'

/**
 * The source text of a page, from which its octets can be made again. Only UTF-16 is read as characters. All else is
 * read as one octet a character: the markup of each charset of the web is ASCII.
 */
export class PageText {
  readonly text: string
  readonly #wide: 'utf-16le' | 'utf-16be' | null
  /** The octet behind the last whole character of UTF-16. */
  readonly #rest: Buffer
  readonly #decode: (octets: string) => string

  constructor(octets: Buffer, metadata: TextMetadata) {
    const charset = charsetOf(octets, metadata)
    this.#wide = charset === 'utf-16le' || charset === 'utf-16be' ? charset : null
    const even = this.#wide === null ? octets.length : octets.length - (octets.length % 2)
    this.#rest = octets.subarray(even)
    const whole = octets.subarray(0, even)
    this.text = this.#wide === null ? whole.toString('latin1') : this.#ordered(whole).toString('utf16le')
    this.#decode = octetsDecoder(charset ?? undefined)
  }

  /** The octets of a changed text. */
  octetsOf(text: string): Buffer {
    if (this.#wide === null) return Buffer.from(text, 'latin1')
    return Buffer.concat([this.#ordered(Buffer.from(text, 'utf16le')), this.#rest])
  }

  /**
   * A link as a URL: browsers read its path as text, and send the octets of its query as they are (URL Standard,
   * percent-encode after encoding).
   */
  reference(link: string): string {
    // An entity makes characters beyond an octet.
    if (this.#wide !== null || !/[\x80-\xFF]/.test(link) || /[^\0-\xFF]/.test(link)) return link
    const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(link) ?? []
    const sent = query.replace(/[\x80-\xFF]/g, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`)
    return this.#decode(path) + sent + this.#decode(fragment)
  }

  #ordered(octets: Buffer): Buffer {
    return this.#wide === 'utf-16be' ? Buffer.from(octets).swap16() : octets
  }
}
