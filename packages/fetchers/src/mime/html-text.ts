import { Parser } from 'htmlparser2'

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

/** The most open elements. At each end tag the parser searches all of them; a limit keeps the time linear. */
const maxDepth = 500

/**
 * The text of HTML: a line for each block, a mark before list items, and the addresses of links unless their text has
 * them. Scripts are not run and nothing is fetched. If too many elements are open, they count as closed.
 */
export function htmlText(html: string): string {
  const text = new PlainText()
  for (let start = 0; start < html.length; ) {
    const parser = new Parser(text, { decodeEntities: true })
    try {
      parser.end(start === 0 ? html : html.slice(start))
      break
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      // The next round begins after the tag that was one too many.
      start += parser.endIndex + 1
      text.closeAll()
    }
  }
  return text.text()
}

class TooDeep extends Error {}

/** Collects the text; htmlparser2 calls onopentag, ontext and onclosetag. */
class PlainText {
  #pieces: string[] = []
  #hiddenIn: string | null = null
  #hiddenDepth = 0
  #isAtLineStart = true
  #preformatted = 0
  #depth = 0
  #link: { readonly href: string; readonly from: number } | null = null

  text(): string {
    return this.#pieces
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

  /** Adds a piece. It notes whether a line ends with it: to look back at all pieces would take quadratic time. */
  #push(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    this.#isAtLineStart = piece.endsWith('\n') || (this.#isAtLineStart && piece.trim() === '')
  }
}
