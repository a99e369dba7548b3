import type { RetrievalError } from '@retriever/core'
import { invalidOption } from '../kit/limits.ts'
import type { Retriever } from './batch/batch-job.ts'
import type { BatchOptions, ClientOptions } from './client-options.ts'

/** What trees and batches need of a client beside its methods, so that a client without them has no code of them. */
export interface ClientParts {
  readonly options: Pick<ClientOptions, 'concurrency' | 'perHost' | 'interval' | 'intervalCap' | 'giveUpHosts'>
  readonly retriever: Retriever
  readonly unreadTimeout: number
  /** Throws `invalid-option` for options that no retrieval of the client may have. */
  check(options: BatchOptions): void
  /** Calls `stop` when the client is closed, and at once if it is. The function returned ends that. */
  onClose(stop: (error: RetrievalError) => void): () => void
}

const parts = new WeakMap<object, ClientParts>()

export function keepParts(client: object, own: ClientParts): void {
  parts.set(client, own)
}

/** Throws `invalid-option` if this copy of the package did not make the client. */
export function partsOf(client: object): ClientParts {
  const own = parts.get(client)
  if (own === undefined) throw invalidOption('client', 'a client that createClient() of this package made', client)
  return own
}
