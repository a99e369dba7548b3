import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { type Attributes, attributeSteps } from './byte-range.ts'

/** How a transfer began, and what was known of the file then. */
export interface Start {
  readonly offset: number
  readonly size: number
  /** True if the octets before the offset came again and were the same. */
  readonly isCompared: boolean
}

/**
 * Asks for SIZE again if more octets came after REST than the first SIZE allowed. Returns true if the file has grown,
 * and false if the server ignored REST and began at octet 0 (threats.md R18).
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
  // If the server had begun at octet 0, at least `size` octets would have come.
  return came < size || isCompared
}

export function restIgnored(context: RetrievalContext): RetrievalError {
  const message = 'The server sent more than the rest of the file, so it has ignored REST. Retrieve the whole.'
  return context.error('range-refused', message, { phase: 'body' })
}
