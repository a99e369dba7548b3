import {
  abortSignal,
  charsetLabel,
  checkOptions,
  connections,
  count,
  fields,
  fieldValue,
  flag,
  type OptionKind,
  text,
  virtualHost,
} from '../kit/options.ts'
import { type PathPattern, pathPatterns } from './path-filter.ts'
import type { CommonOptions } from './retriever.ts'

/** Options of Client.walk and, with others, of Client.mirror. */
export interface WalkOptions extends CommonOptions {
  /** The levels to list: 1 for the start's own entries; a whole number of 1 or more, or Infinity. Default 32. */
  readonly depth?: number
  /** Only entries whose path fits one of these are yielded; folders are entered all the same. Default: all. */
  readonly include?: PathPattern | readonly PathPattern[]
  /** Entries whose path fits one of these are not yielded, and such folders are not entered. Default: none. */
  readonly exclude?: PathPattern | readonly PathPattern[]
  /**
   * The folders to enter: `below` the start, on the start's `server`, or `any`. Only menus and redirects lead to others
   * than those below the start. Default `below`.
   */
  readonly scope?: 'below' | 'server' | 'any'
  /** The most entries of the whole tree; more are the error `limit-exceeded`. Default 1,000,000. */
  readonly maxEntries?: number
  /** The number of listings to retrieve at a time, 1 to 16. Default 4. */
  readonly concurrency?: number
  /** Ends the walk with the error `aborted`. */
  readonly signal?: AbortSignal
  /** The absolute URL against which a relative reference is resolved (RFC 3986 5). */
  readonly base?: string
}

const levels: OptionKind = [
  'a whole number of 1 or more, or Infinity',
  (value) => value === Number.POSITIVE_INFINITY || count[1](value),
]
const scopes: OptionKind = [
  '"below", "server" or "any"',
  (value) => typeof value === 'string' && ['below', 'server', 'any'].includes(value),
]

export const walkKinds: Readonly<Record<keyof WalkOptions, OptionKind>> = {
  depth: levels,
  include: pathPatterns,
  exclude: pathPatterns,
  scope: scopes,
  maxEntries: levels,
  concurrency: connections,
  signal: abortSignal,
  base: text,
  accept: fieldValue,
  acceptLanguage: fieldValue,
  charset: charsetLabel,
  headers: fields,
  limit: count,
  compressed: flag,
  digest: flag,
  virtualHost,
}

/** Throws RetrievalError `invalid-option`. */
export function checkWalk(options: WalkOptions): void {
  checkOptions(options, walkKinds)
}
