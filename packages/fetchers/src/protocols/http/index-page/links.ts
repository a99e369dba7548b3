import type { Surroundings } from './facts.ts'

/** A link of a page, one octet a character. */
export interface PageLink extends Surroundings {
  readonly href: string
  /** The text of the link. A TAB replaces each tag. */
  readonly text: string
  /** The class attribute: `icon icon-directory`. */
  readonly classes: string
  /** How many characters stand before the link, not counting blanks, links and headings. */
  readonly prose: number
}

/** How many characters of each text are kept. Date and size stand near the link. */
const maxText = 200
/** How many numbers of a row are kept. A row has only a few attributes by which its table is sorted. */
const maxNumbers = 4
/**
 * How many elements may be nested; pages have about a dozen. At each end tag the parser searches all open ones, so a
 * limit saves time.
 */
export const maxDepth = 500

const headings: ReadonlySet<string> = new Set(['title', 'h1', 'h2', 'h3', 'h4', 'caption'])
const silent: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'select', 'textarea'])
/** A row ends where one of these elements begins or ends. */
const rowBreaks: ReadonlySet<string> = new Set('tr li dt table thead tbody ul ol dl pre'.split(' '))
/** A row also ends at these elements, except within a row of a table or a list. */
const lineBreaks: ReadonlySet<string> = new Set(
  'br hr p h1 h2 h3 h4 h5 h6 header footer address nav section'.split(' '),
)
const rows: ReadonlySet<string> = new Set(['tr', 'li'])

/** Reads each link with the text of its row. htmlparser2 calls onopentag, ontext, onclosetag and onend. */
export class LinkReader {
  readonly #onLink: (link: PageLink) => void
  readonly #tooDeep: () => Error
  #open: { -readonly [Key in keyof PageLink]: PageLink[Key] } | null = null
  #before = ''
  #isInLink = false
  #depth = 0
  #silentDepth = 0
  #preDepth = 0
  #rowDepth = 0
  #prose = 0
  #heading: string | null = null
  /** How much prose stands before each open `div`. */
  readonly #divs: number[] = []
  /** The text of the first element of each kind: title, h1, ... */
  readonly headings: Map<string, string> = new Map()

  /** `onLink` gets each link once, when its row is complete, however the page is cut into chunks. */
  constructor(onLink: (link: PageLink) => void, tooDeep: () => Error) {
    this.#onLink = onLink
    this.#tooDeep = tooDeep
  }

  get prose(): number {
    return this.#prose
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++
    if (this.#depth > maxDepth) throw this.#tooDeep()
    if (silent.has(name)) this.#silentDepth++
    if (name === 'pre') this.#preDepth++
    if (name === 'div') this.#divs.push(this.#prose)
    this.#breakRow(name)
    if (rows.has(name)) this.#rowDepth++
    if (headings.has(name) && this.#heading === null && !this.headings.has(name)) {
      this.#heading = name
      this.headings.set(name, '')
    }
    this.#add('\t')
    if (name === 'a' && attributes.href !== undefined) this.#link(attributes.href, attributes.class ?? '')
    if (this.#open === null) return
    if (name === 'time') this.#open.time ||= attributes.datetime ?? ''
    else if (name === 'td') this.#open.numbers = withNumber(this.#open.numbers, attributes)
  }

  #link(href: string, classes: string): void {
    // Some servers make the icon a link, too.
    if (this.#open?.href !== href) {
      const before = this.#open === null ? this.#before : ''
      this.#close()
      this.#open = { href, text: '', classes, before, within: '', after: '', numbers: [], time: '', prose: this.#prose }
    }
    this.#isInLink = true
  }

  ontext(text: string): void {
    if (this.#silentDepth > 0) return
    if (this.#heading !== null) this.#addToHeading(this.#heading, text)
    else if (!this.#isInLink) this.#prose += text.replace(/\s+/g, '').length
    const lines = this.#preDepth === 0 || this.#isInLink ? [text] : text.split('\n')
    for (const [number, line] of lines.entries()) {
      if (number > 0) this.#endRow()
      this.#add(line)
    }
  }

  #addToHeading(name: string, text: string): void {
    const before = this.headings.get(name) ?? ''
    this.headings.set(name, (before + text).slice(0, 2 * maxText))
  }

  #add(text: string): void {
    if (this.#open === null) this.#before = joined(this.#before, text)
    else if (this.#isInLink) this.#open.text = joined(this.#open.text, text)
    else this.#open.after = joined(this.#open.after, text)
  }

  onclosetag(name: string): void {
    this.#depth--
    if (silent.has(name)) this.#silentDepth--
    if (name === 'a') this.#isInLink = false
    if (name === this.#heading) this.#heading = null
    this.#add('\t')
    if (rows.has(name)) this.#rowDepth--
    this.#breakRow(name)
    if (name === 'pre') this.#preDepth--
    // A `div` with text before its link is a row. One that begins with the link may be a cell.
    if (name === 'div' && (this.#divs.pop() ?? 0) < (this.#open?.prose ?? 0)) this.#endRow()
  }

  onend(): void {
    this.#close()
  }

  /** Ends a row at this element, except within a link, which may contain paragraphs. */
  #breakRow(name: string): void {
    const isLine = lineBreaks.has(name) && this.#rowDepth === 0 && !this.#isInLink
    if (isLine || rowBreaks.has(name)) this.#endRow()
  }

  #endRow(): void {
    this.#close()
    this.#before = ''
  }

  #close(): void {
    const link = this.#open
    this.#open = null
    this.#isInLink = false
    if (link !== null) this.#onLink(withRest(link))
  }
}

/** Joins texts and shortens runs of blanks, by which pages align columns, also where two texts meet. */
function joined(text: string, more: string): string {
  if (text.length >= maxText) return text
  if (more === '\t') return text === '' || text.endsWith('\t') ? text : `${text}\t`
  const end = text.trimEnd().length
  const added = (text.slice(end) + more).replace(/[\t\r\n]+/g, '\t').replace(/ {3,}/g, '   ')
  return (text.slice(0, end) + added).slice(0, maxText)
}

/** Adds size and date from elements after the name, if the link has them there. */
function withRest(link: PageLink): PageLink {
  const text = link.text.trimStart()
  const end = text.indexOf('\t')
  return { ...link, within: end < 0 ? '' : text.slice(end + 1) }
}

function withNumber(numbers: readonly string[], attributes: Readonly<Record<string, string>>): readonly string[] {
  const { 'data-size': size, 'data-order': order, 'data-sort': sort, 'data-value': value } = attributes
  const number = size ?? order ?? sort ?? value ?? ''
  return /^\d{1,15}$/.test(number) && numbers.length < maxNumbers ? [...numbers, number] : numbers
}
