import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { Retries } from '../plugin/retry.ts'

/** Octets that are asked for twice, to see that the server goes on where it broke off (R18: some answer REST and begin at 0). */
const overlap = 4096

/** A body that comes over one connection. */
export interface OneBody extends AsyncIterableIterator<Uint8Array> {
  /** What ended it may have nothing to do with the resource: another connection may bring the rest. */
  readonly isBroken: boolean
  /** What we had sent beside was to blame, which is not sent again: to go on is no further try. */
  readonly isOwnFault?: boolean
  return(): Promise<IteratorResult<Uint8Array, undefined>>
}

/** Goes on from this octet, over another connection; rejects with `partial` where the resource is another one by now. */
export type Resume = (offset: number) => Promise<OneBody>

/**
 * The octets of a resource, over as many connections as it takes: a body that breaks off is taken up where the resource is known to be
 * the same, and the octets before the break are. So it is safe wherever the octets go. Each further one is a try of the retrieval's
 * budget, after a wait.
 */
export class ResumingBody implements AsyncIterableIterator<Uint8Array> {
  readonly #context: RetrievalContext
  readonly #resume: Resume
  readonly #retries: Retries
  readonly #isFirstAtOnce: boolean
  #body: OneBody
  /** Of the next octet to be given out. */
  #offset: number
  /** The last octets that were given out, and those of them that are to come again. */
  #tail: Uint8Array = nothing
  #expected: Uint8Array = nothing
  #isResumed = false
  #wasOwnFault = false

  /**
   * `isFirstAtOnce`: the first further try is made at once, as those of other retrievals are that have lost the same connection, and
   * would all come before it otherwise.
   */
  constructor(context: RetrievalContext, body: OneBody, offset: number, resume: Resume, isFirstAtOnce = false) {
    this.#context = context
    this.#body = body
    this.#offset = offset
    this.#resume = resume
    this.#retries = new Retries(context.retries)
    this.#isFirstAtOnce = isFirstAtOnce
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (true) {
      try {
        const result = await this.#body.next()
        if (result.done === true) return this.#end()
        const chunk = this.#withoutOverlap(result.value)
        if (chunk.length > 0) return { done: false, value: this.#give(chunk) }
      } catch (error) {
        // REST was ignored.
        if (this.#isResumed && RetrievalError.is(error) && error.code === 'range-refused') throw this.#mismatch()
        if (!this.#body.isBroken || this.#context.deadline.reason !== null) throw error
        await this.#takeUp(error as RetrievalError)
      }
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    return this.#body.return()
  }

  #give(chunk: Uint8Array): Uint8Array {
    this.#offset += chunk.length
    this.#retries.progress(chunk.length)
    const tail = chunk.length < overlap ? Buffer.concat([this.#tail, chunk]) : chunk
    // A copy: the chunk is lent.
    this.#tail = Uint8Array.prototype.slice.call(tail, -overlap)
    return chunk
  }

  /** What has not been given out yet. Throws where what comes again is not what came before. */
  #withoutOverlap(chunk: Uint8Array): Uint8Array {
    const again = this.#expected.subarray(0, chunk.length)
    if (again.length === 0) return chunk
    if (Buffer.compare(again, chunk.subarray(0, again.length)) !== 0) throw this.#mismatch()
    this.#expected = this.#expected.subarray(again.length)
    return chunk.subarray(again.length)
  }

  #end(): IteratorResult<Uint8Array, undefined> {
    if (this.#expected.length > 0) throw this.#mismatch()
    return { done: true, value: undefined }
  }

  async #takeUp(broken: RetrievalError): Promise<void> {
    if (!(await this.#goesOn(broken))) throw this.#retries.final(broken)
    while (true) {
      try {
        this.#body = await this.#resume(this.#offset - this.#tail.length)
        this.#expected = this.#tail
        this.#isResumed = true
        return
      } catch (error) {
        this.#context.deadline.throwIfAborted()
        if (!(await this.#retries.again(error, this.#context))) throw this.#retries.final(this.#cannotGoOn(error))
      }
    }
  }

  async #goesOn(broken: RetrievalError): Promise<boolean> {
    if (this.#body.isOwnFault !== true || this.#wasOwnFault) {
      return this.#retries.wait(broken, this.#context, this.#isFirstAtOnce)
    }
    this.#wasOwnFault = true
    const { emit, url } = this.#context
    emit({ type: 'retried', url, error: broken, delay: 0 })
    return true
  }

  /** Why the body broke off is told by then, and the octets before are all right. */
  #cannotGoOn(cause: unknown): unknown {
    if (!RetrievalError.is(cause) || cause.code === 'partial') return cause
    const { url, error } = this.#context
    const why = cause.message.startsWith(`${url}: `) ? cause.message.slice(url.length + 2) : cause.message
    return error('partial', `The rest, from octet ${this.#offset}, could not be had: ${why}`, { phase: 'body', cause })
  }

  #mismatch(): RetrievalError {
    void this.#body.return()
    const message = 'The server went on with other octets than it had sent before; retrieve it anew.'
    return this.#context.error('partial', message, { phase: 'body' })
  }
}

const nothing = new Uint8Array(0)
