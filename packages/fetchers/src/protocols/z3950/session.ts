import { octetsToText, type Phase, printable } from '@retriever/core'
import { type Z3950Plan, z3950Present } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { BerError } from '../../wire/framing/ber.ts'
import { type BerNode, context as tag } from '../../wire/framing/ber-tree.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import {
  type Item,
  pdus,
  readClose,
  readFailure,
  readInit,
  readItems,
  readSearch,
  type SearchAnswer,
} from './answers.ts'
import { type Diagnostic, diagnosticWords } from './diagnostics.ts'
import { joinFragments } from './fragments.ts'
import { MessageReader, noZ3950 } from './messages.ts'

/** How many segments one answer may have, and how many octets and pieces of records all of them may have. */
const maxSegments = 1024
const maxOctets = 16 * 1024 * 1024
const maxPieces = 4096

/** The records of a Present answer, or why there are none. */
export interface PresentAnswer {
  readonly items: readonly Item[]
  readonly diagnostic: Diagnostic | null
}

/** A Z39.50 session: one connection, one operation at a time. */
export class Z3950Session {
  readonly context: RetrievalContext
  readonly #connection: Connection
  readonly #reader: MessageReader
  /** The server's own name. "" if it gives none. */
  implementation = ''

  private constructor(context: RetrievalContext, connection: Connection) {
    this.context = context
    this.#connection = connection
    this.#reader = new MessageReader(connection, context)
  }

  /** Connects, and begins the session by Init. */
  static async open(plan: Z3950Plan, context: RetrievalContext): Promise<Z3950Session> {
    const session = new Z3950Session(context, await openConnection(context, plan))
    try {
      await session.#init(plan.wire[0] ?? '')
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** Sends the Init request, the first message of every plan. */
  async #init(request: string): Promise<void> {
    const { isAccepted, implementation, diagnostic, words } = await this.#ask(request, pdus.init, 'greeting', readInit)
    this.implementation = printable(octetsToText(implementation)).slice(0, 200)
    if (isAccepted) return
    const said = printable(octetsToText(words)).trim().slice(0, 300)
    const reply = diagnostic === null ? said || undefined : diagnosticWords(diagnostic)
    const why = reply === undefined ? ', and gives no reason.' : `: ${reply}`
    const message = `The server refuses the session${why}`
    throw this.context.error('access-denied', message, { phase: 'greeting', ...(reply !== undefined && { reply }) })
  }

  /** Sends a search request, as core's z3950Search() makes it. */
  search(request: string): Promise<SearchAnswer> {
    return this.#ask(request, pdus.search, 'request', readSearch)
  }

  /**
   * Requests records of the result set, and joins an answer that comes in segments. `syntax` holds the contents of an
   * OID.
   */
  async present(
    start: number,
    count: number,
    elementSet: string | null,
    syntax: string | null,
    phase: Phase = 'request',
  ): Promise<PresentAnswer> {
    const items: Item[] = []
    let size = 0
    let next = await this.#exchange(z3950Present(start, count, elementSet, syntax), phase)
    for (let segments = 0; next.tag === pdus.segment; segments++) {
      size += next.contents.length
      if (segments === maxSegments || size > maxOctets || items.length > maxPieces) {
        throw this.context.error('limit-exceeded', 'An answer has too many segments, or too large ones.')
      }
      this.#add(items, this.#read(next, readItems), count)
      next = await this.#next(phase)
    }
    this.#check(next, pdus.present, phase)
    this.#add(items, this.#read(next, readItems), count)
    return { items: this.#read(items, joinFragments), diagnostic: this.#read(next, readFailure) }
  }

  #add(items: Item[], more: readonly Item[], count: number): void {
    for (const item of more) items.push(item)
    if (items.filter(({ kind }) => kind !== 'fragment').length <= count) return
    const message = `The server sent more records than the ${count} that were asked for; the connection was closed.`
    throw this.context.error('protocol-violation', message)
  }

  async #ask<T>(request: string, answer: number, phase: Phase, read: (message: BerNode) => T): Promise<T> {
    const message = await this.#exchange(request, phase)
    this.#check(message, answer, phase)
    return this.#read(message, read)
  }

  async #exchange(request: string, phase: Phase): Promise<BerNode> {
    await this.#connection.sendMessage(request)
    return this.#next(phase)
  }

  async #next(phase: Phase): Promise<BerNode> {
    const { context } = this
    const next = await this.#reader.next(phase)
    if (next === null) {
      const code = phase === 'body' ? 'partial' : 'receive-failed'
      const message = 'The server closed the connection before it had answered; try again.'
      throw context.error(code, message, { phase, transient: true })
    }
    if (context.hasListener !== false) {
      const { octets } = next
      context.emit({
        type: 'received',
        url: context.url,
        octets: Buffer.from(octets.subarray(0, 512)).toString('latin1'),
      })
    }
    return next.message
  }

  /** Throws unless a message is the answer that we wait for. The server may close the session instead. */
  #check(message: BerNode, answer: number, phase: Phase): void {
    const { context } = this
    if (message.tag === answer) return
    if (message.tag === pdus.close) {
      const { reason, words } = this.#read(message, readClose)
      const said = printable(octetsToText(words)).trim().slice(0, 300)
      const reply = `Close, reason ${reason}${said === '' ? '' : `: ${said}`}`
      // A shutdown, a problem of the system, a lack of resources, a lack of activity (Z39.50-1995 3.2.11.1.1).
      const transient = [1, 2, 4, 7].includes(reason)
      throw context.error('server-refused', `The server ends the session: ${reply}`, { phase, reply, transient })
    }
    if (message.tag === pdus.accessControl) {
      throw context.error('access-denied', 'The server wants proof of access, which Z39.50 URLs cannot give.', {
        phase,
      })
    }
    const number = message.tag - tag(0)
    const what = number >= 0 && number < 256 ? `message ${number}` : 'something else'
    throw noZ3950(context, new BerError(`${what} came in place of message ${answer - tag(0)}`))
  }

  #read<From, T>(from: From, read: (from: From) => T): T {
    try {
      return read(from)
    } catch (error) {
      throw error instanceof BerError ? noZ3950(this.context, error) : error
    }
  }

  /** Ends the connection, which ends the session (RFC 1729). */
  end(): void {
    this.#connection.end()
  }

  close(): void {
    this.#connection.close()
  }
}
