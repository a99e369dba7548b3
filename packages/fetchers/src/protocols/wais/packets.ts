import { type Phase, printable } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { ExactReader } from '../../wire/exact-reader.ts'
import type { Connection } from '../../wire/transport/connection.ts'

const headerLength = 25
/** How many octets before a packet are skipped, as freeWAIS does. */
const maxNoise = 1024
/** How many acknowledgements may precede an answer: a server could send them for ever. */
const maxAcknowledgements = 16
/** The largest packet: ten times what old servers agreed to send. */
const maxPacket = 1024 * 1024

/**
 * Sends requests of WAIS and reads the answers. Two requests at once end the connection, since freeWAIS throws away
 * what it has read after the first.
 */
export class WaisDialogue {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  readonly #reader: ExactReader
  /** The next request, and how many of its octets have been sent. */
  #next: { readonly packet: string; sent: number } | null = null

  constructor(connection: Connection, context: RetrievalContext) {
    this.#connection = connection
    this.#context = context
    const read = async (phase: Phase): Promise<Uint8Array | null> => {
      await this.#acknowledge()
      return await connection.read(phase)
    }
    this.#reader = new ExactReader({ read }, context)
  }

  /** Sends a request, or the rest of it. */
  async send(packet: string): Promise<void> {
    const from = this.#next?.packet === packet ? this.#next.sent : 0
    this.#next = null
    await this.#connection.sendMessage(packet.slice(from), packet)
  }

  /**
   * Sends the next request octet by octet while the answer comes. freeWAIS writes 4096 octets of an answer at a time,
   * and its system holds a write back until we have acknowledged the one before it (Nagle). Our system does that after
   * 40 ms, or with octets that we send. The server has read the request that it answers, so none of these octets is
   * lost.
   */
  async #acknowledge(): Promise<void> {
    const next = this.#next
    if (next !== null && next.sent < next.packet.length - 1) {
      await this.#connection.sendFrame(next.packet[next.sent++] ?? '')
    }
  }

  /**
   * Returns the APDU of the answer. `following` gets its length as soon as its header has come, and returns the request
   * that will follow, or null if that is not known. Rejects with `server-refused` for an empty answer.
   */
  async answer(phase: 'request' | 'body', following: (length: number) => string | null = () => null): Promise<Buffer> {
    for (let acknowledgements = 0; ; acknowledgements++) {
      if (acknowledgements > maxAcknowledgements) throw this.#noAnswer(phase)
      const { length, type } = await this.#header(phase)
      if (length > maxPacket) throw this.#tooLong(length, phase)
      const packet = type === 'z' ? following(length) : null
      if (packet !== null) this.#next = { packet, sent: 0 }
      const octets = length === 0 ? Buffer.alloc(0) : await this.#reader.exactly(length, phase)
      if (octets === null) throw this.#closed(phase)
      // An acknowledgement (RFC 1625 3) says nothing of the answer.
      if (type === 'a') continue
      if (type === 'n' || octets.length === 0) throw this.#refused(phase)
      return octets
    }
  }

  /** The request that has been sent in part. Null if there is none. */
  get begun(): string | null {
    return this.#next !== null && this.#next.sent > 0 ? this.#next.packet : null
  }

  /**
   * Reads the header of RFC 1625 3: ten digits, type, version, server's name, compression, encoding, checksum. Skips
   * other octets before it, as old clients did.
   */
  async #header(phase: 'request' | 'body'): Promise<{ readonly length: number; readonly type: string }> {
    let read = ''
    while (true) {
      const octet = await this.#reader.exactly(1, phase)
      if (octet === null) throw this.#ended(read, phase)
      read += octet.toString('latin1')
      if (read.length < headerLength) continue
      const header = read.slice(-headerLength)
      const [, length = '', type = '', coding = ''] = /^(\d{10})([zan])\d.{10}(..)/is.exec(header) ?? []
      if (length === '' && read.length <= maxNoise) continue
      if (length === '') throw this.#noWais(read, phase)
      if (coding !== '  ') throw this.#coded(phase)
      const { emit, url } = this.#context
      emit({ type: 'received', url, octets: header })
      return { length: Number(length), type: type.toLowerCase() }
    }
  }

  /** Makes the error if the connection ended within a header, or before it. */
  #ended(read: string, phase: 'request' | 'body'): Error {
    if (read === '') return this.#closed(phase)
    if (!/^(?:\d{1,10}$|\d{10}[zan])/i.test(read)) return this.#noWais(read, phase)
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The connection ended within the header of an answer; try again.'
    return this.#context.error(code, message, { phase, transient: true })
  }

  #closed(phase: 'request' | 'body'): Error {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message =
      'The server closed the connection without an answer. It may know no such database, or not speak WAIS.'
    return this.#context.error(code, message, { phase, transient: true })
  }

  #coded(phase: 'request' | 'body'): Error {
    const message = 'The server compresses or encodes its answer, which was not asked for.'
    return this.#context.error('protocol-violation', message, { phase })
  }

  #noWais(octets: string, phase: 'request' | 'body'): Error {
    const message = `The server answered "${printable(octets.slice(0, 100))}", which is no WAIS. Check scheme and port.`
    return this.#context.error('protocol-violation', message, { phase })
  }

  #noAnswer(phase: 'request' | 'body'): Error {
    const message = 'The server acknowledges the request again and again, and does not answer it.'
    return this.#context.error('protocol-violation', message, { phase })
  }

  #tooLong(length: number, phase: 'request' | 'body'): Error {
    const message = `The server announces a packet of ${length} octets; at most ${maxPacket} are taken.`
    return this.#context.error('limit-exceeded', message, { phase })
  }

  /**
   * Makes the error for an empty answer. freeWAIS sends one for what it does not understand, and for what does not fit
   * into a packet.
   */
  #refused(phase: 'request' | 'body'): Error {
    if (phase === 'body') {
      return this.#context.error('partial', 'The server broke the document off: it sent an empty answer.', { phase })
    }
    const advice = { option: 'limit' } as const
    const message = `The server sent an empty answer: it cannot answer this, or the answer is too large. Try fewer by ${adviceText(advice)}.`
    return this.#context.error('server-refused', message, { phase, advice })
  }
}
