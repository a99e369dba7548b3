import { decodeOctets, encodeOctets, octetsToText } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry } from '../../../contract/fetcher.ts'
import type { Limits } from '../../../contract/limits.ts'
import { webUrl } from '../../../kit/web-url.ts'
import type { Facts } from './facts.ts'

/** Where a link of a page leads. */
export type Destination =
  /** The link leads to exactly one segment below the page: `sub%20dir/`. */
  | { readonly to: 'child'; readonly segment: string; readonly name: string }
  /** The link leads to the page itself (perhaps in another order), to a directory above it, or to another place. */
  | { readonly to: 'self' | 'above' | 'elsewhere' }

/** The directory that an index page lists. It knows which links lead into it. */
export class IndexedDirectory {
  /** The URL as the caller wrote it, with a `/` at its end. */
  readonly #url: string
  readonly #page: URL
  readonly #path: string
  readonly #maxName: number
  readonly #seen = new Set<string>()
  /** Whether a link leads to another page of the same directory, as `?page=2` does. This page is then incomplete. */
  hasMorePages = false

  /** Some servers list the directory `files` at a URL without a `/` at its end. Its links are then absolute. */
  constructor(url: string, { maxLine }: Limits) {
    this.#url = withSlash(url.replace(/[?#].*$/s, ''))
    this.#page = new URL(url)
    this.#page.username = ''
    this.#path = withSlash(this.#page.pathname)
    this.#maxName = maxLine
  }

  /** The path, one octet a character. */
  get path(): string {
    return decodeOctets(this.#path)
  }

  /** Whether the path of the page itself ends in `/`. */
  get hasSlash(): boolean {
    return this.#page.pathname.endsWith('/')
  }

  get host(): string {
    return this.#page.hostname
  }

  /**
   * Tells where a link leads. A child is on the same server, and is exactly one segment even after decoding
   * (threats.md cases 3 and 14).
   */
  destination(href: string): Destination {
    if (href.length > this.#maxName) return { to: 'elsewhere' }
    // Octets beyond ASCII must be escaped, since URL would read them as characters. An entity makes characters.
    const reference = href.replace(/[^\0-\x7F]+/g, (run) =>
      encodeOctets(/[^\0-\xFF]/.test(run) ? utf8Octets(run) : run),
    )
    const url = webUrl(reference, this.#page.href)
    if (url === null) return { to: 'elsewhere' }
    const { origin, pathname, search, hash } = url
    if (origin !== this.#page.origin) return { to: 'elsewhere' }
    if (withSlash(pathname) === this.#path) {
      this.hasMorePages ||= search !== this.#page.search && pageQuery.test(search)
      return { to: 'self' }
    }
    if (this.#path.startsWith(withSlash(pathname)) && hash === '') return { to: 'above' }
    if (search !== '' || hash !== '' || !pathname.startsWith(this.#path)) return { to: 'elsewhere' }
    const segment = pathname.slice(this.#path.length)
    const name = decodeOctets(segment.replace(/\/$/, ''))
    const isOne = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)
    return isOne ? { to: 'child', segment, name } : { to: 'elsewhere' }
  }

  /** Makes the entry for a link. Returns null if the link leads to no child, or to one that has been listed already. */
  entry(href: string, facts: Facts, isMarkedDirectory = false): Entry | null {
    const destination = this.destination(href)
    if (destination.to !== 'child' || this.#seen.has(destination.segment)) return null
    const { segment, name } = destination
    this.#seen.add(segment)
    const common = { name: octetsToText(name), url: this.#url + segment }
    if (!isMarkedDirectory && !segment.endsWith('/')) return { ...common, kind: 'file', ...facts }
    const { size: _size, details: _details, ...ofDirectory } = facts
    return { ...common, kind: 'directory', ...ofDirectory }
  }
}

/** Matches the query of another page. Queries that sort the entries, such as `?C=M;O=A`, have other names. */
const pageQuery = /[?&;](?:p|pg|page|pageno|page_?num(?:ber)?|start|offset|skip|from|after|marker|cursor)=[^&;]/i

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
