import type { ByteSource } from '../../contract/byte-source.ts'
import type { Limits } from '../../contract/limits.ts'
import type { OctetSource } from '../../wire/framing/lines.ts'
import { OctetBuffer } from './octet-buffer.ts'

/**
 * An RFC 1436 text up to the end of the connection. By the RFC a line `.` ends the text, and lines that begin with a
 * dot have it doubled. Most servers do neither (pygopherd, gophernicus), and a `.` line in the middle belongs to the
 * text. Only the end of the stream tells which of the two it was:
 *
 * - nothing ends the text but the end of the connection;
 * - if the last line of all is `.`, it is the end mark and dropped;
 * - then, and only then, lines that begin with `..` lose a dot - unless some line before the end begins with a single
 *   dot, which no server sends that doubles them. Such a text has not been doubled, and stays octet for octet.
 *
 * Octets flow through as they come up to the first line that begins with `..`; from there on they are held, until the
 * end or a line that began with a single dot says what they mean. limits.maxCollected bounds what is held; past it, the
 * text goes on as it came.
 */
export class TextOctets implements ByteSource {
  readonly #source: OctetSource
  readonly #text: DottedText
  #isOver = false

  constructor(source: OctetSource, { maxCollected }: Pick<Limits, 'maxCollected'>) {
    this.#source = source
    this.#text = new DottedText(maxCollected)
  }

  async read(): Promise<Uint8Array | null> {
    while (!this.#isOver) {
      const chunk = await this.#source.read('body')
      this.#isOver = chunk === null
      const value = chunk === null ? this.#text.end() : this.#text.push(chunk)
      if (value.length > 0) return value
    }
    return null
  }

  /** ConnectionBody closes the connection. */
  async cancel(): Promise<void> {
    this.#isOver = true
  }
}

type State =
  | 'line-start'
  | 'dot' // one dot at the start of a line
  | 'dot-cr' // the same and a CR
  | 'dot-line' // a whole line that is a dot; the end mark if nothing follows
  | 'in-line'

const dot = 0x2e
const cr = 0x0d
const lf = 0x0a

/** The state machine. Its output does not depend on how the octets were cut into chunks. */
class DottedText {
  readonly #limit: number
  #state: State = 'line-start'
  /** Octets that may be the end mark: `.`, `.` CR, `.` LF or `.` CR LF. */
  #mark: number[] = []
  /**
   * The octets from the first line that begins with `..` on. Undefined before that line, and after it is certain that
   * no dot will be removed.
   */
  #held: OctetBuffer | undefined
  #doubled: 'unknown' | 'no' = 'unknown'

  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#passes(chunk)) return chunk
    const ready = new OctetBuffer(chunk.length + this.#mark.length)
    let start = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#state === 'in-line') {
        const end = chunk.indexOf(lf, at)
        if (end === -1) break
        this.#state = 'line-start'
        at = end + 1
        continue
      }
      const octet = chunk[at] as number
      if (this.#isMark(octet)) {
        if (this.#mark.length === 0) this.#emit(ready, chunk.subarray(start, at))
        this.#mark.push(octet)
        start = ++at
        continue
      }
      this.#passMark(ready, octet)
      // The line before was only a dot. This octet begins the next line and may be a dot itself, so look again.
      if (this.#state === 'dot-line') this.#state = 'line-start'
      else {
        this.#state = octet === lf ? 'line-start' : 'in-line'
        at++
      }
    }
    this.#emit(ready, chunk.subarray(start))
    return ready.take()
  }

  /** Whether the chunk passes unchanged, as in most texts: nothing is held, and none of its lines begins with a dot. */
  #passes(chunk: Uint8Array): boolean {
    if (chunk.length === 0 || this.#held !== undefined || this.#mark.length > 0) return false
    if (this.#state === 'line-start' && chunk[0] === dot) return false
    if (Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).includes('\n.')) return false
    this.#state = chunk.at(-1) === lf ? 'line-start' : 'in-line'
    return true
  }

  /** Returns the octets that are still held after all have been pushed. */
  end(): Uint8Array {
    const held = this.#held?.take() ?? new Uint8Array(0)
    return this.#mark.length > 0 ? undouble(held) : held
  }

  /** Whether the octet continues what may be the end mark. Updates the state. */
  #isMark(octet: number): boolean {
    const state = this.#state
    if (state === 'line-start' && octet === dot) this.#state = 'dot'
    else if (state === 'dot' && octet === cr) this.#state = 'dot-cr'
    else if ((state === 'dot' || state === 'dot-cr') && octet === lf) this.#state = 'dot-line'
    else return false
    return true
  }

  /** That octet was text, so emit the held dot. */
  #passMark(ready: OctetBuffer, octet: number): void {
    if (this.#mark.length === 0) return
    const doubled = this.#state === 'dot' && octet === dot
    if (!doubled) this.#release(ready)
    else if (this.#doubled === 'unknown') this.#held ??= new OctetBuffer()
    const mark = Uint8Array.from(this.#mark)
    this.#mark = []
    this.#emit(ready, mark)
  }

  #emit(ready: OctetBuffer, octets: Uint8Array): void {
    const target = this.#held ?? ready
    target.add(octets)
    if (target !== ready && target.length > this.#limit) this.#release(ready)
  }

  /** Emits the held octets unchanged: no line of this text had its dot doubled. */
  #release(ready: OctetBuffer): void {
    this.#doubled = 'no'
    const held = this.#held?.take()
    this.#held = undefined
    if (held !== undefined) ready.add(held)
  }
}

/** Removes one dot from each line that begins with two. */
function undouble(text: Uint8Array): Uint8Array {
  const octets = new OctetBuffer(text.length)
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf(lf, start)
    const end = next === -1 ? text.length : next + 1
    octets.add(text.subarray(text[start] === dot && text[start + 1] === dot ? start + 1 : start, end))
    start = end
  }
  return octets.take()
}
