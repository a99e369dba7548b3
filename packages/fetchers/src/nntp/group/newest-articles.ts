import { RetrievalError } from '@retriever/core'
import { type ByteSource, chunksOf } from '../../plugin/byte-source.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { SessionLost } from '../connection/command-queue.ts'
import type { Dialogue } from '../connection/exchange.ts'
import { overviewCut } from '../nntp-errors.ts'
import { type Extent, extentBelow } from './article-range.ts'
import { checkNumber } from './overview.ts'
import { type OverviewLimits, type OverviewPiece, overviewPiece } from './overview-piece.ts'

/** Characters that one chunk of the body has, or a little more. */
const chunkLength = 65_536

/**
 * The lines of a group's overview about its newest `limit` articles, the oldest first. Numbers of articles have gaps,
 * and how many articles exist is the server's estimate: while there are too few, the server is asked for those below.
 * The lines are collected, up to limits.maxListing and limits.maxCollected, since the oldest are asked for last.
 */
export class NewestArticles implements ByteSource {
  readonly #dialogue: Dialogue
  /** That of one piece: the session is free once all pieces have come. */
  readonly #pieceDialogue: Dialogue
  readonly #limits: OverviewLimits
  readonly #unlink: () => void
  #piece: OverviewPiece
  #lines: string[] | null = null
  #isOver = false

  /** Begins with the piece that has been asked for already. */
  static async begin(dialogue: Dialogue, extent: Extent, limits: OverviewLimits): Promise<NewestArticles> {
    const pieceDialogue = { ...dialogue, done: () => {} }
    const first = await overviewPiece(pieceDialogue, extent, limits)
    return new NewestArticles(dialogue, pieceDialogue, first, limits)
  }

  private constructor(dialogue: Dialogue, pieceDialogue: Dialogue, first: OverviewPiece, limits: OverviewLimits) {
    this.#dialogue = dialogue
    this.#pieceDialogue = pieceDialogue
    this.#piece = first
    this.#limits = limits
    this.#unlink = dialogue.context.deadline.onAbort(() => this.#giveUp())
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      this.#lines ??= (await this.#collect()).reverse()
    } catch (error) {
      // The next octets of such a session are those of another answer.
      if (RetrievalError.is(error) && error.code === 'protocol-violation') this.#dialogue.session.lose()
      this.#giveUp()
      throw error instanceof SessionLost ? overviewCut(this.#dialogue, error) : error
    }
    let text = ''
    for (let line = this.#lines.pop(); line !== undefined; line = this.#lines.pop()) {
      text += `${line}\r\n`
      if (text.length >= chunkLength) break
    }
    if (text !== '') return Buffer.from(text, 'latin1')
    this.#giveUp()
    return null
  }

  async cancel(): Promise<void> {
    await this.#piece.body?.cancel()
    this.#giveUp()
  }

  async #collect(): Promise<string[]> {
    const { bounds, limit } = this.#limits
    const { context } = this.#dialogue
    const { maxListing } = context.limits
    let lines: string[] = []
    while (true) {
      lines = [...(await this.#newestOf(this.#piece, limit - lines.length)), ...lines]
      const length = lines.reduce((sum, line) => sum + line.length, 0)
      if (length > maxListing) throw context.error('limit-exceeded', `The listing is over ${maxListing} octets.`)
      const { extent } = this.#piece
      if (lines.length >= limit || extent.first <= bounds.first) {
        this.#release()
        return lines
      }
      const below = extentBelow(extent, bounds, limit - lines.length)
      this.#piece = await overviewPiece(this.#pieceDialogue, below, this.#limits)
    }
  }

  /** The last `most` lines of a piece: servers list articles by number. */
  async #newestOf({ body, extent }: OverviewPiece, most: number): Promise<string[]> {
    const { context } = this.#dialogue
    const lines: string[] = []
    if (body === null) return lines
    for await (const line of linesOf(chunksOf(body), context)) {
      checkNumber(line, extent, context)
      lines.push(line)
      // Not at each line: taking one away moves all others.
      if (lines.length >= 2 * most + 100) lines.splice(0, lines.length - most)
    }
    return lines.length > most ? lines.slice(-most) : lines
  }

  /** The session has said all that this overview needs. */
  #release(): void {
    this.#unlink()
    this.#dialogue.done()
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release()
  }
}
