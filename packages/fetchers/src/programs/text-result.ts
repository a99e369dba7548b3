import type { Mechanism } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { wholeResult } from '../kit/whole-result.ts'

/** Makes a result of a text from this machine. Throws `range-refused` if the caller wants a range. */
export function textResult<M extends Mechanism>(
  text: string,
  context: RetrievalContext,
  parts: Pick<Retrieved<M>, 'kind' | 'metadata'> & Partial<Pick<Retrieved<M>, 'entries' | 'modified'>>,
): Retrieved<M> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'The text is made for each retrieval and has no ranges; retrieve it whole.')
  }
  return wholeResult(new Uint8Array(Buffer.from(text, 'utf8')), { mediaType: 'text/plain', charset: 'utf-8', ...parts })
}
