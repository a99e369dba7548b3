import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import type { ListedRecord } from './search.ts'

/** Yields the entries of a list of records: one for each line of JSON. */
export async function* recordEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  for await (const line of linesOf(body, context)) {
    if (line === '') continue
    const { url, title, size, ...details }: ListedRecord = JSON.parse(Buffer.from(line, 'latin1').toString('utf8'))
    yield {
      name: title ?? `Record ${details.position}`,
      kind: details.diagnostic === undefined ? 'file' : 'info',
      url,
      ...(size !== null && { size }),
      details,
    }
  }
}
