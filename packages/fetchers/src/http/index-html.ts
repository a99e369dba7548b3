import { Parser } from 'htmlparser2'
import type { Entry, RetrievalContext } from '../fetcher.ts'
import type { IndexedDirectory, Row } from './index-entry.ts'
import { indexText } from './index-text.ts'

/** Whatever stands behind a link: date and size are in the first of it. */
const shownOctets = 200

/** The pages have a dozen. The parser looks through all open elements at each end tag, which must not take for ever. */
const maxDepth = 500

/**
 * The entries of an index page as its octets come. Rejects with `limit-exceeded` past limits.maxListing, or where
 * elements are nested beyond all reason.
 */
export async function* htmlEntries(
  body: AsyncIterable<Uint8Array>,
  directory: IndexedDirectory,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const rows = new Rows(context)
  const parser = new Parser(rows)
  for await (const text of indexText(body, context)) {
    parser.write(text)
    yield* entriesOf(rows, directory)
  }
  parser.end()
  yield* entriesOf(rows, directory)
}

function* entriesOf(rows: Rows, directory: IndexedDirectory): Generator<Entry, void, void> {
  for (const row of rows.take()) {
    const entry = directory.entry(row)
    if (entry !== null) yield entry
  }
}

/**
 * What the parser calls: each link with what stands behind it, up to the next link or the end of its row. Five programs
 * write five kinds of pages, and all of them put link, date and size in this order.
 */
class Rows {
  readonly #context: RetrievalContext
  #rows: Row[] = []
  #open: { -readonly [Key in keyof Row]: Row[Key] } | null = null
  #inLink = false
  #depth = 0

  constructor(context: RetrievalContext) {
    this.#context = context
  }

  /** Those that are complete. */
  take(): Row[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** The parser's. */
  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++
    if (this.#depth > maxDepth) {
      const message = `The index page nests over ${maxDepth} elements; it is none to be read.`
      throw this.#context.error('limit-exceeded', message, { phase: 'body' })
    }
    if (name === 'a') this.#link(attributes.href ?? '')
    if (this.#open === null) return
    if (name === 'td') {
      this.#open.shown += ' '
      // Caddy's, before and since 2.7.
      this.#open.size ||= attributes['data-order'] ?? attributes['data-size'] ?? ''
    }
    if (name === 'time') this.#open.time ||= attributes.datetime ?? ''
  }

  #link(href: string): void {
    this.#inLink = true
    // Apache makes its icons links too, where told so.
    if (this.#open?.href !== href) this.#close()
    this.#open = { href, shown: '', size: '', time: '' }
  }

  /** The parser's. */
  ontext(text: string): void {
    if (this.#open !== null && !this.#inLink && this.#open.shown.length < shownOctets) {
      this.#open.shown += text.slice(0, shownOctets)
    }
  }

  /** The parser's. */
  onclosetag(name: string): void {
    this.#depth--
    if (name === 'a') this.#inLink = false
    if (name === 'tr') this.#close()
  }

  /** The parser's. */
  onend(): void {
    this.#close()
  }

  #close(): void {
    if (this.#open !== null) this.#rows.push(this.#open)
    this.#open = null
  }
}
