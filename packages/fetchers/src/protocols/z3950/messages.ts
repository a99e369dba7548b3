import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { BerError, ElementEnd } from '../../wire/framing/ber.ts'
import { type BerNode, readTree } from '../../wire/framing/ber-tree.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { isTurnLong, nextTurn } from '../../wire/turn.ts'

/** How many octets one message may have: sixteen times what the client says it prefers (threats.md case 63). */
const maxMessage = 16 * 1024 * 1024

/** Reads a server's messages (APDUs) one at a time, complete and checked. */
export class MessageReader {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(4096)
  #length = 0

  constructor(connection: Connection, context: RetrievalContext) {
    this.#connection = connection
    this.#context = context
  }

  /** Reads the next message. Returns null if the connection ends before it. */
  async next(phase: Phase): Promise<{ readonly message: BerNode; readonly octets: Uint8Array } | null> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    const end = new ElementEnd()
    try {
      while (true) {
        const octets = this.#held.subarray(0, this.#length)
        // Each message is a context-specific, constructed element (Z39.50-1995 4.1).
        if (octets[0] !== undefined && octets[0] >> 5 !== 5) throw new BerError('it begins with no message')
        const size = end.find(octets)
        if (end.reached > maxMessage || this.#length > maxMessage)
          throw this.#tooLong(Math.max(end.reached, this.#length))
        if (size !== undefined && size <= this.#length) return this.#take(size)
        if (!(await this.#receive(phase))) return this.#ended(phase)
      }
    } catch (error) {
      throw error instanceof BerError ? noZ3950(this.#context, error) : error
    }
  }

  #take(size: number): { readonly message: BerNode; readonly octets: Uint8Array } {
    const octets = this.#held.slice(0, size)
    this.#held.copyWithin(0, size, this.#length)
    this.#length -= size
    return { message: readTree(octets), octets }
  }

  async #receive(phase: Phase): Promise<boolean> {
    const chunk = await this.#connection.read(phase)
    if (chunk === null) return false
    const length = this.#length + chunk.length
    if (length > this.#held.length) {
      const larger = new Uint8Array(Math.max(length, this.#held.length * 2))
      larger.set(this.#held.subarray(0, this.#length))
      this.#held = larger
    }
    this.#held.set(chunk, this.#length)
    this.#length = length
    return true
  }

  #ended(phase: Phase): null {
    if (this.#length === 0) return null
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The connection ended within a message; try again.'
    throw this.#context.error(code, message, { phase, transient: true })
  }

  #tooLong(size: number): Error {
    const message = `The server announced a message of ${size} octets; ${maxMessage} is the most.`
    return this.#context.error('limit-exceeded', message)
  }
}

/** Makes the error for octets that are no message of Z39.50. */
export function noZ3950(context: RetrievalContext, cause: Error): Error {
  const message = `The answer is no Z39.50: ${cause.message}. Check scheme and port.`
  return context.error('protocol-violation', message, { cause })
}
