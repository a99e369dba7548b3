import type { Retrieved } from '../fetcher.ts'

/** A listing that comes as lines of text and whose end the protocol marks: an FTP directory, a newsgroup, a list of groups. */
export function textListing(parts: Required<Pick<Retrieved, 'metadata' | 'body' | 'entries'>>): Retrieved {
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
