import { RetrievalError } from '@retriever/core'
import type { ByteSource, Sink } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Retries } from '../contract/retries.ts'
import { RetryBudget } from '../kit/retry.ts'

/** The octets that one request brings. */
export interface Portion {
  readonly octets: ByteSource
  /**
   * Tells after a failed read whether the connection failed. Absent: the error itself says by `transient` whether its
   * cause may pass.
   */
  readonly connection?: Breakable
  /** The deadline of this request alone. It ends when nobody reads more of the portion. */
  readonly deadline?: RetrievalContext['deadline']
}

/** The state of a connection after a failed read. */
export interface Breakable {
  /** True if the connection failed, so that another one may bring the rest. */
  readonly isBroken: boolean
  /**
   * True if the failure was caused by something else that we sent and will not send again. Resuming then costs no try
   * of the budget.
   */
  readonly isOwnFault?: boolean
}

/** Asks for the rest of a body that broke off, and proves that the rest belongs to the same resource. */
export interface Proof {
  /** Asks for the octets from `offset` on. Rejects with `partial` if the resource has changed. */
  ask(offset: number): Promise<Portion>
  /** True if ask() brings all octets from the first one on, and the octets already given out are skipped. */
  readonly isRestart?: boolean
  /** Whether the body can be resumed from `offset`. Default: it can. */
  mayAsk?(offset: number): boolean
  /** See ByteSource.restartInto. */
  restartInto?(sink: Sink): void
  /** Called with each chunk that is given out. */
  given?(chunk: Uint8Array): void
}

/** Where a body begins. */
export interface Beginning {
  /** The position of the first octet. */
  readonly offset: number
  /** The portion that was requested already. Null: none. */
  readonly portion: Portion | null
  /**
   * True: the first further try is made at once. Without this, other retrievals that lost the same connection and try
   * again at once would all come first.
   */
  readonly isFirstTryAtOnce?: boolean
}

/**
 * Reads the octets of one resource by as many requests as needed. After a break it asks for the rest, and gives the
 * rest out only if the proof holds. Each further request counts as a try of the retrieval's budget, and waits first.
 */
export class ResumingSource implements ByteSource {
  readonly #context: RetrievalContext
  readonly #proof: Proof
  readonly #isFirstTryAtOnce: boolean
  readonly #retries: Retries
  #portion: Portion | null
  /** The position of the next octet to be given out. */
  #offset: number
  /** The highest `#offset` so far. If octets below it come again, they are no progress. */
  #furthest: number
  #wasOwnFault = false
  #isOver = false

  constructor(context: RetrievalContext, proof: Proof, { offset, portion, isFirstTryAtOnce = false }: Beginning) {
    this.#context = context
    this.#proof = proof
    this.#isFirstTryAtOnce = isFirstTryAtOnce
    this.#retries = new RetryBudget(context.retries)
    this.#portion = portion
    this.#offset = offset
    this.#furthest = offset
  }

  /** See ByteSource.reusesChunks. The value depends on the portion that was read last. */
  get reusesChunks(): boolean {
    return this.#portion?.octets.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    while (!this.#isOver) {
      try {
        this.#portion ??= await this.#ask()
        if (this.#isOver) break
        const { octets, deadline } = this.#portion
        const chunk = await octets.read()
        if (chunk === null) deadline?.end()
        if (chunk === null || chunk.length > 0) return this.#give(chunk)
      } catch (error) {
        const portion = this.#portion
        await this.#letGo()
        if (this.#isOver) break
        this.#context.deadline.throwIfAborted()
        if (portion === null) await this.#askAgain(error)
        else await this.#goOn(error, portion.connection)
      }
    }
    // Somebody called cancel() before or during a read.
    await this.#letGo()
    return null
  }

  restartInto(sink: Sink): void {
    this.#proof.restartInto?.(sink)
  }

  cancel(): Promise<void> {
    this.#isOver = true
    return this.#letGo()
  }

  async #letGo(): Promise<void> {
    const portion = this.#portion
    this.#portion = null
    portion?.deadline?.end()
    await portion?.octets.cancel()
  }

  #give(chunk: Uint8Array | null): Uint8Array | null {
    if (chunk === null) return null
    this.#offset += chunk.length
    this.#retries.progress(Math.max(0, this.#offset - this.#furthest))
    this.#furthest = Math.max(this.#furthest, this.#offset)
    this.#proof.given?.(chunk)
    return chunk
  }

  async #ask(): Promise<Portion> {
    const portion = await this.#proof.ask(this.#offset)
    if (this.#proof.isRestart === true) this.#offset = 0
    return portion
  }

  /** Prepares to go on after a failed read. Throws the error if the body cannot go on. */
  async #goOn(error: unknown, connection: Breakable | undefined): Promise<void> {
    const { emit, url } = this.#context
    if (connection === undefined) {
      if (!(await this.#isTriedAgain(error))) throw this.#retries.final(error)
      return
    }
    if (!connection.isBroken || !RetrievalError.is(error)) throw error
    if (connection.isOwnFault === true && !this.#wasOwnFault) {
      this.#wasOwnFault = true
      emit({ type: 'retried', url, error, delay: 0, ...(this.#next > 0 && { offset: this.#next }) })
    } else if (!(await this.#retries.wait(error, this.#context, this.#nextTry))) {
      throw this.#retries.final(error)
    }
  }

  /** Prepares another request after a failed one. Throws the error if no other request may be made. */
  async #askAgain(error: unknown): Promise<void> {
    if (!(await this.#isTriedAgain(error)))
      throw this.#retries.final(this.#proof.isRestart === true ? error : this.#noRest(error))
  }

  async #isTriedAgain(error: unknown): Promise<boolean> {
    return this.#proof.mayAsk?.(this.#offset) !== false && this.#retries.again(error, this.#context, this.#next)
  }

  get #nextTry(): { readonly offset: number; readonly isFirstAtOnce: boolean } {
    return { offset: this.#next, isFirstAtOnce: this.#isFirstTryAtOnce }
  }

  /** Where the next request begins. */
  get #next(): number {
    return this.#proof.isRestart === true ? 0 : this.#offset
  }

  /**
   * Makes the error for a rest that cannot be retrieved. An event has already reported the break, and the octets before
   * it are correct.
   */
  #noRest(cause: unknown): unknown {
    if (!RetrievalError.is(cause) || cause.code === 'partial') return cause
    const { url, error } = this.#context
    const why = cause.message.startsWith(`${url}: `) ? cause.message.slice(url.length + 2) : cause.message
    return error('partial', `The rest, from octet ${this.#offset}, could not be retrieved: ${why}`, {
      phase: 'body',
      cause,
    })
  }
}

/** Skips the first octets of a source, which the consumer already has. */
export function withoutFirst(octets: number, source: ByteSource): ByteSource {
  let left = octets
  return {
    reusesChunks: source.reusesChunks === true,
    async read() {
      while (true) {
        const chunk = await source.read()
        if (chunk === null || left === 0) return chunk
        const rest = chunk.subarray(left)
        left -= chunk.length - rest.length
        if (rest.length > 0) return rest
      }
    },
    cancel: () => source.cancel(),
  }
}
