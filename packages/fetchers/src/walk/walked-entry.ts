import type { RetrievalError } from '@retriever/core'
import type { Entry } from '../contract/fetcher.ts'

/** One entry of a tree. */
export interface WalkedEntry extends Entry {
  readonly url: string
  /**
   * The names from the start to the entry, with `/` between them: `sub/file.txt`. No name is empty, `.` or `..`, or
   * holds a NUL; otherwise the path is untrusted text. Two entries may have the same path (items of Gopher).
   */
  readonly path: string
  /** 1 for the entries of the start. */
  readonly depth: number
  /** True if the URL is not within the option `scope`. Such a folder is not entered. */
  readonly outside: boolean
  /**
   * Null if nothing failed. If a folder could not be listed to its end, the folder comes a second time, after its
   * entries, with an error. A name that leads out of its folder, such as `../x`, is `refused`, and the URL is that of
   * the folder.
   */
  readonly error: RetrievalError | null
}

/** Returns the entry's name within its folder, as a segment of a path. */
export function segmentOf({ name, url, kind, details }: Entry & { readonly url: string }): string {
  const selector = details?.gophertype === undefined ? null : details.selector
  // An article's name is its subject, and a Gopher item's name is a sentence for people.
  if (typeof selector === 'string') return safeSegment(lastOf(selector)) ?? safeSegment(name) ?? '_'
  // Another mail may later get the same number, but never the same unique id.
  if (kind === 'article' && typeof details?.uid === 'string') return safeSegment(details.uid) ?? '_'
  return safeSegment(kind === 'article' ? lastOf(url) : name) ?? '_'
}

function lastOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.at(-1) ?? ''
}

/** Turns the text into one segment, so that no path leads upwards (threats.md 3). Returns null if nothing is left. */
function safeSegment(text: string): string | null {
  if (text === '') return null
  if (text === '.' || text === '..') return text.replaceAll('.', '_')
  return text.replaceAll('/', '_').replaceAll('\0', '_')
}
