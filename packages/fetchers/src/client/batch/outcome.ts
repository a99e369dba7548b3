import type { Resolution, RetrievalError } from '@retriever/core'
import type { Representation } from '../../body/representation.ts'
import type { RetrieveOptions } from '../client-options.ts'

/** One URL of a batch, with what belongs to it alone. */
export interface BatchItem<Key = unknown> {
  readonly url: string | URL | Resolution
  /** Any value; the outcome has it, too. */
  readonly key?: Key
  /** These take precedence over the options of the batch. A `signal` ends this retrieval alone. */
  readonly options?: RetrieveOptions
  /** Any number: of the URLs that wait, the one with the highest begins first. Default 0. */
  readonly priority?: number
}

/** The URLs of a batch. An array is in memory already: it is read ahead as far as needed, and sorted by priority. */
export type BatchSource<Key> = Iterable<BatchEntry<Key>> | AsyncIterable<BatchEntry<Key>>

/** One element of a BatchSource. */
export type BatchEntry<Key> = string | URL | Resolution | BatchItem<Key>

/** The members that tell the URLs of a batch apart. */
export interface BatchPlace<Key> {
  /** The URL as it was given. */
  readonly url: string
  /** The position in the list, from 0. */
  readonly index: number
  /** The key of the BatchItem; undefined: it has none. */
  readonly key: Key | undefined
}

/** One result of Client.retrieveAll. */
export type BatchOutcome<Key = unknown> = BatchPlace<Key> &
  (
    | { readonly representation: Representation; readonly error: null }
    | { readonly representation: null; readonly error: RetrievalError }
  )

/** One result of Client.mapAll. The error is a RetrievalError, or the one that the caller's function threw. */
export type MapOutcome<Value, Key = unknown> = BatchPlace<Key> &
  ({ readonly value: Value; readonly error: null } | { readonly value: null; readonly error: Error })

/** The results of a batch as they come. Nothing begins before the first one is asked for. */
export interface Batch<Outcome> extends AsyncIterator<Outcome, undefined, undefined> {
  [Symbol.asyncIterator](): this
  /** Lets no further URL begin until resume(). Those that have begun go on. */
  pause(): void
  resume(): void
  readonly isPaused: boolean
  /** Ends the batch, as leaving the loop does: results that were not given out are aborted. */
  return(): Promise<IteratorResult<Outcome, undefined>>
}
