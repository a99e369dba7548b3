import { type AccessPlans, encodeOctets, octetsToText, parseUrl, RetrievalError } from '@retriever/core'
import { authority } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import type { FoundDocument } from './answer.ts'
import { documentPath } from './docid.ts'
import { MarkRemover } from './marks.ts'

type Plan = AccessPlans['wais']

/** Makes the entry of a document, with the URL at which this server has it. */
export function entryOf({ docid, headline, score, length, lines, types, date }: FoundDocument, plan: Plan): Entry {
  const [first = 'TEXT', ...others] = types
  const name = octetsToText(unmarked(headline)).trim()
  // A URL with an encoded CR or LF is refused. The lengths of a docid's fields may be these octets.
  const hasUrl = docid !== '' && !/%0[AD]/.test(documentPath(docid, first, length))
  const urlAs = (wtype: string, size: number | null): string => urlOf(plan, documentPath(docid, wtype, size))
  // A headline of type URL is itself the URL.
  const url = first.toUpperCase() === 'URL' && isUrl(name) ? name : hasUrl ? urlAs(first, length) : null
  return {
    name,
    kind: 'file',
    url,
    ...(length !== null && { size: length }),
    details: {
      ...(score !== null && { score }),
      types: types.map(octetsToText),
      ...(lines !== null && { lines }),
      ...(/^\d{6,8}$/.test(date) && { date }),
      ...(others.length > 0 && hasUrl && { otherTypes: others.map((each) => urlAs(each, null)) }),
    },
  }
}

/** Writes a line of a listing: score, octets, types, headline and URL, separated by TABs. */
export function lineOf({ name, url, size, details }: Entry): string {
  const { score = '', types } = details ?? {}
  const columns = [score, size ?? '', Array.isArray(types) ? types.join(',') : '', name, url ?? '']
  return `${columns.map((column) => String(column).replace(/[\0-\x1f\x7f]/g, ' ')).join('\t')}\n`
}

/** A size or score. Whoever kept the lines may have damaged them. */
const number = /^\d{1,15}$/

/** The entries that such lines tell of. */
export async function* keptEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  for await (const line of linesOf(body, context)) {
    const [score = '', size = '', types = '', name, url = ''] = octetsToText(line).split('\t')
    if (name === undefined) continue
    yield {
      ...{ name, kind: 'file', url: isUrl(url) ? url : null },
      ...(number.test(size) && { size: Number(size) }),
      details: { ...(number.test(score) && { score: Number(score) }), types: types.split(',').filter(Boolean) },
    }
  }
}

function unmarked(octets: string): string {
  return Buffer.from(new MarkRemover().remove(Buffer.from(octets, 'latin1'))).toString('latin1')
}

function urlOf({ host, port, database }: Plan, path: string): string {
  return `wais://${authority({ host: host.replace('%', '%25'), port }, 210)}/${encodeOctets(database)}/${path}`
}

function isUrl(text: string): boolean {
  try {
    parseUrl(text)
    return true
  } catch (error) {
    if (RetrievalError.is(error)) return false
    throw error
  }
}
