import { encodeOctets, utf8Octets } from '@retriever/core'
import type { Entry, RetrievalContext } from '../../plugin/fetcher.ts'
import { whenHeld } from '../../plugin/limits.ts'
import type { IndexedDirectory } from './directory.ts'
import { dateIn, type Facts } from './facts.ts'
import { indexText } from './text.ts'

/** The members of the first object, up to its end or to a member that is an object or a list. */
const first = /^\s*\[\s*\{((?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*)[{}[\]]/s
const within = 4096

/**
 * Whether JSON is an index of files, by its beginning: the first object names a file and its date, as in nginx's
 * `[{ "name":"a", "type":"file", "mtime":"...`. Undefined: more of it must come. An empty list says nothing.
 */
export function isJsonIndex(beginning: string): boolean | undefined {
  const object = first.exec(beginning.slice(0, within))?.[1]
  if (object !== undefined)
    return /"name"\s*:\s*"/.test(object) && /"(?:mtime|mod_?time|modified|last_?modified)"\s*:/i.test(object)
  return beginning.length >= within || !/^\s*(?:\[|$)/.test(beginning) ? false : undefined
}

/**
 * The entries of an index that a server gives as JSON: a list of objects with `name`, as nginx (`autoindex_format json`)
 * and Caddy write them. Rejects with `limit-exceeded` past limits.maxListing and limits.maxCollected, `protocol-violation` for what is no JSON.
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
 * Of `{ "name":"a", "type":"file", "mtime":"Sat, 03 Feb 2001 04:05:06 GMT", "size":8 }`, or one with `url`, `mod_time`
 * or `is_dir`. A member of another type than these says nothing.
 */
function entryOf(item: unknown, directory: IndexedDirectory): Entry | null {
  const { name, type, url, size, is_dir, ...more } = Object(item) as Readonly<Record<string, unknown>>
  const isDirectory = type === 'directory' || is_dir === true || (typeof url === 'string' && url.endsWith('/'))
  const href = typeof url === 'string' ? url : typeof name === 'string' ? `./${encoded(name)}` : ''
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

/** An escape may have made a character of it that is no octet. */
function encoded(name: string): string {
  return encodeOctets(/[^\0-\xFF]/.test(name) ? utf8Octets(name) : name)
}
