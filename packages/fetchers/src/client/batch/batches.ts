import type { RetrievalError } from '@retriever/core'
import type { BatchOptions } from '../client-options.ts'
import { checkBatch } from '../options/checks.ts'
import type { ClientParts } from '../parts.ts'
import { type BatchClient, type BatchUse, RunningBatch } from './batch.ts'
import type { Places } from './client-places.ts'
import type { Batch, BatchSource } from './outcome.ts'
import { capsOf, placesOf } from './places-of.ts'
import { checkSource } from './source.ts'

/** The batches of one client: they share its places. */
export class Batches {
  readonly #parts: ClientParts
  readonly #running = new Set<{ stop(error: RetrievalError): void }>()
  #closed: RetrievalError | null = null

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** Throws `invalid-option`. */
  open<Outcome, Key>(source: BatchSource<Key>, options: BatchOptions, use: BatchUse<Outcome, Key>): Batch<Outcome> {
    const { retriever, unreadTimeout } = this.#parts
    checkSource(source)
    checkBatch(options, retriever.options)
    const { concurrency: _n, perHost: _h, interval: _i, intervalCap: _c, giveUpHosts: _g, keep: _k, ...own } = options
    const client: BatchClient = {
      retriever,
      unreadTimeout,
      begin: () => this.#begin(batch),
      end: () => this.#running.delete(batch),
    }
    const batch = new RunningBatch(source, capsOf(this.#parts, options), own, client, use)
    return batch
  }

  /** Ends all batches; those that have not begun reject with the error when they do. */
  close(error: RetrievalError): void {
    this.#closed = error
    for (const batch of this.#running) batch.stop(error)
  }

  #begin(batch: { stop(error: RetrievalError): void }): Promise<Places> {
    if (this.#closed !== null) return Promise.reject(this.#closed)
    this.#running.add(batch)
    return placesOf(this.#parts)
  }
}
