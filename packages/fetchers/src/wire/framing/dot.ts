import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LineReader } from './lines.ts'

/** The state of the decoder. It holds back octets that may belong to the end mark until that is certain. */
type State =
  | 'line-start' // at the start, or after a line end
  | 'dot' // a dot at the start of a line is held back: it is a doubled dot, or begins the end mark
  | 'dot-cr' // that dot and a CR are held back: with LF, the block ends
  | 'in-line'
  | 'cr' // within a line, after a CR: LF would end the line
  | 'end' // after the end mark

const dot = 0x2e
const cr = 0x0d
const lf = 0x0a
/** The octets that end a block. */
const endMark = '\r\n.\r\n'

export interface DotOptions {
  /**
   * The line ends that count. `crlf` follows RFC 3977 3.1.1 strictly: a bare LF is an octet of the line, so an article
   * that holds one cannot end early. `any` also accepts a bare LF, and a last `.` without a line end, for servers that
   * send local text unchanged. Default: `any` if the line before the block ended with a bare LF, otherwise `crlf`.
   */
  readonly lineEnd?: 'crlf' | 'any'
  /**
   * True: drops a dot at the start of a line only if another dot follows. Some servers send texts unchanged, so a line
   * may begin with `.net`; RFC 3977 3.1.1 (5) would drop that dot, too. Default false.
   */
  readonly keepsLoneDot?: boolean
}

/**
 * The octets of a dot-terminated block (RFC 3977 3.1.1): `a CRLF ..b CRLF . CRLF` gives `a CRLF .b CRLF`. It ends after
 * the end mark; the octets after it are the source's next line. Rejects with `partial` if the stream ends before the
 * mark.
 */
export async function* dotBody(
  source: LineReader,
  context: RetrievalContext,
  options: DotOptions = {},
): AsyncGenerator<Uint8Array, void, void> {
  const { lineEnd = source.endsBare ? 'any' : 'crlf', keepsLoneDot } = options
  const decoder = new DotDecoder(lineEnd === 'any', keepsLoneDot)
  while (!decoder.ended) {
    const octets = await decoder.pull(source, context)
    if (octets.length > 0) yield octets
  }
}

/** Removes dot-stuffing, with the same result for any division into chunks. */
export class DotDecoder {
  readonly #anyLineEnd: boolean
  readonly #keepsLoneDot: boolean
  #state: State = 'line-start'

  constructor(anyLineEnd: boolean = false, keepsLoneDot: boolean = false) {
    this.#anyLineEnd = anyLineEnd
    this.#keepsLoneDot = keepsLoneDot
  }

  get ended(): boolean {
    return this.#state === 'end'
  }

  /** The next octets, empty if a chunk held only framing. Octets after the end mark go back to the source. */
  async pull(source: LineReader, context: RetrievalContext): Promise<Uint8Array> {
    const chunk = await source.read('body')
    if (chunk !== null) {
      const { octets, rest } = this.push(chunk)
      if (rest.length > 0) source.unread(rest)
      return octets
    }
    if (!this.#endsAtLoneDot) {
      const message =
        'The connection ended before the line "." that ends the body, so the body is incomplete; try again.'
      throw context.error('partial', message, { phase: 'body' })
    }
    this.#state = 'end'
    return new Uint8Array(0)
  }

  /** Whether the stream may end after a last `.` without a line end. */
  get #endsAtLoneDot(): boolean {
    return this.#anyLineEnd && (this.#state === 'dot' || this.#state === 'dot-cr')
  }

  /** Decodes a chunk. `rest` holds the octets after the end mark. */
  push(chunk: Uint8Array): { readonly octets: Uint8Array; readonly rest: Uint8Array } {
    // A dot and a CR that were held back can add two octets to the chunk. The block allocates only what it may need: 64
    // KiB can hold thousands of blocks, and each gets what the block before it left over.
    const mark = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).indexOf(endMark)
    const octets = new Uint8Array((mark === -1 ? chunk.length : mark + 2) + 2)
    let length = 0
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at] as number
      const before = this.#state
      this.#state = this.#next(octet)
      if (this.#state === 'end') return { octets: octets.subarray(0, length), rest: chunk.subarray(at + 1) }
      if (this.#state === 'dot' || this.#state === 'dot-cr') continue
      // RFC 3977 3.1.1 (5) drops the first dot of any line that is not the end mark.
      if (this.#keepsLoneDot && (before === 'dot-cr' || (before === 'dot' && octet !== dot))) octets[length++] = dot
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
