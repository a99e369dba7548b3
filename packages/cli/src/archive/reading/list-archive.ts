import type { Entry } from '@retriever/fetchers'
import { scan } from './scan.ts'

/** The answers in an archive, as the entries of a listing. `warn` is told if some cannot be read. */
export async function* entriesOf(file: string, warn: (message: string) => void): AsyncGenerator<Entry> {
  const { found, isCut } = await scan(file)
  for (const { uri, date, type, status, mediaType, size, offset, digest, isHead, isTruncated } of found) {
    yield {
      name: uri,
      kind: 'file',
      url: uri,
      ...(type !== 'revisit' && { size }),
      modified: new Date(date),
      details: {
        ...{ type, status, mediaType, digest, offset, isHead, isTruncated },
      },
    }
  }
  if (isCut) warn(`${file} is cut or damaged behind the last answer that is listed.`)
}

/** The same with names for people, beside the URLs: `200 text/html response`. */
export async function* describedEntries(file: string, warn: (message: string) => void): AsyncGenerator<Entry> {
  for await (const { details = {}, ...entry } of entriesOf(file, warn)) {
    const { status, mediaType, type, isHead, isTruncated } = details
    const words = [status, mediaType, type, isHead && 'of HEAD', isTruncated && 'truncated']
    yield { ...entry, name: words.filter(Boolean).join(' ') }
  }
}
