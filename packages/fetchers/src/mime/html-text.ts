import { htmlParser } from '../kit/text/html-parser.ts'
import { Section } from './html-section.ts'

/** Elements that are not shown or have no text. */
const hidden: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'title', 'noscript'])
const blocks: ReadonlySet<string> = new Set([
  ...[
    'address',
    'article',
    'blockquote',
    'body',
    'dd',
    'div',
    'dl',
    'dt',
    'figure',
    'footer',
    'form',
    'h1',
    'h2',
    'h3',
  ],
  ...['h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'ol', 'p', 'pre', 'section', 'table', 'tr', 'ul'],
])

/**
 * How many elements may be open. At each end tag the parser searches all of them, so without a limit the time would be
 * quadratic.
 */
const maxDepth = 500

/**
 * Returns the text of HTML: a line for each block, a mark before list items, and the address of a link unless its text
 * shows it. Scripts do not run and nothing is fetched. If too many elements are open, it treats them as closed.
 */
export function htmlText(html: string): string {
  return textOf(html, null) ?? ''
}

/** Returns the text of the section that a fragment names by an `id` or an anchor's `name`. Null if there is none. */
export function htmlSection(html: string, fragment: string): string | null {
  return textOf(html, new Section(fragment))
}

function textOf(html: string, section: Section | null): string | null {
  const text = new PlainText(section)
  for (let start = 0; start < html.length; ) {
    const parser = htmlParser(text, { decodeEntities: true })
    try {
      parser.end(start === 0 ? html : html.slice(start))
      break
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      // The next round begins after the tag that exceeded the limit.
      start += parser.endIndex + 1
      text.closeAll()
    }
  }
  return section !== null && section.from === null ? null : text.text()
}

class TooDeep extends Error {}

/** Collects the text. htmlparser2 calls onopentag, ontext and onclosetag. */
class PlainText {
  #pieces: string[] = []
  #hiddenIn: string | null = null
  #hiddenDepth = 0
  #isAtLineStart = true
  #preformatted = 0
  #depth = 0
  /** How many pieces stand before the current line. */
  #lineStart = 0
  #link: { readonly href: string; readonly from: number } | null = null
  readonly #section: Section | null

  /** `section` is the part to return; null returns all of it. */
  constructor(section: Section | null) {
    this.#section = section
  }

  text(): string {
    return this.#pieces
      .slice(this.#section?.from ?? 0, this.#section?.to ?? this.#pieces.length)
      .join('')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .concat('\n')
  }

  /** Closes all open elements. */
  closeAll(): void {
    this.#hiddenIn = null
    this.#hiddenDepth = 0
    this.#preformatted = 0
    this.#depth = 0
    this.#link = null
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++
    this.#open(name, attributes)
    if (this.#depth > maxDepth) throw new TooDeep()
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#hiddenIn !== null) {
      if (name === this.#hiddenIn) this.#hiddenDepth++
      return
    }
    if (hidden.has(name)) {
      this.#hiddenIn = name
      this.#hiddenDepth = 1
      return
    }
    this.#section?.open(name, attributes, this.#pieces.length, this.#lineStart, this.#depth)
    if (name === 'pre') this.#preformatted++
    if (name === 'br') this.#push('\n')
    if (blocks.has(name)) this.#break()
    if (name === 'li') this.#push('* ')
    if (name === 'p') this.#push('\n')
    if (name === 'td' || name === 'th') this.#push(' ')
    if (name === 'a' && attributes.href) this.#link = { href: attributes.href, from: this.#pieces.length }
  }

  ontext(text: string): void {
    if (this.#hiddenIn !== null) return
    this.#section?.text(text)
    if (this.#preformatted > 0) this.#push(text.replaceAll('\r', ''))
    else {
      const flat = text.replace(/[ \t\r\n\f]+/g, ' ')
      this.#push(this.#isAtLineStart ? flat.trimStart() : flat)
    }
  }

  onclosetag(name: string): void {
    this.#depth--
    if (this.#hiddenIn !== null) {
      if (name === this.#hiddenIn && --this.#hiddenDepth === 0) this.#hiddenIn = null
      return
    }
    this.#section?.close(name, this.#pieces.length, this.#depth)
    if (name === 'pre') this.#preformatted--
    if (name === 'a' && this.#link !== null) {
      const { href, from } = this.#link
      this.#link = null
      const said = this.#pieces.slice(from).join('')
      if (/^[a-z][a-z0-9+.-]*:/i.test(href) && !said.includes(href)) this.#push(` <${href}>`)
    }
    if (blocks.has(name)) this.#break()
  }

  #break(): void {
    if (!this.#isAtLineStart) this.#push('\n')
  }

  /** Adds a piece, and notes whether a line ends with it: a look back at all pieces would take quadratic time. */
  #push(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    if (piece.endsWith('\n')) this.#lineStart = this.#pieces.length
    this.#isAtLineStart = piece.endsWith('\n') || (this.#isAtLineStart && piece.trim() === '')
  }
}
