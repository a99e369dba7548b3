/**
 * Gives where the pattern matches next; the text's length for nowhere. Calls must go from left to right, so that the
 * text is read only once.
 */
export function cachedSearch(text: string, pattern: RegExp): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = search(pattern, text, from)
    return found
  }
}

/** Where the pattern (g or y) matches first at or after `from`; the text's length for nowhere. */
export function search(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}
