import { decodeOctets, parseUrl, RetrievalError, resolveReference } from '@retriever/core'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { octetsDecoder } from '../../kit/text/text.ts'
import { linesOf } from '../../wire/framing/lines.ts'

/** The kinds of lines in gemtext. `details.line` of an entry names them. */
export type GemtextLine = 'text' | 'link' | 'heading' | 'item' | 'quote' | 'preformatted'

/**
 * Yields the lines of a gemtext document, one entry a line. A link has a URL; any other line is information. `base` is
 * the URL of the document.
 */
export async function* gemtextEntries(
  body: AsyncIterable<Uint8Array>,
  base: string,
  charset: string | null,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const decode = octetsDecoder(context.request.charset ?? charset ?? undefined)
  let isPreformatted = false
  let isFirst = true
  for await (const octets of linesOf(body, context)) {
    const line = isFirst ? octets.replace(/^\xEF\xBB\xBF/, '') : octets
    isFirst = false
    if (line.startsWith('```')) isPreformatted = !isPreformatted
    else yield entryOf(decode(line), isPreformatted, base)
  }
}

function entryOf(line: string, isPreformatted: boolean, base: string): Entry {
  const info = (name: string, kind: GemtextLine, more = {}): Entry => {
    return { name, kind: 'info', url: null, details: { line: kind, ...more } }
  }
  if (isPreformatted) return info(line, 'preformatted')
  if (line.startsWith('=>')) {
    const rest = line.slice(2).trim()
    const [target = ''] = rest.split(/[ \t]/, 1)
    const label = rest.slice(target.length)
    const url = target === '' ? null : absolute(target, base)
    const name = label.trim() || target
    return { name, kind: url === null ? 'other' : 'file', url, details: { line: 'link' } }
  }
  const [marks] = /^#{1,3}/.exec(line) ?? []
  if (marks !== undefined) return info(line.slice(marks.length).trim(), 'heading', { level: marks.length })
  if (line.startsWith('* ')) return info(line.slice(2), 'item')
  if (line.startsWith('>')) return info(line.slice(1).trimStart(), 'quote')
  return info(line, 'text')
}

/** Returns the URL of a link. Null for text that is none. */
function absolute(target: string, base: string): string | null {
  try {
    const url = resolveReference(target, base)
    parseUrl(url)
    return /[\0-\x20\x7F]/.test(decodeOctets(url)) && /[\0-\x20\x7F]/.test(url) ? null : url
  } catch (error) {
    if (RetrievalError.is(error) && error.code === 'unknown-scheme') return resolveReference(target, base)
    return null
  }
}
