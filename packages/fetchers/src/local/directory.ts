import type { Stats } from 'node:fs'
import { lstat, opendir, readlink } from 'node:fs/promises'
import { encodeOctets, octetsToText } from '@retriever/core'
import type { Entry, RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { sourceOf } from '../kit/byte-source.ts'
import { whenHeld } from '../kit/limits.ts'
import { checkDate } from '../kit/request-options.ts'
import { overHeld } from '../kit/size-limit.ts'
import { linesOf } from '../wire/framing/lines.ts'
import { attempt, pathOctets } from './open-path.ts'

const pieceSize = 64 * 1024

/** Makes the URL of a path. A path that ends with `/` is a directory's. */
export type UrlOf = (path: string) => string

function fileUrl(path: string): string {
  return `file://${encodeOctets(path, '/')}`
}

/**
 * Lists a directory: one name a line, sorted by octets; directories end with `/`. Names are the octets on disk, but
 * control characters and `%` become `%XX`, since a name may hold a line feed.
 */
export async function readDirectory(
  path: string,
  stats: Stats,
  context: RetrievalContext,
  urlOf: UrlOf = fileUrl,
): Promise<Retrieved<'file'>> {
  // The system changes this date when entries are added or removed.
  checkDate(context, stats.mtime)
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A directory has no ranges; retrieve it without one.')
  }
  const lines = await attempt(context, () => readLines(path, context))
  const text = Buffer.from(lines.sort().join(''), 'latin1')
  return {
    outcome: 'retrieved',
    kind: 'listing',
    mediaType: 'text/plain',
    charset: null,
    size: text.length,
    modified: stats.mtime,
    completeness: 'verified',
    metadata: {},
    body: sourceOf(pieces(text)),
    entries: (body) => entries(path, body, context, urlOf),
  }
}

async function readLines(path: string, context: RetrievalContext): Promise<string[]> {
  const { deadline } = context
  const { maxListing } = whenHeld(context.limits)
  const lines: string[] = []
  let length = 0
  // Node's types allow only text here, but names need not be text; with 'buffer', Node gives buffers. Leaving the loop
  // closes the directory.
  const directory = await opendir(pathOctets(path), { encoding: 'buffer' as BufferEncoding })
  for await (const found of directory) {
    if (deadline.reason !== null) break
    const line = lineOf(found.name as unknown as Buffer, found.isDirectory())
    length += line.length
    if (length > maxListing) throw overHeld(context, 'listing', 'maxListing')
    lines.push(line)
  }
  return lines
}

function lineOf(name: Buffer, isDirectory: boolean): string {
  const shown = name.toString('latin1').replace(/[\0-\x1F\x7F%]/g, (octet) => encodeOctets(octet))
  return `${shown}${isDirectory ? '/' : ''}\n`
}

/** Reverses lineOf. The line holds octets, so decodeOctets, which takes text, cannot be used. */
function nameOf(line: string): string {
  return line.replace(/\/$/, '').replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

async function* pieces(text: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += pieceSize) yield new Uint8Array(text.subarray(at, at + pieceSize))
}

/** Reads the entries from such a body, each with its present size and date. */
async function* entries(
  path: string,
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
  urlOf: UrlOf,
): AsyncGenerator<Entry> {
  const parent = path.endsWith('/') ? path : `${path}/`
  for await (const line of linesOf(body, context)) {
    const name = nameOf(line)
    const shown = octetsToText(name)
    const child = parent + name
    const stats = await context.deadline.within('body', () => lstat(pathOctets(child)).catch(() => null))
    const url = urlOf(child)
    // The file was removed, or we may not inspect it.
    if (stats === null) yield { name: shown, kind: line.endsWith('/') ? 'directory' : 'other', url }
    else {
      const target = stats.isSymbolicLink() ? await targetOf(child, context) : null
      const details = target === null ? {} : { details: { target } }
      yield {
        name: shown,
        kind: kindOf(stats),
        url: stats.isDirectory() ? `${url}/` : url,
        ...facts(stats),
        ...details,
      }
    }
  }
}

/** Returns the path that a link contains, as written. Returns null if the link no longer exists. */
async function targetOf(link: string, context: RetrievalContext): Promise<string | null> {
  const read = () => readlink(pathOctets(link), 'latin1').catch(() => null)
  const target = await context.deadline.within('body', read)
  return target === null ? null : octetsToText(target)
}

function kindOf(stats: Stats): Entry['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

function facts(stats: Stats): Pick<Entry, 'size' | 'modified'> {
  return { ...(stats.isFile() ? { size: stats.size } : {}), modified: stats.mtime }
}
