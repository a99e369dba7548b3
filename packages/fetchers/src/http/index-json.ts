import { encodeOctets, utf8Octets } from '@retriever/core'
import type { Entry, RetrievalContext } from '../fetcher.ts'
import { whenHeld } from '../limits.ts'
import type { IndexedDirectory, Row } from './index-entry.ts'
import { indexText } from './index-text.ts'

/**
 * The entries of an index that nginx (`autoindex_format json`) or Caddy gives as JSON. Rejects with `limit-exceeded`
 * past limits.maxListing and limits.maxCollected, `protocol-violation` for what is no JSON.
 */
export async function* jsonEntries(
  body: AsyncIterable<Uint8Array>,
  directory: IndexedDirectory,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  let text = ''
  const held = { ...context, limits: whenHeld(context.limits) }
  for await (const piece of indexText(body, held)) text += piece
  for (const item of itemsOf(text, context)) {
    const row = rowOf(item)
    const entry = row && directory.entry(row)
    if (entry !== null) yield entry
  }
}

/** nginx writes names as the octets that they are, which need not be UTF-8: so every octet is a character. */
function itemsOf(text: string, context: RetrievalContext): unknown[] {
  try {
    const items: unknown = JSON.parse(text)
    if (Array.isArray(items)) return items
  } catch {
    // Said below.
  }
  throw context.error('protocol-violation', 'The index began as JSON and is none.', { phase: 'body' })
}

/**
 * `{ "name":"a", "type":"file", "mtime":"Sat, 03 Feb 2001 04:05:06 GMT", "size":8 }`, or Caddy's with `url` and
 * `mod_time`.
 */
function rowOf(item: unknown): Row | null {
  const { name, type, url, size, mtime, mod_time } = Object(item) as Readonly<Record<string, unknown>>
  const time = new Date(textOf(mod_time ?? mtime))
  const isDirectory = type === 'directory' || (typeof url === 'string' && url.endsWith('/'))
  const href =
    typeof url === 'string' ? url : typeof name === 'string' ? `./${encoded(name)}${isDirectory ? '/' : ''}` : ''
  if (href === '') return null
  return {
    href,
    shown: '',
    size: isDirectory ? '' : textOf(size),
    time: Number.isNaN(time.getTime()) ? '' : time.toISOString(),
  }
}

/** An object or a list, in which String() may find a method of its own that is none, says nothing. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** An escape may have made a character of it that is no octet. */
function encoded(name: string): string {
  return encodeOctets(/[^\0-\xFF]/.test(name) ? utf8Octets(name) : name)
}
