/**
 * A function for the offset of the pattern's next match, or the text's length without one. Calls must go from left to
 * right, so that the text is read only once.
 */
export function cachedSearch(text: string, pattern: RegExp): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = search(pattern, text, from)
    return found
  }
}

/** The offset of the pattern's (g or y) first match at or after `from`, or the text's length without one. */
export function search(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}
