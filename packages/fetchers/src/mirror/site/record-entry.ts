import { webLink } from './site-place.ts'

/** A file of the copy, and the URL that it came from. */
export interface SavedPage {
  readonly url: string
  /** The local path. */
  readonly file: string
  readonly type: string | null
  readonly charset: string | null
  readonly etag: string | null
  readonly modified: string | null
  /** When it came. */
  readonly at: string
  readonly size: number
  /** The checksums of a page as it came, and with its links rewritten. Absent for other files. */
  readonly source?: string
  readonly copy?: string
  /** The server asked programs to follow none of its links. */
  readonly nofollow?: true
}

/** A redirect that an earlier run has followed. */
export interface Alias {
  readonly url: string
  readonly to: string
}

/** The folder of the start. */
interface Base {
  readonly base: string
}

type Unread = Readonly<Record<string, unknown>>

/** Reads a line of the record. Null: a killed run has cut it, or somebody has edited it. */
export function readEntry(line: string): SavedPage | Alias | Base | null {
  const entry = parsed(line)
  if (typeof entry?.base === 'string') return { base: entry.base }
  if (entry === null || !isUrl(entry.url)) return null
  if (isUrl(entry.to)) return { url: entry.url, to: entry.to }
  return isPage(entry) ? (entry as unknown as SavedPage) : null
}

function isPage({ file, type, charset, etag, modified, at, size, source, copy, nofollow }: Unread): boolean {
  const isDated = isDate(at) && (modified === null || isDate(modified))
  const hasTexts = [type, charset, etag].every((value) => value === null || typeof value === 'string')
  const hasSums = [source, copy].every((value) => value === undefined || typeof value === 'string')
  const isKnown = nofollow === undefined || nofollow === true
  return isKnown && typeof file === 'string' && typeof size === 'number' && isDated && hasTexts && hasSums
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && webLink(value, value)?.url === value
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

function parsed(line: string): Unread | null {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null ? (entry as Unread) : null
  } catch {
    return null
  }
}
