import { type WaisDocument, waisPiece, waisRetrieval } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { isTextType } from './docid.ts'
import { MarkRemover } from './marks.ts'
import type { WaisDialogue } from './packets.ts'
import { searchAnswer, wordsOf } from './search.ts'

/** A document that comes in pieces, each by a request of its own. */
export class DocumentReader {
  readonly #document: WaisDocument
  readonly #database: string
  readonly #dialogue: WaisDialogue
  readonly #context: RetrievalContext
  readonly #marks: MarkRemover | null
  /** The octets that have come; marks count. */
  #at = 0
  #isOver = false

  constructor(document: WaisDocument, database: string, dialogue: WaisDialogue, context: RetrievalContext) {
    this.#document = document
    this.#database = database
    this.#dialogue = dialogue
    this.#context = context
    this.#marks = isTextType(document.wtype) ? new MarkRemover() : null
  }

  /** The next piece; null after the last one. Rejects with `not-found` if the server has no such document. */
  async next(phase: 'request' | 'body'): Promise<Uint8Array | null> {
    const { length } = this.#document
    if (this.#isOver || this.#at === length) return null
    const end = Math.min(this.#at + waisPiece, length ?? Number.POSITIVE_INFINITY)
    const request = waisRetrieval({ database: this.#database, ...this.#document }, this.#at, end)
    const { texts, diagnostics } = await searchAnswer(request, phase, this.#dialogue, this.#context)
    const [text] = texts
    const [diagnostic] = diagnostics
    if (this.#at === 0 && diagnostic !== undefined && (text === undefined || text.length === 0)) {
      const reply = wordsOf(diagnostic)
      const message = `The server has no such document: ${reply}.`
      throw this.#context.error('not-found', message, { phase: 'request', reply })
    }
    if (text === undefined && this.#at === 0) {
      throw this.#context.error('not-found', 'The server sent no text of the document.', { phase: 'request' })
    }
    const octets = text ?? new Uint8Array(0)
    this.#take(octets.length, end, diagnostic !== undefined)
    return this.#marks === null ? octets : this.#marks.remove(octets)
  }

  /** Decides whether more is to come. The end of a document is said by SF, or shown by a piece that is too short. */
  #take(length: number, end: number, isEnd: boolean): void {
    const { emit, url, error } = this.#context
    const wanted = end - this.#at
    if (length > wanted && this.#at > 0) {
      throw error('protocol-violation', 'The server sends other octets of the document than were asked for.')
    }
    this.#at += length
    this.#isOver = isEnd || length !== wanted
    const expected = this.#document.length
    if (!this.#isOver || expected === null || this.#at === expected) return
    // A document that was changed ends with SF; a piece that is too short without it was cut.
    if (!isEnd && this.#at < expected) {
      throw error('partial', `The document ended after ${this.#at} of ${expected} octets.`, { phase: 'body' })
    }
    const message = `The document has ${this.#at} octets, and its URL says ${expected}: it was changed since.`
    emit({ type: 'remark', url, message })
  }
}
