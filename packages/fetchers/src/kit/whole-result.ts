import type { Mechanism } from '@retriever/core'
import type { Retrieved } from '../contract/fetcher.ts'
import { wholeSource } from './byte-source.ts'

type Parts<M extends Mechanism> = Pick<Retrieved<M>, 'kind' | 'mediaType' | 'metadata'> &
  Partial<Pick<Retrieved<M>, 'charset' | 'size' | 'modified' | 'completeness' | 'entries'>>

/** Makes a result of octets in memory. Unless the parts say otherwise, it has no charset and no date. */
export function wholeResult<M extends Mechanism>(octets: Uint8Array, parts: Parts<M>): Retrieved<M> {
  return {
    outcome: 'retrieved',
    charset: null,
    size: octets.length,
    modified: null,
    completeness: 'verified',
    body: wholeSource(octets),
    ...parts,
  }
}
