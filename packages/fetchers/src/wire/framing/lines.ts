import type { Phase } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { isTurnLong, nextTurn } from '../turn.ts'

/** A source of octets: a Connection, or a stand-in for one in tests. */
export interface OctetSource {
  read(phase: Phase): Promise<Uint8Array | null>
}

const lf = 0x0a

/**
 * Whether octets, one a character, are sent as one line. CR, LF and NUL would split the line. So would characters above
 * U+00FF: latin1 turns U+010A into LF.
 */
export function isOneLine(octets: string): boolean {
  return !/[\r\n\0]|[^\0-\xFF]/.test(octets)
}

/**
 * Reads lines from octets, however these are cut into segments. A line ends with CRLF, or with LF alone, as some
 * servers send it. `read` gives the octets that follow the lines.
 */
export class LineReader implements OctetSource {
  readonly #source: OctetSource
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(0)
  #endsBare = false

  constructor(source: OctetSource, context: RetrievalContext) {
    this.#source = source
    this.#context = context
  }

  /**
   * Reads the next line without its end, one octet a character. Returns null if the stream ends before another line
   * begins. Rejects with `receive-failed` if the stream ends within a line: a reply that was cut must not pass for a
   * complete one.
   */
  async line(phase: Phase): Promise<string | null> {
    const { maxLine, idleTimeout } = this.#context.limits
    const pieces: Uint8Array[] = []
    let length = 0
    const begun = performance.now()
    if (isTurnLong(begun)) await nextTurn(this.#context.deadline)
    while (true) {
      // Each octet restarts the idle timer, so a server that sends one octet a minute could take hours for a line.
      // Therefore a whole line must arrive within idleTimeout (threats.md case 60).
      if (pieces.length > 0 && performance.now() - begun > idleTimeout) {
        const advice = { option: 'limits.idleTimeout' } as const
        const time = `${idleTimeout / 1000} s (${adviceText(advice)})`
        const message = `The server took more than ${time} for one line. Try later.`
        throw this.#context.error('timeout', message, { phase, transient: true, advice })
      }
      const chunk = this.#take() ?? (await this.#source.read(phase))
      if (chunk === null) {
        if (length === 0) return null
        const message = 'The connection ended within a line; try again.'
        throw this.#context.error('receive-failed', message, { phase, transient: true })
      }
      const end = chunk.indexOf(lf)
      const piece = end === -1 ? chunk : chunk.subarray(0, end)
      length += piece.length
      if (length > maxLine) {
        throw this.#context.error('limit-exceeded', `The server sent a line of over ${maxLine} octets.`, { phase })
      }
      pieces.push(piece)
      if (end === -1) continue
      this.#held = chunk.subarray(end + 1)
      const line = Buffer.concat(pieces).toString('latin1')
      this.#endsBare = !line.endsWith('\r')
      return this.#endsBare ? line : line.slice(0, -1)
    }
  }

  /** True if the line that was read last ended with LF alone. The block after it then has such line ends, too. */
  get endsBare(): boolean {
    return this.#endsBare
  }

  /**
   * True if octets have arrived that nobody has read. Before a command is sent, such octets are more than the server
   * should send.
   */
  get holds(): boolean {
    return this.#held.length > 0
  }

  /** Reads the octets after the lines read so far, in chunks. Returns null at the end. */
  read(phase: Phase): Promise<Uint8Array | null> {
    if (this.#held.length === 0) return this.#source.read(phase)
    return isTurnLong() ? this.#readNextTurn(phase) : Promise.resolve(this.#take() ?? null)
  }

  async #readNextTurn(phase: Phase): Promise<Uint8Array | null> {
    await nextTurn(this.#context.deadline)
    return this.read(phase)
  }

  /** Gives octets back to be read next. Only the octets that were taken last may be given back. */
  unread(octets: Uint8Array): void {
    this.#held = this.#held.length === 0 ? octets : Buffer.concat([octets, this.#held])
  }

  /**
   * Makes a reader of the same stream for another retrieval. The new reader begins with the octets that this one holds.
   */
  handOver(source: OctetSource, context: RetrievalContext): LineReader {
    const reader = new LineReader(source, context)
    reader.#held = this.#take() ?? reader.#held
    reader.#endsBare = this.#endsBare
    return reader
  }

  #take(): Uint8Array | undefined {
    if (this.#held.length === 0) return undefined
    const held = this.#held
    this.#held = new Uint8Array(0)
    return held
  }
}

/**
 * Splits the body of a listing into lines without their ends, one octet a character. The last line needs no end.
 * Rejects with `limit-exceeded` if the listing exceeds limits.maxListing or a line exceeds limits.maxReply, always at
 * the same octet, however the body is cut into chunks.
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  context: Pick<RetrievalContext, 'limits' | 'error'>,
): AsyncGenerator<string> {
  const { maxListing, maxReply } = context.limits
  const tooLong = (limit: number): Error => context.error('limit-exceeded', `The listing is over ${limit} octets.`)
  let left = maxListing
  let open = ''
  for await (const chunk of body) {
    const isOver = chunk.length > left
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, left)).toString('latin1')
    left -= text.length
    const lines = (open + text).split('\n')
    open = lines.pop() ?? ''
    for (const line of lines) {
      if (line.length > maxReply) throw tooLong(maxReply)
      yield line.replace(/\r$/, '')
    }
    if (open.length > maxReply) throw tooLong(maxReply)
    if (isOver) throw tooLong(maxListing)
  }
  if (open !== '') yield open.replace(/\r$/, '')
}
