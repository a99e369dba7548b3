import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { Retries } from '../../plugin/retry.ts'
import { discard } from '../connection/discard.ts'
import { statusError } from '../errors.ts'
import type { Answer, Deadline, SendRequest } from '../exchange.ts'
import type { ResponseHead } from '../response.ts'
import { contentRange } from './content-range.ts'
import { ifRange, isOf, type Validator } from './validator.ts'

/** The octets of one representation, as far as they are wanted: from `at` up to, not including, `end`. */
export interface Extent {
  readonly at: number
  readonly end: number
}

/** Where they come from, and what every further answer must be of. */
export interface Source {
  readonly ask: SendRequest
  readonly validator: Validator
  /** Octets of the whole; null where the server has not said. */
  readonly total: number | null
  /** Content-Encoding: the octets are those as sent. */
  readonly coding: string | null
  /** The body of an answer, its own or as it is lent. */
  octets(answer: Answer): AsyncIterable<Uint8Array>
}

/** An answer that has come, and the deadline that it was asked for under. */
export interface Begun {
  readonly octets: AsyncIterable<Uint8Array>
  readonly deadline: Deadline
}

/**
 * Octets over as many answers as it takes. One that breaks off is taken up by a further request, for what is missing of
 * that very representation, after a wait (security.md R1). Each request has a deadline of its own, so that silence ends
 * the request alone. What has been given out is never followed by octets of another representation: then it fails, with
 * `partial`.
 */
export class ResumingBody implements AsyncIterableIterator<Uint8Array> {
  readonly #context: RetrievalContext
  readonly #source: Source
  readonly #end: number
  /** Of the next octet to be given out. */
  #at: number
  #octets: AsyncIterator<Uint8Array> | null
  #deadline: Deadline | null
  readonly #retries: Retries
  #wasWrong = false
  /** Octets are those of the answer that has begun: nothing but itself speaks for its extent. */
  #isFirst: boolean
  #isContradicted = false

  /** Without an answer that has begun, it asks for one. */
  constructor(context: RetrievalContext, source: Source, { at, end }: Extent, begun: Begun | null) {
    this.#context = context
    this.#retries = new Retries(context.retries)
    this.#source = source
    this.#at = at
    this.#end = end
    this.#octets = begun?.octets[Symbol.asyncIterator]() ?? null
    this.#isFirst = begun !== null
    this.#deadline = begun?.deadline ?? null
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (true) {
      const isAsking = this.#octets === null
      try {
        this.#octets ??= await this.#ask()
        const result = await this.#octets.next()
        if (result.done !== true) return { done: false, value: await this.#give(result.value) }
        if (this.#at < this.#end) throw this.#short()
        this.#deadline?.end()
        return { done: true, value: undefined }
      } catch (error) {
        this.#letGo()
        this.#context.deadline.throwIfAborted()
        // Content-Range has counted them, whatever became of a last chunk.
        if (this.#at === this.#end && !this.#isContradicted) return { done: true, value: undefined }
        if (await this.#retries.again(error, this.#context)) continue
        throw this.#retries.final(isAsking ? this.#cannotGoOn(error) : error)
      }
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    const octets = this.#octets
    this.#letGo()
    await octets?.return?.()
    return { done: true, value: undefined }
  }

  #letGo(): void {
    this.#deadline?.end()
    this.#deadline = null
    this.#octets = null
    this.#isFirst = false
  }

  async #give(chunk: Uint8Array): Promise<Uint8Array> {
    const wanted = chunk.subarray(0, this.#end - this.#at)
    if (wanted.length < chunk.length && this.#isFirst) throw this.#contradiction()
    this.#at += wanted.length
    this.#retries.progress(wanted.length)
    // More than was announced, in chunked coding: the connection has served its time (R5).
    if (wanted.length < chunk.length) await this.#octets?.return?.()
    return wanted
  }

  /** What is missing. Rejects with `partial` for another thing. */
  async #ask(): Promise<AsyncIterator<Uint8Array>> {
    const { ask, validator, octets } = this.#source
    this.#deadline = this.#context.deadline.attempt()
    const range = [this.#at, this.#end - 1] as const
    const answer = await ask({ range, ...ifRange(validator), deadline: this.#deadline })
    const { head, body, proxy } = answer
    if (this.#isRest(head)) return octets(answer)[Symbol.asyncIterator]()
    if (this.#isWhole(head)) return octetsFrom(this.#at, octets(answer)[Symbol.asyncIterator]())
    await discard(body, this.#context)
    if (head.status >= 400 && head.status !== 416) throw statusError(head, '', proxy, this.#context)
    throw this.#wrong(head)
  }

  #isRest(head: ResponseHead): boolean {
    const { validator, total, coding } = this.#source
    const part = head.status === 206 ? contentRange(head) : null
    if (part === null || part.first !== this.#at || part.last >= this.#end) return false
    const isSameSize = total === null || part.total === null || part.total === total
    return isSameSize && isOf(validator, head) && head.field('content-encoding') === coding
  }

  /** A server without ranges sends the very same representation once more, from its beginning. */
  #isWhole(head: ResponseHead): boolean {
    const { validator, total, coding } = this.#source
    const length = head.field('content-length')
    const isSameSize = total !== null && length !== null && Number(length) === total
    return head.status === 200 && isSameSize && isOf(validator, head) && head.field('content-encoding') === coding
  }

  #contradiction(): Error {
    this.#isContradicted = true
    const what = `The server sent more octets than up to ${this.#end - 1}, the last one that it had announced`
    return this.#context.error('protocol-violation', `${what}; retrieve it anew.`, { phase: 'body' })
  }

  #short(): Error {
    return this.#context.error('partial', 'The server sent less than it had announced; try again.', {
      phase: 'body',
      transient: true,
    })
  }

  /** The first time it may be one of several servers behind a name, which does not have what the others have. */
  #wrong({ status, reply }: ResponseHead): Error {
    const transient = !this.#wasWrong
    this.#wasWrong = true
    const what = `The server has another representation by now, or cannot go on at octet ${this.#at}`
    return this.#context.error('partial', `${what}; retrieve it anew. (${reply})`, {
      phase: 'body',
      status,
      reply,
      transient,
    })
  }

  /** Why there was to be another request is told by then, and the octets before are all right. */
  #cannotGoOn(cause: unknown): unknown {
    const { url, error } = this.#context
    const { message, code } = cause as { readonly message: string; readonly code?: string }
    if (code === 'partial') return cause
    const why = message.startsWith(`${url}: `) ? message.slice(url.length + 2) : message
    return error('partial', `The rest, from octet ${this.#at}, could not be had: ${why}`, { phase: 'body', cause })
  }
}

/** The octets from this one on; those before have been given out already. */
function octetsFrom(at: number, octets: AsyncIterator<Uint8Array>): AsyncIterator<Uint8Array> {
  let left = at
  return {
    async next() {
      while (true) {
        const result = await octets.next()
        if (result.done === true || left === 0) return result
        const passed = Math.min(left, result.value.length)
        left -= passed
        if (passed < result.value.length) return { done: false, value: result.value.subarray(passed) }
      }
    },
    async return() {
      await octets.return?.()
      return { done: true, value: undefined }
    },
  }
}
