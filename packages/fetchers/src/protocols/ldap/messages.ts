import type { RetrievalContext } from '../../contract/fetcher.ts'
import { BerError, checkElements, type Element, elementAt } from '../../wire/framing/ber.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { isTurnLong, nextTurn } from '../../wire/turn.ts'

/** How many octets one message may have: a directory keeps photographs, but no films (threats.md case 63). */
const maxMessage = 16 * 1024 * 1024

/** LDAPMessage is a SEQUENCE that begins with its number, an INTEGER (RFC 4511 4.1.1). */
const sequence = 0x30
const integer = 0x02

/** The phases in which we wait for a message. */
export type MessagePhase = 'tls' | 'login' | 'request' | 'body'

/** Reads LDAP messages from a connection one at a time, complete and checked. */
export class MessageReader {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(0)
  readonly #more: Uint8Array[] = []
  /** How many octets #held and #more have together. */
  #length = 0

  constructor(connection: Connection, context: RetrievalContext) {
    this.#connection = connection
    this.#context = context
  }

  /** Whether octets have arrived that no message has taken. */
  get holds(): boolean {
    return this.#length > 0
  }

  /** Whether next() need not wait: the next message has arrived, or octets that are none, which next() rejects. */
  get holdsMessage(): boolean {
    try {
      const frame = this.#frame()
      return frame !== undefined && frame.end <= this.#length
    } catch {
      return true
    }
  }

  /**
   * Waits for the first octets of a message under the limit of a request, and then for its operation's tag, which says
   * entry or result. The message stays unread. Returns null if the connection has ended.
   */
  async peekOperation(): Promise<number | null> {
    if (!this.holds && !(await this.#receive('request'))) return null
    return this.#interpret(async () => {
      for (let size = 2; ; size++) {
        if (!(await this.#fill(size))) throw this.#cut('body')
        const octets = this.#joined()
        const frame = this.#frame()
        const id = frame && elementAt(octets, frame.start)
        if (id !== undefined && (id.tag !== integer || id.end - id.start > 4)) {
          throw new BerError('a message begins without its number')
        }
        const tag = id && octets[id.end]
        if (tag !== undefined) return tag
      }
    })
  }

  /**
   * Reads the next message, whose elements are nested as their lengths say. Returns null if the connection ends before
   * it.
   */
  async next(phase: MessagePhase): Promise<Uint8Array | null> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    return this.#interpret(async () => {
      if (!this.holds && !(await this.#receive(phase))) return null
      let frame = this.#frame()
      while (frame === undefined || frame.end > this.#length) {
        if (!(await this.#receive(phase))) throw this.#cut(phase)
        frame = this.#frame()
      }
      const octets = this.#joined()
      const message = octets.subarray(0, frame.end)
      this.#held = octets.subarray(frame.end)
      this.#length = this.#held.length
      checkElements(message)
      return message
    })
  }

  /**
   * Returns the place of the message that begins with the first octet held. Undefined if too few octets have arrived.
   */
  #frame(): Element | undefined {
    // Six octets hold the tag and the longest length.
    if (this.#held.length < 6 && this.#more.length > 0) this.#joined()
    if (this.#held.length > 0 && this.#held[0] !== sequence) throw new BerError('it does not begin with a SEQUENCE')
    const frame = elementAt(this.#held, 0)
    if (frame !== undefined && frame.end > maxMessage) {
      const message = `The server announced a message of ${frame.end} octets; ${maxMessage} is the most.`
      throw this.#context.error('limit-exceeded', message)
    }
    return frame
  }

  async #fill(size: number): Promise<boolean> {
    while (this.#length < size) if (!(await this.#receive('body'))) return false
    return true
  }

  async #receive(phase: MessagePhase): Promise<boolean> {
    const chunk = await this.#connection.read(phase)
    if (chunk === null) return false
    this.#length += chunk.length
    if (this.#held.length === 0) this.#held = chunk
    else this.#more.push(chunk)
    return true
  }

  #joined(): Uint8Array {
    if (this.#more.length > 0) this.#held = Buffer.concat([this.#held, ...this.#more.splice(0)])
    return this.#held
  }

  async #interpret<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      throw error instanceof BerError ? noLdap(this.#context, error) : error
    }
  }

  #cut(phase: MessagePhase): Error {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    return this.#context.error(code, 'The connection ended within a message; try again.', { phase, transient: true })
  }
}

/** Makes the error for octets that are no message of LDAP. */
export function noLdap(context: RetrievalContext, cause: Error): Error {
  const message = `The answer is no LDAP: ${cause.message}. Check scheme and port.`
  return context.error('protocol-violation', message, { cause })
}
