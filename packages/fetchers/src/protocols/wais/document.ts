import { type WaisDocument, waisPiece, waisRetrieval } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Diagnostic, WaisAnswer } from './answer.ts'
import { isTextType, sizeIn } from './docid.ts'
import { MarkRemover } from './marks.ts'
import type { WaisDialogue } from './packets.ts'
import { recordsOf, wordsOf } from './search.ts'

/** The code for a range beyond the document's end, and for a missing document. */
const outOfRange = 'SF'

/** A document that comes in pieces, each by a request of its own. */
export class DocumentReader {
  readonly #document: WaisDocument
  readonly #database: string
  readonly #dialogue: WaisDialogue
  readonly #context: RetrievalContext
  readonly #marks: MarkRemover | null
  /** How many octets have come, including marks. */
  #at = 0
  #isOver = false

  constructor(document: WaisDocument, database: string, dialogue: WaisDialogue, context: RetrievalContext) {
    this.#document = document
    this.#database = database
    this.#dialogue = dialogue
    this.#context = context
    this.#marks = isTextType(document.wtype) ? new MarkRemover() : null
  }

  /**
   * Reads the next piece; null after the last one. Rejects with the server's diagnostic if it sends nothing of the
   * document, and with `partial` if it stops within it.
   */
  async next(phase: 'request' | 'body'): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    const wanted = this.#endOf(this.#at) - this.#at
    const { texts, diagnostics } = await this.#answer(phase, wanted)
    const [diagnostic] = diagnostics
    const hasText = texts.length > 0
    if (!hasText && this.#at === 0) throw this.#missing(diagnostic)
    const octets = Buffer.concat(texts)
    this.#take(octets.length, wanted, hasText, diagnostic)
    return this.#marks === null ? octets : this.#marks.remove(octets)
  }

  /** Returns the end of the piece that begins at an octet. */
  #endOf(start: number): number {
    return Math.min(start + waisPiece, this.#document.length ?? Number.POSITIVE_INFINITY)
  }

  #request(start: number): string {
    return waisRetrieval({ database: this.#database, ...this.#document }, start, this.#endOf(start))
  }

  /**
   * Reads the answer for the piece that begins at #at. If the answer is long enough for the whole piece, another piece
   * follows.
   */
  async #answer(phase: 'request' | 'body', wanted: number): Promise<WaisAnswer> {
    const request = this.#request(this.#at)
    const { begun } = this.#dialogue
    // The piece was shorter than its answer announced, so the request that has begun is for other octets.
    if (begun !== null && begun !== request) {
      await this.#dialogue.send(begun)
      await this.#dialogue.answer(phase)
    }
    await this.#dialogue.send(request)
    const next = this.#at + wanted
    const isLast = this.#endOf(next) === next
    const apdu = await this.#dialogue.answer(phase, (length) => {
      return isLast || length < wanted ? null : this.#request(next)
    })
    return recordsOf(apdu, phase, this.#context)
  }

  /** More may come: servers may send less than asked. */
  #take(count: number, wanted: number, hasText: boolean, diagnostic: Diagnostic | undefined): void {
    if (count > wanted && this.#at > 0) {
      const message = 'The server sends other octets of the document than were asked for.'
      throw this.#context.error('protocol-violation', message)
    }
    this.#at += count
    const { length } = this.#document
    const isEnd = diagnostic?.code === outOfRange
    // If the URL has no length, a piece that is too short is the last one.
    const isLast = length === null ? count !== wanted && diagnostic === undefined : this.#at >= length
    this.#isOver = isEnd || isLast || count === 0
    // If a document became shorter, it ends with SF after a text.
    const isBroken = length === null ? !isEnd && !hasText && diagnostic !== undefined : !(isEnd && hasText)
    if (this.#isOver && isBroken && this.#at < (length ?? Number.POSITIVE_INFINITY)) throw this.#broken(diagnostic)
    if (diagnostic !== undefined && !isEnd) this.#tell(`The server remarks: ${wordsOf(diagnostic)}.`)
    if (this.#isOver && length !== null && this.#at !== length) {
      this.#tell(`The document has ${this.#at} octets, and its URL says ${length}: it was changed since.`)
    }
    const size = sizeIn(this.#document.docid)
    if (this.#isOver && this.#at === length && size !== null && size > length) {
      this.#tell(`The URL says ${length} octets, and its document-id ${size}: the first ${length} have come.`)
    }
  }

  #missing(diagnostic: Diagnostic | undefined): Error {
    const { error } = this.#context
    if (diagnostic === undefined) {
      return error('not-found', 'The server sent no text of the document.', { phase: 'request' })
    }
    const reply = wordsOf(diagnostic)
    switch (diagnostic.code) {
      case outOfRange:
      case 'S1':
        return error('not-found', `The server has no such document: ${reply}.`, { phase: 'request', reply })
      case 'SH':
        return error('access-denied', `The server denies access to the document: ${reply}.`, {
          phase: 'request',
          reply,
        })
      default: {
        const transient = diagnostic.code === 'S2'
        return error('server-refused', `The server refused the document: ${reply}.`, {
          phase: 'request',
          reply,
          transient,
        })
      }
    }
  }

  #broken(diagnostic: Diagnostic | undefined): Error {
    const { length } = this.#document
    const came = `The document ended after ${this.#at}${length === null ? '' : ` of ${length}`} octets`
    if (diagnostic === undefined) return this.#context.error('partial', `${came}.`, { phase: 'body' })
    const reply = wordsOf(diagnostic)
    return this.#context.error('partial', `${came}: ${reply}.`, { phase: 'body', reply })
  }

  #tell(message: string): void {
    const { emit, url } = this.#context
    emit({ type: 'remark', url, message })
  }
}
