import { decodeOctets, encodeOctets, octetsToText } from '@retriever/core'
import type { Entry } from '../fetcher.ts'
import type { Limits } from '../limits.ts'

/** What a row of an index says, as written, one octet a character; "" for what it does not say. */
export interface Row {
  readonly href: string
  /** What stands behind the link: `03-Feb-2001 04:05      1234`. */
  readonly shown: string
  /** Octets, where an attribute gives them. */
  readonly size: string
  /** As in RFC 3339, where an attribute gives it. */
  readonly time: string
}

type Facts = Pick<Entry, 'size' | 'modified' | 'details'>

/** The directory that an index page is of: it knows which links lead into it. */
export class IndexedDirectory {
  /** As the caller wrote it. */
  readonly #url: string
  readonly #page: URL
  readonly #path: string
  readonly #maxName: number
  readonly #seen = new Set<string>()

  constructor(url: string, { maxLine }: Limits) {
    this.#url = url.replace(/[?#].*$/s, '').replace(/[^/]*$/, '')
    this.#page = new URL(url)
    this.#page.username = ''
    this.#path = this.#page.pathname.replace(/[^/]*$/, '')
    this.#maxName = maxLine
  }

  /**
   * Null for a link to anywhere but one segment below the page on the same server, and for one that has come already.
   */
  entry(row: Row): Entry | null {
    const segment = this.#segment(row.href)
    if (segment === null || this.#seen.has(segment)) return null
    this.#seen.add(segment)
    const isDirectory = segment.endsWith('/')
    const name = octetsToText(decodeOctets(isDirectory ? segment.slice(0, -1) : segment))
    return { name, kind: isDirectory ? 'directory' : 'file', url: this.#url + segment, ...factsOf(row) }
  }

  /** `sub%20dir/` of `./sub%20dir/`; null where it is not exactly one (security.md cases 3 and 14). */
  #segment(href: string): string | null {
    if (href.length > this.#maxName) return null
    // What is no ASCII is octets here, which URL would take for characters.
    const reference = href.replace(/[^\0-\x7F]+/g, (octets) => encodeOctets(octets))
    if (!URL.canParse(reference, this.#page.href)) return null
    const { origin, pathname, search, hash } = new URL(reference, this.#page)
    if (origin !== this.#page.origin || search !== '' || hash !== '' || !pathname.startsWith(this.#path)) return null
    const segment = pathname.slice(this.#path.length)
    const name = decodeOctets(segment.replace(/\/$/, ''))
    return name === '' || name === '.' || name === '..' || /[/\0]/.test(name) ? null : segment
  }
}

/**
 * `03-Feb-2001 04:05    1234` of nginx, `2001-02-03 04:05  1.2K` of Apache, `2001-Feb-03 04:05:06 1.2K` of lighttpd,
 * whose links may have a `/` behind them.
 */
const dated =
  /^[\s/]*(?:(\d\d)-([A-Z]\w\w)-(\d{4})|(\d{4})-(\d\d|[A-Z]\w\w)-(\d\d)) (\d\d:[\d:]{2,5})\s+(-|\d[\d.]*[A-Z]?)(?:\s|$)/

function factsOf({ shown, size, time }: Row): Facts {
  const [, d1, m1, y1, y2, m2, d2, clock = '', shownSize = ''] = dated.exec(shown) ?? []
  const modified = instant(time.trim() || `${y1 ?? y2}-${monthOf(m1 ?? m2)}-${d1 ?? d2}T${clock}Z`)
  const exact = /^\d+$/.test(size || shownSize) ? Number(size || shownSize) : Number.NaN
  // Rounded: `1.2K`.
  const isRough = /^\d.*\D/.test(shownSize)
  return {
    ...(Number.isSafeInteger(exact) && { size: exact }),
    ...(modified !== null && { modified }),
    ...(isRough && { details: { shownSize } }),
  }
}

function monthOf(written = ''): string {
  const at = 'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(written)
  return at === -1 || /^\d/.test(written) ? written : String(at / 3 + 1).padStart(2, '0')
}

/** Null for what is no date; of 30 February Date would make 2 March. */
function instant(text: string): Date | null {
  const date = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? text : Number.NaN)
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10)) ? null : date
}
