/** A piece of text that a program can show: a string, or what stands between the holes of a template. */
export interface Literal {
  readonly text: string
  readonly line: number
}

/** Behind these a `/` begins a regular expression, and no division. */
const beforeRegExp = /(?:^|[=([{,;:!&|?+*<>~^%-]|=>|\b(?:return|case|typeof|in|of|throw|await|yield))\s*$/

/**
 * The string literals and templates of a TypeScript source, in order: not its comments and regular expressions. A small
 * scanner and no parser; escapes stay as they are written.
 */
export function stringLiterals(source: string): Literal[] {
  const found: Literal[] = []
  const add = (start: number, end: number): void => {
    found.push({ text: source.slice(start, end), line: source.slice(0, start).split('\n').length })
  }
  /** Scans code from `at` to the `}` that closes a template's hole, or to the end; gives the place behind it. */
  const code = (from: number): number => {
    let at = from
    let depth = 0
    while (at < source.length) {
      const char = source[at]
      if (source.startsWith('//', at)) at = endOf(source, '\n', at)
      else if (source.startsWith('/*', at)) at = endOf(source, '*/', at) + 1
      else if (char === "'" || char === '"') at = quoted(at, char)
      else if (char === '`') at = template(at)
      else if (char === '/' && beforeRegExp.test(source.slice(Math.max(0, at - 40), at))) at = regExp(at)
      else if (char === '{') depth++
      else if (char === '}' && depth-- === 0) return at + 1
      at++
    }
    return at
  }
  /** Each of these gives the place of the closing character. */
  const quoted = (start: number, quote: string): number => {
    let at = start + 1
    while (source[at] !== quote) at += source[at] === '\\' ? 2 : 1
    add(start + 1, at)
    return at
  }
  const template = (start: number): number => {
    let piece = start + 1
    let at = piece
    while (source[at] !== '`') {
      if (source.startsWith('${', at)) {
        add(piece, at)
        at = code(at + 2)
        piece = at
      } else at += source[at] === '\\' ? 2 : 1
    }
    add(piece, at)
    return at
  }
  const regExp = (start: number): number => {
    let inClass = false
    let at = start + 1
    for (; source[at] !== '/' || inClass; at++) {
      if (source[at] === '\\') at++
      else if (source[at] === '[') inClass = true
      else if (source[at] === ']') inClass = false
    }
    return at
  }
  code(0)
  return found
}

function endOf(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  return at === -1 ? source.length : at
}
