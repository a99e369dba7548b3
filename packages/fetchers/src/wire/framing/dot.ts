import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { LineReader } from './lines.ts'

/** Where the decoder stands. What has been read of a line that may be the end mark is held back until it is known. */
type State =
  | 'line-start' // at the start, or after a line end
  | 'dot' // a dot at the start of a line, held back: a doubled dot, or the end mark
  | 'dot-cr' // that dot and a CR, held back: one octet from the end
  | 'in-line'
  | 'cr' // within a line, after a CR: LF would end the line
  | 'end' // after the end mark

const dot = 0x2e
const cr = 0x0d
const lf = 0x0a

export interface DotOptions {
  /**
   * What ends a line. `crlf` is RFC 3977 3.1.1 to the letter: LF alone is an octet of the line, so that an article that
   * holds one cannot end early. `any` also takes LF alone, and a last `.` without a line end: servers that send local
   * text as it is.
   */
  readonly lineEnd?: 'crlf' | 'any'
}

/**
 * The octets of a dot-terminated block (RFC 3977 3.1.1): `a CRLF ..b CRLF . CRLF` gives `a CRLF .b CRLF`. Ends after
 * the end mark, and what follows it is the source's next line. Rejects with `partial` where the stream ends before.
 */
export async function* dotBody(
  source: LineReader,
  context: RetrievalContext,
  options: DotOptions = {},
): AsyncGenerator<Uint8Array, void, void> {
  const decoder = new DotDecoder(options.lineEnd === 'any')
  while (!decoder.ended) {
    const octets = await decoder.pull(source, context)
    if (octets.length > 0) yield octets
  }
}

/** Undoes dot-stuffing, with the same result however the octets are cut into chunks. */
export class DotDecoder {
  readonly #anyLineEnd: boolean
  #state: State = 'line-start'

  constructor(anyLineEnd: boolean = false) {
    this.#anyLineEnd = anyLineEnd
  }

  get ended(): boolean {
    return this.#state === 'end'
  }

  /** The next octets, none if a chunk held only framing. Octets behind the end mark go back to the source. */
  async pull(source: LineReader, context: RetrievalContext): Promise<Uint8Array> {
    const chunk = await source.read('body')
    if (chunk !== null) {
      const { octets, rest } = this.push(chunk)
      if (rest.length > 0) source.unread(rest)
      return octets
    }
    if (!this.#endsAtLoneDot) {
      const message =
        'The connection ended before the line "." that ends the body; what came is not the whole. Try again.'
      throw context.error('partial', message, { phase: 'body' })
    }
    this.#state = 'end'
    return new Uint8Array(0)
  }

  /** The stream may end here, although the end mark has no line end. */
  get #endsAtLoneDot(): boolean {
    return this.#anyLineEnd && (this.#state === 'dot' || this.#state === 'dot-cr')
  }

  /** `rest` is what follows the end mark. */
  push(chunk: Uint8Array): { readonly octets: Uint8Array; readonly rest: Uint8Array } {
    // One octet more than came in: a CR that was held back.
    const octets = new Uint8Array(chunk.length + 1)
    let length = 0
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at] as number
      const before = this.#state
      this.#state = this.#next(octet)
      if (this.#state === 'end') return { octets: octets.subarray(0, length), rest: chunk.subarray(at + 1) }
      if (this.#state === 'dot' || this.#state === 'dot-cr') continue
      // The dot stays away: RFC 3977 3.1.1 (5) drops the first dot of any line that is not the end mark.
      if (before === 'dot-cr') octets[length++] = cr
      octets[length++] = octet
    }
    return { octets: octets.subarray(0, length), rest: chunk.subarray(chunk.length) }
  }

  #next(octet: number): State {
    switch (this.#state) {
      case 'line-start':
        return octet === dot ? 'dot' : this.#inLine(octet)
      case 'dot':
        if (octet === cr) return 'dot-cr'
        return octet === lf && this.#anyLineEnd ? 'end' : this.#inLine(octet)
      case 'dot-cr':
        return octet === lf ? 'end' : this.#inLine(octet)
      case 'cr':
        return octet === lf ? 'line-start' : this.#inLine(octet)
      case 'in-line':
        return this.#inLine(octet)
      case 'end':
        return 'end'
    }
  }

  #inLine(octet: number): State {
    if (octet === cr) return 'cr'
    return octet === lf && this.#anyLineEnd ? 'line-start' : 'in-line'
  }
}
