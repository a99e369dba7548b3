import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../../contract/byte-source.ts'
import { type UnreadBody, unreadError } from '../../../wire/pool/unread-watch.ts'
import type { Breakable } from '../../../wire/resuming-source.ts'
import { isPermanent, isPositive, type Reply, withReplyTimeout, wordsOf } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { restIgnored } from './growth.ts'
import type { LineEnds } from './line-ends.ts'
import type { Transfer } from './transfer.ts'

/** How many milliseconds a server has to confirm a complete transfer: it may still write its log. */
const replyTimeout = 30_000

/** How many octets after a range, and for how long, we read and discard: another login costs more. */
const maxDrained = 65_536
const drainTime = 1000
/** How many milliseconds octets may still arrive after the server has said that the transfer is over. */
const grace = 1000

export interface BodyOptions {
  /** How many octets must come at least. More may come, since files grow. */
  readonly expected?: number | undefined
  /**
   * True if SIZE gave that number. This many octets are the whole, even if the server never confirms it (threats.md
   * R16).
   */
  readonly isProven?: boolean
  /** How many octets may come at most. If more come, the server has ignored REST. */
  readonly atMost?: number | undefined
  /**
   * How many octets are wanted. The connection is closed after the last of them, unless only a few more are to come.
   */
  readonly wanted?: number | undefined
  /** How many octets will follow the wanted ones, if known. */
  readonly surplus?: number | undefined
  /** Converts CRLF to local line ends, for TYPE A. */
  readonly lineEnds?: LineEnds
  /**
   * Throws if the body is incomplete after all. It gets the reply that ended the transfer, and the number of octets.
   */
  readonly check?: (reply: Reply, received: number) => Promise<void>
}

/**
 * The octets of one transfer, pulled one chunk at a time. Each chunk is valid until the next. They are complete if the
 * data connection has ended AND the control connection says 2yz, in either order; any other end is `partial`. At the
 * end the session is free for another retrieval, or closed.
 */
export class TransferBody implements ByteSource, Breakable, UnreadBody {
  readonly #retrieval: FtpRetrieval
  readonly #transfer: Transfer
  readonly #options: BodyOptions
  #received = 0
  #over = false
  /** True after all wanted octets have been given out. */
  #isSated = false
  /** How many octets followed the last wanted ones in the same chunk. */
  #surplus = 0
  /** True if more octets followed the wanted ones than the file has there. */
  #isBeyond = false
  #isReading = false
  /** True after the server has said that it broke off the transfer. */
  #isCut = false
  /** True after the server has said that the transfer is complete. */
  #isConfirmed = false
  #grace: NodeJS.Timeout | undefined
  #unlink: () => void = () => {}
  /** True if the server has said how the transfer ended, and would say the same again: 226 with too few octets, 552. */
  #isFinal = false
  isBroken = false
  /**
   * True if a command or a port that we requested in advance may be the cause. We then request none in advance any
   * more.
   */
  isOwnFault = false
  readonly reusesChunks = true
  unreadSince: number | null = performance.now()
  #isEvicted = false

  constructor(retrieval: FtpRetrieval, transfer: Transfer, options: BodyOptions) {
    this.#retrieval = retrieval
    this.#transfer = transfer
    this.#options = options
    retrieval.session.body = this
    transfer.exchange.last.then(
      (reply) => this.#told(isPositive(reply)),
      () => this.#told(false),
    )
    // The retrieval may end between two reads.
    this.#unlink = retrieval.context.deadline.onAbort(() => this.#abandon())
  }

