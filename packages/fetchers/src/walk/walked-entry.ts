import type { RetrievalError } from '@retriever/core'
import type { Entry } from '../contract/fetcher.ts'

/** One entry of a tree. */
export interface WalkedEntry extends Entry {
  readonly url: string
  /**
   * The names from the start to the entry, with `/` between them: `sub/file.txt`. No name is empty, `.` or `..`, or
   * holds a NUL; otherwise it is untrusted text. Two entries may have the same path (items of Gopher).
   */
  readonly path: string
  /** 1 for the entries of the start. */
  readonly depth: number
  /** True: the URL is not within the option `scope`; a folder is not entered then. */
  readonly outside: boolean
  /**
   * Null for an entry. The same folder comes a second time with an error, after its entries, if it could not be listed
   * to its end. A name that leads out of its folder, such as `../x`, is `refused`, and the URL is that of the folder.
   */
  readonly error: RetrievalError | null
}

/** The entry's name within its folder, as a segment of a path. */
export function segmentOf({ name, url, kind, details }: Entry & { readonly url: string }): string {
  const selector = details?.gophertype === undefined ? null : details.selector
  // The name of an article is its subject, that of a Gopher item a sentence for people.
  if (typeof selector === 'string') return safeSegment(lastOf(selector)) ?? safeSegment(name) ?? '_'
  // The number of a mail may later be that of another one; its unique id may not.
  if (kind === 'article' && typeof details?.uid === 'string') return safeSegment(details.uid) ?? '_'
  return safeSegment(kind === 'article' ? lastOf(url) : name) ?? '_'
}

function lastOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.at(-1) ?? ''
}

/** The text as one segment, so that no path leads upwards (security.md 3); null if nothing is left. */
function safeSegment(text: string): string | null {
  if (text === '') return null
  if (text === '.' || text === '..') return text.replaceAll('.', '_')
  return text.replaceAll('/', '_').replaceAll('\0', '_')
}
