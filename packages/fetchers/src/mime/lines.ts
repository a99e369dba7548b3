/** One line of a text. */
export interface TextLine {
  /** One octet a character, without its end. */
  readonly line: string
  /** Of the first octet behind its end. */
  readonly end: number
}

const lf = 0x0a

/** The lines of a text from there on; they end in CRLF or LF. */
export function* linesFrom(text: Buffer, start: number): Generator<TextLine, void, void> {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf(lf, at) + 1 || text.length
    yield { line: text.toString('latin1', at, end).replace(/\r?\n$/, ''), end }
    at = end
  }
}
