import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { type Attributes, attributeSteps } from './byte-range.ts'

/** Where a transfer began, and what was known then. */
export interface Start {
  readonly offset: number
  readonly size: number
  /** The octets before the offset came again, and were the same. */
  readonly isCompared: boolean
}

/**
 * Whether the file has grown where more came behind REST than SIZE had told: else the server has begun at the first
 * octet (security.md R18). SIZE, asked once more, tells.
 */
export async function hasGrown(
  retrieval: FtpRetrieval,
  { offset, size, isCompared }: Start,
  came: number,
): Promise<boolean> {
  const attributes: Attributes = { size: null, modified: null }
  for (const { phase, command, onReply } of attributeSteps(retrieval, attributes)) {
    if (command.startsWith('SIZE ')) onReply(await retrieval.session.control.ask(phase, command))
  }
  if (attributes.size === null || came > attributes.size - offset) return false
  // From its beginning at least as many would have come as there were.
  return came < size || isCompared
}

export function restIgnored(context: RetrievalContext): RetrievalError {
  const message = 'The server sends more than there is after that octet: it has ignored REST. Retrieve the whole.'
  return context.error('range-refused', message, { phase: 'body' })
}
