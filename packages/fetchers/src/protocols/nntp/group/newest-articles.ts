import type { ByteSource } from '../../../contract/byte-source.ts'
import { chunksOf } from '../../../kit/byte-source.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import type { NntpLease } from '../connection/exchange.ts'
import { overviewError } from '../nntp-errors.ts'
import { type ArticleRange, rangeBelow } from './article-range.ts'
import { checkNumber } from './overview.ts'
import { type OverviewLimits, type OverviewPiece, overviewPiece } from './overview-piece.ts'

/** The size of the body's chunks in octets. A chunk ends with the line that reaches it. */
const chunkLength = 65_536

/**
 * The overview of a group's newest `limit` articles, the oldest first. The numbers have gaps, and the server only
 * estimates how many articles there are: if too few lines came, it asks for the range below. The oldest lines come
 * last, so it collects all, up to limits.maxListing and limits.maxCollected.
 */
export class NewestArticles implements ByteSource {
  readonly #lease: NntpLease
  /** The lease for one piece. Giving it back has no effect, since the next piece needs the session. */
  readonly #pieceLease: NntpLease
  readonly #limits: OverviewLimits
  readonly #unlink: () => void
  #piece: OverviewPiece
  #lines: string[] | null = null
  #isOver = false

  /** Asks for the first piece, so that a refusal rejects the retrieval. */
  static async begin(lease: NntpLease, range: ArticleRange, limits: OverviewLimits): Promise<NewestArticles> {
    const pieceLease = { ...lease, giveBack: () => {} }
    const first = await overviewPiece(pieceLease, range, limits)
    return new NewestArticles(lease, pieceLease, first, limits)
  }

  private constructor(lease: NntpLease, pieceLease: NntpLease, first: OverviewPiece, limits: OverviewLimits) {
    this.#lease = lease
    this.#pieceLease = pieceLease
    this.#piece = first
    this.#limits = limits
    this.#unlink = lease.context.deadline.onAbort(() => this.#giveUp())
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      this.#lines ??= (await this.#collect()).reverse()
    } catch (error) {
      const failure = overviewError(this.#lease.session, this.#lease.context, error)
      this.#giveUp()
      throw failure
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
    const { context } = this.#lease
    const { maxListing } = context.limits
    let lines: string[] = []
    while (true) {
      lines = [...(await this.#newestOf(this.#piece, limit - lines.length)), ...lines]
      const length = lines.reduce((sum, line) => sum + line.length, 0)
      if (length > maxListing) throw context.error('limit-exceeded', `The listing is over ${maxListing} octets.`)
      const { range } = this.#piece
      if (lines.length >= limit || range.first <= bounds.first) {
        this.#release()
        return lines
      }
      const below = rangeBelow(range, bounds, limit - lines.length)
      this.#piece = await overviewPiece(this.#pieceLease, below, this.#limits)
    }
  }

  /** Returns the last `most` lines of a piece, since servers list articles by number. */
  async #newestOf({ body, range }: OverviewPiece, most: number): Promise<string[]> {
    const { context } = this.#lease
    const lines: string[] = []
    if (body === null) return lines
    for await (const line of linesOf(chunksOf(body), context)) {
      checkNumber(line, range, context)
      lines.push(line)
      // Not done at each line, since splice moves all lines after it.
      if (lines.length >= 2 * most + 100) lines.splice(0, lines.length - most)
    }
    return lines.length > most ? lines.slice(-most) : lines
  }

  /** Frees the session, because this overview no longer needs it. */
  #release(): void {
    this.#unlink()
    this.#lease.giveBack()
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release()
  }
}
