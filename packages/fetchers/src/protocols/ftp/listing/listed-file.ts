/** What a line of a listing says. Strings hold one octet a character. */
export interface ListedFile {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** How many octets a retrieval gives. Absent if the line does not tell. */
  readonly size?: number
  readonly modified?: Date
  readonly details?: Readonly<Record<string, string | number>>
}

/**
 * What a line is: an entry, `skip` for a headline or a total, `message` for words of the server's program, `unknown` if
 * it cannot be read.
 */
export type LineReading = ListedFile | 'skip' | 'message' | 'unknown'

/** Reads one format, and returns undefined for a line of another. `now` gives the year of dates without one. */
export type LineReader = (line: string, now: Date) => LineReading | undefined

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes keys whose value is undefined, so that an entry has no key for a fact that its line does not give. */
export function known<T extends object>(facts: T): Known<T> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Known<T>
}

/**
 * How many octets of a line are matched by patterns, so that a long line takes only linear time. Only a name may be
 * longer.
 */
export const headLength = 512

/** Returns the part of a line that is matched by patterns. */
export function head(line: string): string {
  return line.slice(0, headLength)
}

export interface Column {
  readonly text: string
  /** The offsets of the column's first octet and of the octet after its last. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the columns in the head of a line from an offset on. Only blanks and tabs separate them: an octet A0 may be
 * part of a letter.
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
