import type { ErrorCode, RetrievalError } from '@retriever/core'
import { packBlock, packIndexes } from '../frontier/block.ts'
import { recordOutcomes } from '../scripts/outcomes.ts'
import type { Lease } from './lease.ts'
import type { TakenBlock, TurnUrl } from './taken.ts'

/** So many outcomes are written at once. */
const most = 64
/** An outcome waits so long for others, in milliseconds: after a crash, such URLs are asked of the store again. */
const longest = 100

/** A failure for good, as the stream has it. */
export interface FailureRecord {
  /** As it was added; null: all that waited for the host. */
  readonly url: string | null
  readonly code: ErrorCode
  /** Without secrets. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly tries: number
  readonly login?: string
  readonly depth?: number
  readonly from?: string
}

/** The outcomes of one block that were not written yet. */
class Pending {
  readonly done: number[] = []
  readonly failed: number[] = []
  readonly again: TurnUrl[] = []
  readonly failures: string[] = []
}

/** Writes the outcomes of a turn into Redis, several at once and one write after the other. */
export class Recorder {
  readonly #lease: Lease
  readonly #pending = new Map<TakenBlock, Pending>()
  #count = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(lease: Lease) {
    this.#lease = lease
  }

  done({ block, index }: TurnUrl): void {
    this.#pendingOf(block).done.push(index)
    this.#added()
  }

  /** The URL is to be tried later. */
  again(url: TurnUrl): void {
    this.#pendingOf(url.block).again.push(url)
    this.#added()
  }

  failed(url: TurnUrl, error: RetrievalError): void {
    const pending = this.#pendingOf(url.block)
    pending.failed.push(url.index)
    const { login, depth, from } = url
    // JSON leaves out those that are undefined.
    pending.failures.push(JSON.stringify({ ...failureOf(url.url, error, url.block.tries + 1), login, depth, from }))
    this.#added()
  }

  /** Resolves when all outcomes are written, or the turn is lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#count = 0
    const blocks = [...this.#pending]
    this.#pending.clear()
    this.#writing = this.#writing.then(async () => {
      for (const [block, pending] of blocks) await this.#write(block, pending)
    })
    return this.#writing
  }

  async #write({ number, tries }: TakenBlock, { done, failed, again, failures }: Pending): Promise<void> {
    const block = again.length === 0 ? '' : packBlock({ tries: tries + 1, urls: again })
    const indexes = [done, failed, again.map(({ index }) => index)].map(packIndexes)
    await this.#lease.run(recordOutcomes, number, ...indexes, block, ...failures)
  }

  #pendingOf(block: TakenBlock): Pending {
    const found = this.#pending.get(block)
    if (found !== undefined) return found
    const made = new Pending()
    this.#pending.set(block, made)
    return made
  }

  #added(): void {
    // A failed write shows at the end of the turn, which flushes.
    if (++this.#count >= most) void this.flush().catch(() => {})
    else this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), longest)
  }
}

export function failureOf(url: string | null, { code, message }: RetrievalError, tries: number): FailureRecord {
  return { url, code, message, time: Date.now(), tries }
}
