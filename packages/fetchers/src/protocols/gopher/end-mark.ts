import type { RetrievalContext } from '../../contract/fetcher.ts'
import { linesOf } from '../../wire/framing/lines.ts'

/**
 * Yields the lines of a menu or of attributes without the end mark, a lone dot after the last line. An answer that ends
 * by a length or with the connection may have an end mark, too.
 */
export async function* linesBeforeEndMark(
  body: AsyncIterable<Uint8Array>,
  context: Pick<RetrievalContext, 'limits' | 'error'>,
): AsyncGenerator<string, void, void> {
  let dots = 0
  for await (const line of linesOf(body, context)) {
    if (line === '.') {
      dots++
      continue
    }
    for (; dots > 0; dots--) yield '.'
    yield line
  }
}
