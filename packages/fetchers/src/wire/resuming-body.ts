import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'

/** Octets that are asked for twice, to see that the server goes on where it broke off (R18: some answer REST and begin at 0). */
const overlap = 4096

/** A body that comes over one connection. */
export interface OneBody extends AsyncIterableIterator<Uint8Array> {
  /** What ended it may have nothing to do with the resource: another connection may bring the rest. */
  readonly isBroken: boolean
  return(): Promise<IteratorResult<Uint8Array, undefined>>
}

/** Goes on from this octet, over another connection; rejects with `partial` where the resource is another one by now. */
export type Resume = (offset: number) => Promise<OneBody>

/**
 * The octets of a resource, over as many connections as it takes: a body that breaks off is taken up where the resource is known to be
 * the same, and the octets before the break are. So it is safe wherever the octets go.
 */
export class ResumingBody implements AsyncIterableIterator<Uint8Array> {
  readonly #context: RetrievalContext
  readonly #resume: Resume
  /** In a row, that bring nothing new. */
  readonly #maxAttempts: number
  #body: OneBody
  /** Of the next octet to be given out. */
  #offset: number
  /** The last octets that were given out, and those of them that are to come again. */
  #tail: Uint8Array = nothing
  #expected: Uint8Array = nothing
  #attempts = 0
  #isResumed = false

  constructor(context: RetrievalContext, body: OneBody, offset: number, resume: Resume, maxAttempts: number = 3) {
    this.#context = context
    this.#body = body
    this.#offset = offset
    this.#resume = resume
    this.#maxAttempts = maxAttempts
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
    this.#attempts = 0
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
    const { deadline, emit, url } = this.#context
    for (let error = broken; ; ) {
      if (++this.#attempts > this.#maxAttempts) throw broken
      emit({ type: 'retried', url, error, delay: 0 })
      try {
        this.#body = await this.#resume(this.#offset - this.#tail.length)
        this.#expected = this.#tail
        this.#isResumed = true
        return
      } catch (cause) {
        if (deadline.reason !== null || !RetrievalError.is(cause) || cause.code === 'partial') throw cause
        error = cause
      }
    }
  }

  #mismatch(): RetrievalError {
    void this.#body.return()
    const message = 'The server went on with other octets than it had sent before; retrieve it anew.'
    return this.#context.error('partial', message, { phase: 'body' })
  }
}

const nothing = new Uint8Array(0)
