import type { Mechanism } from '@retriever/core'
import type { Retrieved } from '../contract/fetcher.ts'

/**
 * A listing of text lines whose end the protocol marks, such as the final 226 of an FTP directory, or the line "."
 * after a newsgroup's overview or a list of groups.
 */
export function textListing<M extends Mechanism>(
  parts: Required<Pick<Retrieved<M>, 'metadata' | 'body' | 'entries'>>,
): Retrieved<M> {
  return {
    outcome: 'retrieved',
    kind: 'listing',
    mediaType: 'text/plain',
    charset: null,
    size: null,
    modified: null,
    completeness: 'terminated',
    ...parts,
  }
}
