import type { Advice, Mechanism, Scheme } from '@retriever/core'
import type { Fetcher, SharedOptions } from './fetcher.ts'
import type { Extent, NamedRows } from './options.ts'

/** What a client knows of a protocol before its code is loaded. */
export interface About<M extends Mechanism = Mechanism> {
  readonly mechanism: M
  /** See Fetcher.schemes. */
  readonly schemes: readonly Scheme[]
  /** The name in messages: the subject of a sentence. */
  readonly title: string
  /** The options that it uses, as other mechanisms do, and for which results. */
  readonly honours: Readonly<Partial<Record<keyof SharedOptions, Extent>>>
  /** See Fetcher.options. */
  readonly options?: NamedRows
  /** See Fetcher.inFlight. */
  readonly inFlight?: number
}

/** A protocol that a client is made with. Its code is loaded on its first use. */
export interface Protocol<M extends Mechanism = Mechanism> extends About<M> {
  readonly load: () => Promise<Fetcher<M>>
  /** See Fetcher.askedFor, which is needed before the fetcher is loaded. */
  readonly askedFor?: Fetcher['askedFor']
  /** The option by which the caller has left the protocol out. Absent: the client has it. */
  readonly leftOut?: Advice
}
