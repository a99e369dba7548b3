import type { Mechanism } from '@retriever/core'
import type { Retrieved } from '../plugin/fetcher.ts'

/**
 * A listing that comes as lines of text and whose end the protocol marks: an FTP directory by its final 226, a
 * newsgroup's overview and a list of groups by a line that is a dot.
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
