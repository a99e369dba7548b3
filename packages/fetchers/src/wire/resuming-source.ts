import { RetrievalError } from '@retriever/core'
import type { ByteSource, Sink } from '../plugin/byte-source.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { Retries } from '../plugin/retry.ts'

/** The octets that one request brings. */
export interface Portion {
  readonly octets: ByteSource
  /** Asked after a failed read. Absent: the error itself says whether its cause may pass (`transient`). */
  readonly connection?: Breakable
  /** The deadline of this request alone: it ends when nothing more is read of the portion. */
  readonly deadline?: RetrievalContext['deadline']
}

/** What a failed read says of its connection. */
export interface Breakable {
  /** The failure may have nothing to do with the resource: another connection may bring the rest. */
  readonly isBroken: boolean
  /** Something else that we had sent was to blame, and is not sent again: to go on counts as no further try. */
  readonly isOwnFault?: boolean
}

/** Asks for the rest of a body that broke off, and proves that the rest is that of the same resource. */
export interface Proof {
  /** Asks for the octets from `offset` on. Rejects with `partial` where the resource is another one by now. */
  ask(offset: number): Promise<Portion>
  /** True: ask() brings all octets from the first one on, and those that were given out are thrown away. */
  readonly isRestart?: boolean
  /** False: what was given out cannot be gone on from. Absent: it can. */
  mayAsk?(offset: number): boolean
  /** As ByteSource.restartInto. */
  restartInto?(sink: Sink): void
  /** Sees each chunk that is given out. */
  given?(chunk: Uint8Array): void
}

/** Where a body begins. */
export interface Beginning {
  /** Of the first octet. */
  readonly offset: number
  /** What has been asked for already; null: nothing has. */
  readonly portion: Portion | null
  /**
   * True: the first further try is made at once. Other retrievals that lost the same connection are made at once, too,
   * and would all come before it otherwise.
   */
  readonly isFirstTryAtOnce?: boolean
}

/**
 * The octets of one resource, over as many requests as it takes: after a break the rest is asked for, and given out
 * only where the proof holds. Each further request is a try of the retrieval's budget, after a wait.
 */
export class ResumingSource implements ByteSource {
  readonly #context: RetrievalContext
  readonly #proof: Proof
  readonly #isFirstTryAtOnce: boolean
  readonly #retries: Retries
  #portion: Portion | null
  /** Of the next octet to be given out. */
  #offset: number
  /** The highest that `#offset` has been: octets below it are no progress when they come again. */
  #furthest: number
  #wasOwnFault = false
  #isOver = false

  constructor(context: RetrievalContext, proof: Proof, { offset, portion, isFirstTryAtOnce = false }: Beginning) {
    this.#context = context
    this.#proof = proof
    this.#isFirstTryAtOnce = isFirstTryAtOnce
    this.#retries = new Retries(context.retries)
    this.#portion = portion
    this.#offset = offset
    this.#furthest = offset
  }

  /** Of the chunk that was read last. */
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
    // cancel() was called during a read, or before it.
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

  /** After a failed read. Throws the error where it stands. */
  async #goOn(error: unknown, connection: Breakable | undefined): Promise<void> {
    const { emit, url } = this.#context
    if (connection === undefined) {
      if (!(await this.#isTriedAgain(error))) throw this.#retries.final(error)
      return
    }
    if (!connection.isBroken || !RetrievalError.is(error)) throw error
    if (connection.isOwnFault === true && !this.#wasOwnFault) {
      this.#wasOwnFault = true
      emit({ type: 'retried', url, error, delay: 0 })
    } else if (!(await this.#retries.wait(error, this.#context, this.#isFirstTryAtOnce))) {
      throw this.#retries.final(error)
    }
  }

  /** After a failed request. Throws the error where it stands. */
  async #askAgain(error: unknown): Promise<void> {
    if (!(await this.#isTriedAgain(error)))
      throw this.#retries.final(this.#proof.isRestart === true ? error : this.#noRest(error))
  }

  async #isTriedAgain(error: unknown): Promise<boolean> {
    return this.#proof.mayAsk?.(this.#offset) !== false && this.#retries.again(error, this.#context)
  }

  /** The break itself has been told as an event by then, and the octets before it are all right. */
  #noRest(cause: unknown): unknown {
    if (!RetrievalError.is(cause) || cause.code === 'partial') return cause
    const { url, error } = this.#context
    const why = cause.message.startsWith(`${url}: `) ? cause.message.slice(url.length + 2) : cause.message
    return error('partial', `The rest, from octet ${this.#offset}, could not be had: ${why}`, { phase: 'body', cause })
  }
}

/** The octets of a source without so many of the first, which the consumer has already. */
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
