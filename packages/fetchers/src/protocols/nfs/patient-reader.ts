import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Retries } from '../../contract/retries.ts'
import { RetryBudget } from '../../kit/retry.ts'
import type { NfsFiles } from './files.ts'
import { failure } from './status.ts'

/**
 * Reads parts of a file. If the server says that it cannot answer yet (JUKEBOX, DELAY, GRACE), reads again after
 * growing waits. Parts that are under way together wait together.
 */
export class PatientReader {
  readonly #files: NfsFiles
  readonly #handle: string
  readonly #context: RetrievalContext
  readonly #retries: Retries
  #waiting: Promise<boolean> | undefined

  constructor(files: NfsFiles, handle: string, context: RetrievalContext) {
    this.#files = files
    this.#handle = handle
    this.#context = context
    this.#retries = new RetryBudget(context.retries)
  }

  async read(position: number, length: number, phase: 'request' | 'body'): Promise<Uint8Array> {
    for (;;) {
      try {
        const { octets } = await this.#files.read(this.#handle, position, length, phase)
        this.#retries.progress(octets.length)
        return octets
      } catch (cause) {
        const error = failure(this.#context, cause, this.#files.version)
        // A lost connection does not come back for the same call.
        if (error === cause || !RetrievalError.is(error)) throw error
        if (!(await this.#mayRead(error, position))) throw this.#last(error)
      }
    }
  }

  /** Makes the error of the last try. It is not transient, since no other connection would help. */
  #last(error: RetrievalError): unknown {
    const last = this.#retries.final(error)
    if (!RetrievalError.is(last)) return last
    const { code, message, phase, url, reply } = last
    return new RetrievalError(code, message, { phase, url, reply, cause: error })
  }

  /** Waits. Returns false if there should be no other try. */
  async #mayRead(error: RetrievalError, position: number): Promise<boolean> {
    this.#waiting ??= this.#retries.again(error, this.#context, position).finally(() => {
      this.#waiting = undefined
    })
    return await this.#waiting
  }
}
