import { RetrievalError } from '@retriever/core'
import type { Dialogue } from './dialogue.ts'
import type { LineEnds } from './line-ends.ts'
import { isPositive, type Reply, wordsOf } from './replies.ts'
import type { Transfer } from './transfer.ts'

export interface BodyOptions {
  /** Octets that must come, no fewer; more are let through, since files grow. */
  readonly expected?: number | undefined
  /** After REST: more than these would be octets from the wrong place. */
  readonly atMost?: number | undefined
  /** Octets wanted; the connection is closed after the last of them. */
  readonly wanted?: number | undefined
  /** TYPE A: what makes local line ends of CRLF. */
  readonly lineEnds?: LineEnds
  /** A last check before an empty body is given out as whole. */
  readonly whenEmpty?: () => Promise<void>
}

/**
 * The octets of one transfer, pulled one chunk at a time. They are whole where the data connection has ended AND the control
 * connection says 2yz, in either order; what ends in any other way ends with `partial`. Frees both connections at its end.
 */
export class TransferBody implements AsyncIterableIterator<Uint8Array> {
  readonly #dialogue: Dialogue
  readonly #transfer: Transfer
  readonly #options: BodyOptions
  #received = 0
  #over = false

  constructor(dialogue: Dialogue, transfer: Transfer, options: BodyOptions) {
    this.#dialogue = dialogue
    this.#transfer = transfer
    this.#options = options
    // A server that says 451 may leave the data connection open; it will send no more.
    const giveUp = (): void => transfer.data.close()
    transfer.exchange.last.then((reply) => isPositive(reply) || giveUp(), giveUp)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      while (!this.#over) {
        const chunk = await this.#pull()
        if (chunk.length > 0) return { done: false, value: chunk }
      }
      return { done: true, value: undefined }
    } catch (error) {
      this.#abandon()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#abandon()
    return { done: true, value: undefined }
  }

  /** The next octets; none where a chunk was but half a line end, and at the end. */
  async #pull(): Promise<Uint8Array> {
    const { wanted, atMost, lineEnds } = this.#options
    const chunk = await this.#transfer.data.read()
    if (chunk === null) {
      await this.#finish()
      return lineEnds?.end() ?? nothing
    }
    const left = (wanted ?? Number.POSITIVE_INFINITY) - this.#received
    this.#received += Math.min(chunk.length, left)
    if (atMost !== undefined && this.#received > atMost) throw this.#restIgnored()
    if (chunk.length >= left) this.#abandon()
    return lineEnds?.push(chunk) ?? chunk.subarray(0, left)
  }

  /** The data connection has ended: is that all? */
  async #finish(): Promise<void> {
    const { expected, whenEmpty } = this.#options
    this.#transfer.data.close()
    const reply = await this.#lastReply()
    if (!isPositive(reply)) throw this.#partial(`The server broke off the transfer: ${wordsOf(reply)}.`, reply)
    if (expected !== undefined && this.#received < expected) {
      throw this.#partial(`The server announced ${expected} octets and sent ${this.#received}.`, reply)
    }
    if (this.#received === 0) await whenEmpty?.()
    this.#over = true
    this.#dialogue.control.end()
  }

  async #lastReply(): Promise<Reply> {
    const { deadline } = this.#dialogue.context
    return deadline.within('body', async () => {
      try {
        return await this.#transfer.exchange.last
      } catch (cause) {
        if (RetrievalError.is(cause) && cause.code === 'protocol-violation') throw cause
        throw this.#partial(
          'The control connection was lost before the server had confirmed the transfer.',
          undefined,
          cause,
        )
      }
    })
  }

  #restIgnored(): RetrievalError {
    const message = 'The server sends more than there is after that octet: it has ignored REST. Retrieve the whole.'
    return this.#dialogue.context.error('range-refused', message, { phase: 'body' })
  }

  #partial(what: string, reply?: Reply, cause?: unknown): RetrievalError {
    const words = reply === undefined ? {} : { reply: wordsOf(reply) }
    const message = `${what} ${this.#received} octets have come; try again.`
    return this.#dialogue.context.error('partial', message, { phase: 'body', ...words, cause })
  }

  #abandon(): void {
    this.#over = true
    this.#transfer.data.close()
    this.#dialogue.control.close()
  }
}

const nothing = new Uint8Array(0)