  async read(): Promise<Uint8Array | null> {
    this.unreadSince = null
    try {
      if (this.#isEvicted) throw unreadError(this.#retrieval.context)
      while (!this.#over) {
        const chunk = await this.#pull()
        if (chunk.length > 0) return chunk
      }
      return null
    } catch (error) {
      const isPartial = RetrievalError.is(error) && error.code === 'partial'
      if (isPartial) this.isOwnFault = this.#isEvicted || this.#retrieval.session.noteTransferFailed()
      this.isBroken = isPartial && !this.#isFinal
      this.#abandon()
      this.#retrieval.context.deadline.throwIfAborted()
      throw error
    } finally {
      this.unreadSince = performance.now()
    }
  }

  /** Closes the connection of a body that nobody reads. The next read resumes it in another session, if possible. */
  evict(): void {
    if (this.#over) return
    this.#isEvicted = true
    this.#abandon()
  }

  async cancel(): Promise<void> {
    this.#abandon()
  }

  /** Whether as many octets have come as SIZE announced. */
  get #isWhole(): boolean {
    return this.#options.isProven === true && this.#received === this.#options.expected
  }

  /** Reads the next octets. Returns none at the end, and none if a chunk held only half a line end. */
  async #pull(): Promise<Uint8Array> {
    const { wanted, surplus = Number.POSITIVE_INFINITY, atMost, lineEnds } = this.#options
    if (this.#isSated) return this.#drain()
    const chunk = await this.#receive()
    if (chunk === null) {
      await this.#finish()
      return lineEnds?.end() ?? nothing
    }
    const left = (wanted ?? Number.POSITIVE_INFINITY) - this.#received
    this.#received += Math.min(chunk.length, left)
    if (atMost !== undefined && this.#received > atMost) throw restIgnored(this.#retrieval.context)
    if (chunk.length >= left) {
      this.#surplus = chunk.length - left
      if (surplus > maxDrained) this.#abandon()
      else this.#isSated = true
    }
    return lineEnds?.push(chunk) ?? chunk.subarray(0, left)
  }

  /**
   * Reads the octets after the wanted ones. If that fails, only the session is lost. But if there are more than the
   * file has, the server began at the first octet (threats.md R18).
   */
  async #drain(): Promise<Uint8Array> {
    const { context } = this.#retrieval
    const rest = withReplyTimeout(context, this.#readToEnd(), drainTime, 'The rest of the file takes too long.')
    await rest.catch(() => this.#abandon())
    if (this.#isBeyond) throw restIgnored(context)
    return nothing
  }

  async #readToEnd(): Promise<void> {
    const { data, exchange } = this.#transfer
    const { wanted = 0, surplus = 0, atMost } = this.#options
    // The file may have grown since SIZE, but not by this much.
    const limit = atMost === undefined ? maxDrained : Math.min(atMost - wanted, surplus + maxDrained)
    for (let count = this.#surplus; ; ) {
      this.#isBeyond = atMost !== undefined && count > limit
      if (count > limit) break
      const chunk = await data.read()
      if (chunk !== null) {
        count += chunk.length
        continue
      }
      const reply = await exchange.last
      this.#retrieval.session.control.report(reply)
      if (this.#over || !isPositive(reply)) break
      data.close()
      this.#end()
      return this.#retrieval.done()
    }
    this.#abandon()
  }

  async #receive(): Promise<Uint8Array | null> {
    this.#isReading = true
    this.#expectNoMore()
    try {
      return await this.#transfer.data.read()
    } catch (error) {
      // Some servers and firewalls end a whole file by a reset. The final reply then decides, as after any other end.
      if (this.#isWhole && RetrievalError.is(error) && error.code === 'partial') return null
      throw error
    } finally {
      this.#isReading = false
      clearTimeout(this.#grace)
    }
  }

  #told(isComplete: boolean): void {
    if (isComplete) this.#isConfirmed = true
    else this.#isCut = true
    if (this.#isReading) this.#expectNoMore()
  }

  /**
   * Closes the data connection soon after 426 or 451, and soon after 226 and all octets of SIZE: the server will send
   * no more, but may leave it open. Octets that it sent before are still under way, or wait for the consumer.
   */
  #expectNoMore(): void {
    if (!this.#isCut && !(this.#isConfirmed && this.#isWhole)) return
    this.#grace = setTimeout(() => this.#transfer.data.close(), grace)
  }

  /** Ends the body after the data connection. Throws unless the octets are complete. */
  async #finish(): Promise<void> {
    const { expected, check } = this.#options
    this.#transfer.data.close()
    const reply = await this.#lastReply()
    if (reply === null) return this.#abandon()
    this.#isFinal = isPositive(reply) || isPermanent(reply)
    if (!isPositive(reply)) throw this.#partial(`The server broke off the transfer ("${wordsOf(reply)}").`, reply)
    if (expected !== undefined && this.#received < expected) {
      throw this.#partial(`The server announced ${expected} octets and sent ${this.#received}.`, reply)
    }
    await check?.(reply, this.#received)
    this.#end()
    this.#retrieval.session.noteTransferDone()
    this.#retrieval.done()
  }

  /** Returns the reply that ends the transfer. Null if none came and the octets are complete without it. */
  async #lastReply(): Promise<Reply | null> {
    const { expected } = this.#options
    const isWhole = this.#isWhole
    const { context } = this.#retrieval
    const { last } = this.#transfer.exchange
    try {
      const reply = await context.deadline.within('body', () => {
        return isWhole ? withReplyTimeout(context, last, replyTimeout, 'The server does not confirm.') : last
      })
      this.#retrieval.session.control.report(reply)
      return reply
    } catch (cause) {
      if (context.deadline.reason !== null || isViolation(cause)) throw cause
      const lost = 'The control connection was lost before the server had confirmed the transfer.'
      if (!isWhole) throw this.#partial(lost, undefined, cause)
      const message = `The server has not confirmed the transfer; all ${expected} octets have come.`
      context.emit({ type: 'remark', url: context.url, message })
      return null
    }
  }

  #partial(what: string, reply?: Reply, cause?: unknown): RetrievalError {
    const words = reply === undefined ? {} : { reply: wordsOf(reply) }
    const message = `${what} ${this.#received} octets have come; try again.`
    return this.#retrieval.context.error('partial', message, { phase: 'body', ...words, cause })
  }

  #abandon(): void {
    if (this.#over) return
    this.#end()
    this.#transfer.data.close()
    this.#retrieval.drop()
  }

  #end(): void {
    this.#over = true
    this.#unlink()
  }
}

function isViolation(error: unknown): boolean {
  return RetrievalError.is(error) && error.code === 'protocol-violation'
}

const nothing = new Uint8Array(0)
