/**
 * What a line says stands at its beginning; what is longer is a name. No more than this is looked at closely, so that no line, however
 * long, costs more than its length.
 */
const headLength = 512

/** The part of a line that patterns may be tried on. */
export function head(line: string): string {
  return line.slice(0, headLength)
}

export interface Word {
  readonly text: string
  /** Offsets in the line: of its first octet, and behind its last. */
  readonly start: number
  readonly end: number
}

/** The words of a line's head from an offset on. Only blanks and tabs divide them: an octet A0 may be part of a letter. */
export function wordsOf(line: string, from = 0): readonly Word[] {
  return [
    ...head(line)
      .slice(from)
      .matchAll(/[^ \t]+/g),
  ].map(({ 0: text, index }) => {
    const start = from + index
    return { text, start, end: start + text.length }
  })
}

/** An octet count, if it is one that a number can hold exactly. */
export function safeSize(digits: string): number | undefined {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}
