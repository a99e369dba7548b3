/** How many tokens one message may have: a listing of 100,000 links has about a million words. */
const maxPieces = 2_000_000

/** A message breaks the rules of Prospero protocol 5, 2.1. The text says how. */
export class TokenError extends Error {}

/**
 * Splits the lines of a message into tokens (Prospero protocol 5, 2.1). Quotes may begin and end within a token, and
 * may enclose anything: `20' bytes'` and `it'''s a file'` are one token each. A CR before a line's end is left out.
 */
export function* tokenLines(text: string): Generator<readonly string[]> {
  const reader = new TokenReader(text)
  while (!reader.isOver) {
    const line = reader.line()
    if (line.length > 0) yield line
  }
}

class TokenReader {
  readonly #text: string
  #at = 0
  #pieces = 0

  constructor(text: string) {
    this.#text = text
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  line(): string[] {
    const line: string[] = []
    for (;;) {
      this.#take(/[ \t]*/y)
      if (this.isOver || this.#take(/\r?\n|\r$/y) !== '') return line
      line.push(this.#token())
    }
  }

  #token(): string {
    const pieces: string[] = []
    for (;;) {
      if (++this.#pieces > maxPieces) throw new TokenError(`its message has more than ${maxPieces} words`)
      const plain = this.#take(/[^ \t\n\r']+|\r+(?!\n|$)/y)
      pieces.push(plain)
      if (this.#text[this.#at] === "'") pieces.push(this.#quoted())
      else if (plain === '') return pieces.join('')
    }
  }

  /** Reads the text in quotes. A doubled quote in it means one. */
  #quoted(): string {
    const from = this.#at + 1
    for (let at = from; ; at += 2) {
      at = this.#text.indexOf("'", at)
      if (at === -1) throw new TokenError('a quote in its message is not closed')
      if (this.#text[at + 1] === "'") continue
      this.#at = at + 1
      return this.#text.slice(from, at).replaceAll("''", "'")
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }
}
