import type { Representation } from '../../body/representation.ts'
import type { BatchOptions } from '../client-options.ts'
import { type ClientParts, partsOf } from '../parts.ts'
import type { BatchUse } from './batch.ts'
import { Batches } from './batches.ts'
import type { Batch, BatchOutcome, BatchPlace, BatchSource, MapOutcome } from './outcome.ts'
import { lend, map } from './use.ts'

const batchesOf = new WeakMap<ClientParts, Batches>()

/** Does what Client.retrieveAll() of `@retriever/fetchers` does, by any client. */
export function retrieveAll<Key = unknown>(
  client: object,
  urls: BatchSource<Key>,
  options: BatchOptions = {},
): Batch<BatchOutcome<Key>> {
  return open(client, urls, options, lend(options.keep === true))
}

/** Does what Client.mapAll() of `@retriever/fetchers` does, by any client. */
export function mapAll<Value, Key = unknown>(
  client: object,
  urls: BatchSource<Key>,
  use: (representation: Representation, place: BatchPlace<Key>) => Value | Promise<Value>,
  options: BatchOptions = {},
): Batch<MapOutcome<Value, Key>> {
  return open(client, urls, options, map(use))
}

function open<Outcome, Key>(
  client: object,
  urls: BatchSource<Key>,
  options: BatchOptions,
  use: BatchUse<Outcome, Key>,
): Batch<Outcome> {
  const parts = partsOf(client)
  const batch = batchesWith(parts).open(urls, options, use)
  // A policy that is wider than the client's is one error of the call, and not one of each URL.
  parts.check(options)
  return batch
}

function batchesWith(parts: ClientParts): Batches {
  const made = batchesOf.get(parts) ?? new Batches(parts)
  if (batchesOf.has(parts)) return made
  batchesOf.set(parts, made)
  parts.onClose((error) => made.close(error))
  return made
}
