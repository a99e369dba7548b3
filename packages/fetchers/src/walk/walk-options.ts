import type { NamedTreeOptions, OptionKinds } from '../contract/options.ts'
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
} from '../kit/options.ts'
import { type PathPattern, pathPatterns } from './path-filter.ts'
import type { CommonOptions } from './retriever.ts'

/** See WalkOptions.concurrency. */
export const defaultConcurrency = 4

/** Options of Client.walk. Client.mirror has them, too. */
export interface WalkOptions extends CommonOptions {
  /**
   * How many levels to list: 1 lists only the start's entries. A whole number of 1 or more, or Infinity. Default 32.
   */
  readonly depth?: number
  /** Yields only entries whose path fits one of these. All folders are still entered. Default: all. */
  readonly include?: PathPattern | readonly PathPattern[]
  /** Leaves out entries whose path fits one of these, and does not enter such folders. Default: none. */
  readonly exclude?: PathPattern | readonly PathPattern[]
  /**
   * Which folders to enter: those `below` the start, all on the start's `server`, or `any`. Only menus and redirects
   * lead to folders that are not below the start. Default `below`.
   */
  readonly scope?: 'below' | 'server' | 'any'
  /** How many entries the whole tree may have. More are the error `limit-exceeded`. Default 1,000,000. */
  readonly maxEntries?: number
  /** How many listings to retrieve at a time, 1 to 16, within what the client allows. Default 4. */
  readonly concurrency?: number
  /** Ends the walk with the error `aborted`. */
  readonly signal?: AbortSignal
  /** The absolute URL that resolves a relative reference (RFC 3986 5). */
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

export const walkKinds: Readonly<Record<Exclude<keyof WalkOptions, keyof NamedTreeOptions>, OptionKind>> = {
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
  digest: flag,
}

/** Throws RetrievalError `invalid-option`. */
export function checkWalk(options: WalkOptions, named: OptionKinds): void {
  checkOptions(options, { ...walkKinds, ...named })
}
