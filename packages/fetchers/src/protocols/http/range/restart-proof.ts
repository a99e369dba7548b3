import type { Sink } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Portion, Proof } from '../../../wire/resuming-source.ts'
import { discard } from '../connection/discard.ts'
import { statusError } from '../errors.ts'
import type { Answer, Deadline } from '../exchange.ts'
import type { ResponseHead } from '../response.ts'
import { AnnouncedOctets } from './announced-octets.ts'

/** The caller may recognise the first answer by these fields. */
const comparedFields = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'etag',
  'last-modified',
] as const

/**
 * The proof for an answer that may differ the next time. The body begins anew if nothing has been given out or the sink
 * can throw that away. The new answer must have the same header fields.
 */
export class RestartProof implements Proof {
  readonly isRestart = true
  readonly #context: RetrievalContext
  readonly #again: (deadline: Deadline) => Promise<Answer>
  readonly #head: ResponseHead
  readonly #length: number | null
  #sink: Sink | null = null

  /**
   * `again` sends the request once more. `head` is that of the first answer. `length` is that of its body, or null if
   * unknown.
   */
  constructor(
    context: RetrievalContext,
    again: (deadline: Deadline) => Promise<Answer>,
    head: ResponseHead,
    length: number | null,
  ) {
    this.#context = context
    this.#again = again
    this.#head = head
    this.#length = length
  }

  restartInto(sink: Sink): void {
    this.#sink = sink
  }

  mayAsk(given: number): boolean {
    return given === 0 || (this.#sink?.startOver ?? null) !== null
  }

  async ask(given: number): Promise<Portion> {
    const deadline = this.#context.deadline.attempt()
    try {
      const body = await this.#askSame(deadline)
      const octets = this.#length === null ? body : new AnnouncedOctets(body, this.#length, this.#context, false)
      await this.#startOver(given, octets)
      return { octets, deadline }
    } catch (error) {
      deadline.end()
      throw error
    }
  }

  async #askSame(deadline: Deadline): Promise<Answer['body']> {
    const first = this.#head
    const { head, body, proxy } = await this.#again(deadline)
    const { status, reply } = head
    if (status === first.status && comparedFields.every((name) => head.field(name) === first.field(name))) return body
    await discard(body, this.#context)
    if (status >= 400 && status !== first.status) throw statusError(head, '', proxy, this.#context)
    const message = `The body broke off, and the server has another one by now; retrieve it anew. (${reply})`
    throw this.#context.error('partial', message, { phase: 'body', status, reply })
  }

  /** Lets the sink throw away its octets. Called only after the new answer has begun. */
  async #startOver(given: number, body: Answer['body']): Promise<void> {
    try {
      if (given > 0) await this.#sink?.startOver?.()
    } catch (error) {
      await body.cancel()
      throw error
    }
  }
}
