/** The facts that a line of a listing gives. Strings hold one octet a character. */
export interface ListedFile {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** The number of octets that a retrieval gives; left out where the line does not tell. */
  readonly size?: number
  readonly modified?: Date
  readonly details?: Readonly<Record<string, string | number>>
}

/**
 * The reading of a line: an entry, `skip` for a headline or a total, `message` for words of the server's program,
 * `unknown` for a line that cannot be read.
 */
export type LineReading = ListedFile | 'skip' | 'message' | 'unknown'

/** Reads one format; undefined for a line of another. `now` tells the year of dates without one. */
export type LineReader = (line: string, now: Date) => LineReading | undefined

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes keys whose value is undefined: an entry has no key for a fact that its line does not give. */
export function known<T extends object>(facts: T): Known<T> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Known<T>
}

/** Splits a link and its target at ` -> `. `length` of the target, where known, decides between several arrows. */
export function splitLink(text: string, length?: number): readonly [name: string, target?: string] {
  const arrow = ' -> '
  const end = length === undefined ? -1 : text.length - length - arrow.length
  const at = end > 0 && text.startsWith(arrow, end) ? end : text.indexOf(arrow, 1)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + arrow.length)]
}

/**
 * The octets of a line that patterns are tried on, so that a long line costs no more than its length. Only a name may
 * be longer.
 */
export const headLength = 512

/** The part of a line that patterns are tried on. */
export function head(line: string): string {
  return line.slice(0, headLength)
}

export interface Column {
  readonly text: string
  /** The offset of the column's first octet, and of the one behind its last. */
  readonly start: number
  readonly end: number
}

/**
 * The columns of the head of a line from an offset on. Only blanks and tabs divide them: an octet A0 may be part of a
 * letter.
 */
export function columnsOf(line: string, from = 0): readonly Column[] {
  return [
    ...head(line)
      .slice(from)
      .matchAll(/[^ \t]+/g),
  ].map(({ 0: text, index }) => {
    const start = from + index
    return { text, start, end: start + text.length }
  })
}
