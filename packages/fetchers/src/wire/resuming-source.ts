import { RetrievalError } from '@retriever/core'
import type { ByteSource, Sink } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Retries } from '../contract/retries.ts'
import { RetryBudget } from '../kit/retry.ts'

/** The octets that one request brings. */
export interface Portion {
  readonly octets: ByteSource
  /**
   * Tells after a failed read whether the connection is at fault. Absent: the error itself says whether its cause may
   * pass (`transient`).
   */
  readonly connection?: Breakable
  /** The deadline of this request alone; it ends when nothing more of the portion is read. */
  readonly deadline?: RetrievalContext['deadline']
}

/** The state of a connection after a failed read. */
export interface Breakable {
  /** True: the connection failed, so another one may bring the rest. */
  readonly isBroken: boolean
  /**
   * True: something else that we had sent was to blame, and is not sent again. Resuming then costs no try of the
   * budget.
   */
  readonly isOwnFault?: boolean
}

/** Asks for the rest of a body that broke off, and proves that it belongs to the same resource. */
export interface Proof {
  /** Asks for the octets from `offset` on. Rejects with `partial` if the resource has changed. */
  ask(offset: number): Promise<Portion>
  /** True: ask() brings all octets from the first one on, and the octets already given out are thrown away. */
  readonly isRestart?: boolean
  /** Whether the body can be resumed from `offset`. Absent: it can. */
  mayAsk?(offset: number): boolean
  /** See ByteSource.restartInto. */
  restartInto?(sink: Sink): void
  /** Is told each chunk that is given out. */
  given?(chunk: Uint8Array): void
}

/** The beginning of a body. */
export interface Beginning {
  /** The position of the first octet. */
  readonly offset: number
  /** The portion that has been requested already; null: none. */
  readonly portion: Portion | null
  /**
   * True: the first further try is made at once. Other retrievals that lost the same connection are tried again at
   * once, too, and would otherwise all come first.
   */
  readonly isFirstTryAtOnce?: boolean
}

/**
 * The octets of one resource, over as many requests as needed: after a break it asks for the rest, and gives it out
 * only if the proof holds. Each further request is a try of the retrieval's budget, after a wait.
 */
export class ResumingSource implements ByteSource {
  readonly #context: RetrievalContext
  readonly #proof: Proof
  readonly #isFirstTryAtOnce: boolean
  readonly #retries: Retries
  #portion: Portion | null
  /** The position of the next octet to be given out. */
  #offset: number
  /** The highest `#offset` so far: octets below it are no progress when they come again. */
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

  /** See ByteSource.reusesChunks; it depends on the portion that was read last. */
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
    // cancel() was called before or during a read.
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

  /** Prepares for going on after a failed read. Throws the error if it stands. */
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

  /** Prepares for another request after a failed one. Throws the error if it stands. */
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

  /** The position at which the next request begins. */
  get #next(): number {
    return this.#proof.isRestart === true ? 0 : this.#offset
  }

  /**
   * The error for a rest that cannot be retrieved. An event has reported the break itself, and the octets before it are
   * correct.
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

/** The octets of a source without the first ones, which the consumer has already. */
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
