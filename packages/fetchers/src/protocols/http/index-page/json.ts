import { encodeOctets } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../../contract/fetcher.ts'
import { whenHeld } from '../../../kit/limits.ts'
import type { IndexedDirectory } from './directory.ts'
import { dateIn, type Facts } from './facts.ts'
import { indexText } from './text.ts'

/** Matches the members of the first object, up to its end or to a member that is an object or an array. */
const first = /^\s*\[\s*\{((?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*)[{}[\]]/s
const within = 4096

/**
 * Whether JSON is an index of files: its first object has a name and a date, as in nginx's `[{ "name":"a",
 * "type":"file", "mtime":"...`. Undefined if more of it is needed. An empty array proves nothing.
 */
export function isJsonIndex(beginning: string): boolean | undefined {
  const object = first.exec(beginning.slice(0, within))?.[1]
  if (object !== undefined)
    return /"name"\s*:\s*"/.test(object) && /"(?:mtime|mod_?time|modified|last_?modified)"\s*:/i.test(object)
  return beginning.length >= within || !/^\s*(?:\[|$)/.test(beginning) ? false : undefined
}

/**
 * Yields the entries of an index in JSON, which is an array of objects with `name`. nginx (`autoindex_format json`) and
 * Caddy write it. Rejects with `limit-exceeded` past limits.maxListing or maxCollected, and with `protocol-violation`
 * for invalid JSON.
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
    const entry = entryOf(item, directory)
    if (entry !== null) yield entry
  }
}

/**
 * Returns the objects of the list. In `text` every octet is a character, since nginx writes names as raw octets that
 * need not be UTF-8.
 */
function itemsOf(text: string, context: RetrievalContext): unknown[] {
  try {
    const items: unknown = JSON.parse(withoutEscapes(text))
    if (Array.isArray(items)) return items
  } catch {
    // The error below says that it is not valid.
  }
  throw context.error('protocol-violation', 'The index is not valid JSON; retrieve the page itself, or ask for HTML.', {
    phase: 'body',
  })
}

/** Writes the escapes of characters beyond ASCII as raw octets of UTF-8, which stand for the same name. */
function withoutEscapes(json: string): string {
  return json.replace(/(?:\\u(?!00[0-7])[\da-f]{4})+|\\./gis, (escapes) =>
    /^\\u(?!00[0-7])[\da-f]{4}/i.test(escapes) ? utf8Octets(String(JSON.parse(`"${escapes}"`))) : escapes,
  )
}

/**
 * Reads `{ "name":"a", "type":"file", "mtime":"Sat, 03 Feb 2001 04:05:06 GMT", "size":8 }`, or an object with `url`,
 * `mod_time` or `is_dir`. Members of another type are ignored.
 */
function entryOf(item: unknown, directory: IndexedDirectory): Entry | null {
  const { name, type, url, size, is_dir, ...more } = Object(item) as Readonly<Record<string, unknown>>
  const isDirectory = type === 'directory' || is_dir === true || (typeof url === 'string' && url.endsWith('/'))
  const href = typeof url === 'string' ? url : typeof name === 'string' ? `./${encodeOctets(name)}` : ''
  if (href === '') return null
  const slash = isDirectory && !href.endsWith('/') ? '/' : ''
  const time = [more.mtime, more.mod_time, more.modified, more.lastModified, more.last_modified].find(isText)
  const modified = dateIn(time ?? '')?.date ?? null
  const facts: Facts = {
    ...(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && { size }),
    ...(modified !== null && { modified }),
  }
  return directory.entry(href + slash, facts)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
