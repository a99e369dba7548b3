import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { OctetSource } from '../../wire/framing/lines.ts'
import { isTurnLong, nextTurn } from '../../wire/turn.ts'

/** The largest record: the largest answer that we ask for, with room for its head. */
export const maxRecord: number = 1024 * 1024 + 4096
/** How many fragments a record may have. Servers send one or two; a hostile one could send empty ones for ever. */
const maxFragments = 1024

/** Reads the records of a stream. Each comes in one or more fragments (RFC 5531 11). */
export class RecordReader {
  readonly #source: OctetSource
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(0)

  constructor(source: OctetSource, context: RetrievalContext) {
    this.#source = source
    this.#context = context
  }

  /** Reads the next record into memory of its own. Returns null if the stream ends before it. */
  async next(phase: Phase): Promise<Buffer | null> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    const fragments: Buffer[] = []
    let length = 0
    while (fragments.length < maxFragments) {
      const head = await this.#exactly(4, phase, fragments.length === 0)
      if (head === null) return null
      const mark = head.readUInt32BE(0)
      const size = mark & 0x7fffffff
      length += size
      if (length > maxRecord) {
        throw this.#violation(`The server announces a message of ${length} octets, and ${maxRecord} are allowed`, phase)
      }
      const fragment = await this.#exactly(size, phase, false)
      if (fragment !== null) fragments.push(fragment)
      if (mark >= 0x8000_0000) return fragments.length === 1 ? (fragments[0] ?? null) : Buffer.concat(fragments)
    }
    throw this.#violation(`The server sends a message in more than ${maxFragments} fragments`, phase)
  }

  async #exactly(length: number, phase: Phase, mayEnd: boolean): Promise<Buffer | null> {
    const octets = Buffer.allocUnsafeSlow(length)
    for (let filled = 0; filled < length; ) {
      if (this.#held.length === 0) {
        const chunk = await this.#source.read(phase)
        if (chunk === null && filled === 0 && mayEnd) return null
        if (chunk === null) throw this.#cut(phase)
        this.#held = chunk
      }
      const some = this.#held.subarray(0, length - filled)
      octets.set(some, filled)
      filled += some.length
      this.#held = this.#held.subarray(some.length)
    }
    return octets
  }

  #cut(phase: Phase): Error {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The connection ended within a message; try again.'
    return this.#context.error(code, message, { phase, transient: true })
  }

  #violation(what: string, phase: Phase): Error {
    return this.#context.error('protocol-violation', `${what}; the connection was closed. Check the port.`, { phase })
  }
}
