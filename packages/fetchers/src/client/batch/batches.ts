import type { RetrievalError } from '@retriever/core'
import type { BatchOptions } from '../client-options.ts'
import { checkBatch } from '../options/checks.ts'
import type { ClientParts } from '../parts.ts'
import { type BatchClient, type BatchUse, RunningBatch } from './batch.ts'
import type { Retriever } from './batch-job.ts'
import type { Places } from './client-places.ts'
import type { Rate } from './host.ts'
import type { Batch, BatchSource } from './outcome.ts'
import { checkSource } from './source.ts'

const defaultConcurrency = 16
const defaultPerHost = 4

/** The batches of one client: they share its places. */
export class Batches {
  readonly #options: ClientParts['options']
  readonly #retriever: Retriever
  readonly #unreadTimeout: number
  #places: Promise<Places> | null = null
  readonly #running = new Set<{ stop(error: RetrievalError): void }>()
  #closed: RetrievalError | null = null

  /** The options must have been checked. */
  constructor(options: ClientParts['options'], retriever: Retriever, unreadTimeout: number) {
    this.#options = options
    this.#retriever = retriever
    this.#unreadTimeout = unreadTimeout
  }

  /** Throws `invalid-option`. */
  open<Outcome, Key>(source: BatchSource<Key>, options: BatchOptions, use: BatchUse<Outcome, Key>): Batch<Outcome> {
    checkSource(source)
    checkBatch(options, this.#retriever.options)
    const { concurrency, perHost, interval: _i, intervalCap: _c, giveUpHosts, keep: _k, ...retrieveOptions } = options
    const { concurrency: most = defaultConcurrency, perHost: mostPerHost = defaultPerHost } = this.#options
    const caps = {
      concurrency: Math.min(most, concurrency ?? most),
      perHost: Math.min(mostPerHost, perHost ?? mostPerHost),
      rates: [...ratesOf(this.#options), ...ratesOf(options)],
      givesUp: giveUpHosts ?? this.#options.giveUpHosts ?? true,
    }
    const client: BatchClient = {
      retriever: this.#retriever,
      unreadTimeout: this.#unreadTimeout,
      begin: () => this.#begin(batch),
      end: () => this.#running.delete(batch),
    }
    const batch = new RunningBatch(source, caps, retrieveOptions, client, use)
    return batch
  }

  /** Ends all batches; those that have not begun reject with the error when they do. */
  close(error: RetrievalError): void {
    this.#closed = error
    for (const batch of this.#running) batch.stop(error)
    this.#running.clear()
  }

  #begin(batch: { stop(error: RetrievalError): void }): Promise<Places> {
    if (this.#closed !== null) return Promise.reject(this.#closed)
    this.#running.add(batch)
    this.#places ??= this.#makePlaces()
    return this.#places
  }

  /** Loads p-queue, which a client of single retrievals does not need. */
  async #makePlaces(): Promise<Places> {
    const { Places } = await import('./client-places.ts')
    const { concurrency = defaultConcurrency, perHost = defaultPerHost } = this.#options
    return new Places(concurrency, perHost)
  }
}

function ratesOf({ interval, intervalCap = 1 }: Pick<BatchOptions, 'interval' | 'intervalCap'>): readonly Rate[] {
  return interval === undefined ? [] : [{ interval, cap: intervalCap }]
}
