/**
 * `@retriever/fetchers/batches` retrieves many URLs by a client of `@retriever/fetchers/client`, which has no code for
 * them itself. See docs/library.md.
 */
export { mapAll, retrieveAll } from './client/batch/of-client.ts'
export type {
  Batch,
  BatchEntry,
  BatchItem,
  BatchOutcome,
  BatchPlace,
  BatchSource,
  MapOutcome,
} from './client/batch/outcome.ts'
export type { BatchOptions } from './client/client-options.ts'
