import { adviceText, printable } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { ExactReader } from '../wire/exact-reader.ts'
import type { Connection } from '../wire/transport/connection.ts'

const headerLength = 25
/** Octets before a packet that are passed over, as freeWAIS does it. */
const maxNoise = 1024
/** The most acknowledgements before an answer: a server could send them for ever. */
const maxAcknowledgements = 16
/** The largest packet: ten times what servers of old agreed to send. */
const maxPacket = 1024 * 1024

/** Sends requests of WAIS and reads the answers, one at a time: two requests at once end the connection. */
export class WaisDialogue {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  readonly #reader: ExactReader

  constructor(connection: Connection, context: RetrievalContext) {
    this.#connection = connection
    this.#context = context
    this.#reader = new ExactReader(connection, context)
  }

  /** Sends a packet and gives the APDU of the answer. Rejects with `server-refused` for an empty one. */
  async ask(packet: string, phase: 'request' | 'body'): Promise<Buffer> {
    await this.#connection.sendMessage(packet)
    for (let acknowledgements = 0; ; acknowledgements++) {
      if (acknowledgements > maxAcknowledgements) throw this.#noAnswer(phase)
      const { length, type } = await this.#header(phase)
      if (length > maxPacket) throw this.#tooLong(length, phase)
      const octets = length === 0 ? Buffer.alloc(0) : await this.#reader.exactly(length, phase)
      if (octets === null) throw this.#closed(phase)
      // An acknowledgement (RFC 1625 3) says nothing of the answer.
      if (type === 'a') continue
      if (type === 'n' || octets.length === 0) throw this.#refused(phase)
      return octets
    }
  }

  /**
   * The header of RFC 1625 3: ten digits, type, version, server's name, compression, encoding, checksum. Other octets
   * before it are passed over, as clients of old did.
   */
  async #header(phase: 'request' | 'body'): Promise<{ readonly length: number; readonly type: string }> {
    let read = ''
    while (true) {
      const octet = await this.#reader.exactly(1, phase)
      if (octet === null) throw read === '' ? this.#closed(phase) : this.#noWais(read, phase)
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

  /** freeWAIS answers with nothing what it does not understand, and what does not fit into a packet. */
  #refused(phase: 'request' | 'body'): Error {
    if (phase === 'body') {
      return this.#context.error('partial', 'The server broke the document off: it sent an empty answer.', { phase })
    }
    const advice = { option: 'limit' } as const
    const message = `The server sent an empty answer: it cannot answer this, or the answer is too large. Try fewer by ${adviceText(advice)}.`
    return this.#context.error('server-refused', message, { phase, advice })
  }
}
