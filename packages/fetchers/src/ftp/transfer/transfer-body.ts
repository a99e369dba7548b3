import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../plugin/byte-source.ts'
import type { UnreadBody } from '../../wire/pool/unread-watch.ts'
import type { Breakable } from '../../wire/resuming-source.ts'
import { isPermanent, isPositive, type Reply, withReplyTimeout, wordsOf } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { restIgnored } from './growth.ts'
import type { LineEnds } from './line-ends.ts'
import type { Transfer } from './transfer.ts'

/** How long a server may take to confirm what has come whole: it may be writing its log. */
const replyTimeout = 30_000

/** Up to so many octets behind a range are read to keep the session, and for so long: another login costs more. */
const maxDrained = 65_536
const drainTime = 1000
/** How long octets may be on their way after the server has said that it broke off. */
const grace = 1000

export interface BodyOptions {
  /** Octets that must come, no fewer; more are let through, since files grow. */
  readonly expected?: number | undefined
  /** SIZE has said so: octets of that number are whole, also where the server then says no more (R16). */
  readonly isProven?: boolean
  /** More than these would be octets from the wrong place: the server has ignored REST. */
  readonly atMost?: number | undefined
  /** Octets wanted; the connection is closed after the last of them, unless few more are to come. */
  readonly wanted?: number | undefined
  /** Octets that come behind those wanted, where it is known how many. */
  readonly surplus?: number | undefined
  /** TYPE A: what makes local line ends of CRLF. */
  readonly lineEnds?: LineEnds
  /**
   * A last check before the body passes for whole, with the reply that ended it, and how many octets came. Throws where
   * it is not.
   */
  readonly check?: (reply: Reply, received: number) => Promise<void>
}

/**
 * The octets of one transfer, pulled one chunk at a time and lent until the next. They are whole where the data
 * connection has ended AND the control connection says 2yz, in either order; what ends in any other way ends with
 * `partial`. At its end the session is free for another retrieval, or closed.
 */
export class TransferBody implements ByteSource, Breakable, UnreadBody {
  readonly #retrieval: FtpRetrieval
  readonly #transfer: Transfer
  readonly #options: BodyOptions
  #received = 0
  #over = false
  /** All that was wanted has been given out. */
  #isSated = false
  /** Octets that came behind those in one chunk with them. */
  #surplus = 0
  /** More than there are have come behind them. */
  #isBeyond = false
  #isReading = false
  /** The server has said that it was broken off. */
  #isCut = false
  #grace: NodeJS.Timeout | undefined
  #unlink: () => void = () => {}
  /** The server has said how it ended, and will say so again: 226 with too few octets, 552. */
  #isFinal = false
  /** What ended it may have nothing to do with the file: another transfer may bring the rest. */
  isBroken = false
  /** Perhaps the command behind its own was to blame, or its port; the server gets none so any more. */
  isOwnFault = false
  readonly reusesChunks = true
  unreadSince: number | null = performance.now()
  #isEvicted = false

  constructor(retrieval: FtpRetrieval, transfer: Transfer, options: BodyOptions) {
    this.#retrieval = retrieval
    this.#transfer = transfer
    this.#options = options
    retrieval.session.body = this
    const end = (): void => this.#expectNoMore()
    transfer.exchange.last.then((reply) => isPositive(reply) || end(), end)
    // The retrieval may end while nobody reads.
    this.#unlink = retrieval.context.deadline.onAbort(() => this.#abandon())
  }

  async read(): Promise<Uint8Array | null> {
    this.unreadSince = null
    try {
      if (this.#isEvicted) throw this.#unread()
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

  /** It may be taken up in another session, once somebody reads it again. */
  evict(): void {
    if (this.#over) return
    this.#isEvicted = true
    this.#abandon()
  }

  async cancel(): Promise<void> {
    this.#abandon()
  }

  /** The next octets; none where a chunk was but half a line end, and at the end. */
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
   * Reads what comes behind the wanted octets. Where that fails, only the session is lost; but more of them than the
   * file has say that the server has begun at the first octet (security.md R18).
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
    // A file may grow meanwhile, but not by so much.
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
    if (this.#isCut) this.#expectNoMore()
    try {
      return await this.#transfer.data.read()
    } finally {
      this.#isReading = false
      clearTimeout(this.#grace)
    }
  }

  /**
   * A server that says 426 or 451 will send no more, but may leave the data connection open. What it has sent before
   * is on its way, or waits for the consumer.
   */
  #expectNoMore(): void {
    this.#isCut = true
    if (this.#isReading) this.#grace = setTimeout(() => this.#transfer.data.close(), grace)
  }

  /** The data connection has ended: is that all? */
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

  /** Null where there is none, and none is needed. */
  async #lastReply(): Promise<Reply | null> {
    const { expected, isProven = false } = this.#options
    const isWhole = isProven && this.#received === expected
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
      // Lost too, or only silent.
      const message = `The server has not confirmed the transfer; all ${expected} octets have come.`
      context.emit({ type: 'remark', url: context.url, message })
      return null
    }
  }

  #unread(): RetrievalError {
    const message =
      'Nobody read the body while other retrievals waited for its connection, which was closed; read or cancel what you retrieve.'
    return this.#retrieval.context.error('partial', message, { phase: 'body', transient: true })
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
