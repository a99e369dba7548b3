import type { Sink } from '../../plugin/byte-source.ts'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Retries } from '../../plugin/retry.ts'
import { discard } from '../connection/discard.ts'
import { statusError } from '../errors.ts'
import type { Answer, Deadline } from '../exchange.ts'
import type { ResponseHead } from '../response.ts'
import type { Begun } from './resuming-body.ts'

/** Where the octets come from. */
export interface Restart {
  /** Sends the request once more. */
  again(deadline: Deadline): Promise<Answer>
  /** Of the first answer: another one must say the same. */
  readonly head: ResponseHead
  /** Octets of the body; null where nothing says. */
  readonly length: number | null
  /** The body of an answer, its own or as it is lent. */
  octets(answer: Answer): AsyncIterable<Uint8Array>
  /** Where the octets go. */
  readonly sink: Sink
}

/** What a caller may have been told of the first answer. */
const toldFields = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'etag',
  'last-modified',
] as const

/**
 * The octets of an answer that nothing proves to be the same another time, counted where their number is known. Where
 * it breaks off, it begins anew, as long as nothing has been given out or that can be thrown away.
 */
export class RestartingBody implements AsyncIterableIterator<Uint8Array> {
  readonly #context: RetrievalContext
  readonly #restart: Restart
  /** Octets that have been given out. */
  #given = 0
  /** The most that has been at any time. */
  #most = 0
  #octets: AsyncIterator<Uint8Array> | null
  #deadline: Deadline
  readonly #retries: Retries

  constructor(context: RetrievalContext, restart: Restart, begun: Begun) {
    this.#context = context
    this.#restart = restart
    this.#retries = new Retries(context.retries)
    this.#octets = begun.octets[Symbol.asyncIterator]()
    this.#deadline = begun.deadline
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (true) {
      try {
        this.#octets ??= await this.#ask()
        const result = await this.#octets.next()
        if (result.done !== true) return { done: false, value: this.#give(result.value) }
        this.#checkEnd()
        this.#deadline.end()
        return { done: true, value: undefined }
      } catch (error) {
        await this.#letGo()
        this.#context.deadline.throwIfAborted()
        const mayRestart = this.#given === 0 || this.#restart.sink.startOver !== null
        if (mayRestart && (await this.#retries.again(error, this.#context))) continue
        throw this.#retries.final(error)
      }
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#letGo()
    return { done: true, value: undefined }
  }

  async #letGo(): Promise<void> {
    this.#deadline.end()
    const octets = this.#octets
    this.#octets = null
    await octets?.return?.()
  }

  #give(chunk: Uint8Array): Uint8Array {
    const { length } = this.#restart
    if (length !== null && this.#given + chunk.length > length) {
      const message = `The server sent more than the ${length} octets that it had announced; retrieve it anew.`
      throw this.#context.error('protocol-violation', message, { phase: 'body' })
    }
    this.#given += chunk.length
    // What has come before is no progress.
    this.#retries.progress(Math.max(0, this.#given - this.#most))
    this.#most = Math.max(this.#most, this.#given)
    return chunk
  }

  #checkEnd(): void {
    const { length } = this.#restart
    if (length === null || this.#given === length) return
    const message = 'The server sent less than it had announced; try again.'
    throw this.#context.error('partial', message, { phase: 'body', transient: true })
  }

  /** What has come is thrown away only once it comes anew. */
  async #startOver(): Promise<void> {
    if (this.#given > 0) await this.#restart.sink.startOver?.()
    this.#given = 0
  }

  async #ask(): Promise<AsyncIterator<Uint8Array>> {
    const { again, head: first, octets } = this.#restart
    this.#deadline = this.#context.deadline.attempt()
    const answer = await again(this.#deadline)
    const { head, body, proxy } = answer
    const isSame = head.status === first.status && toldFields.every((name) => head.field(name) === first.field(name))
    if (isSame) {
      // Ours from here on, to be let go.
      this.#octets = octets(answer)[Symbol.asyncIterator]()
      await this.#startOver()
      return this.#octets
    }
    await discard(body, this.#context)
    if (head.status >= 400 && head.status !== first.status) throw statusError(head, '', proxy, this.#context)
    const { status, reply } = head
    const message = `The body broke off, and the server has another one by now; retrieve it anew. (${reply})`
    throw this.#context.error('partial', message, { phase: 'body', status, reply })
  }
}
