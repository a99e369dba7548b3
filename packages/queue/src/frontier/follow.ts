import { findScheme, normalizeUrl, parseUrl, RetrievalError } from '@retriever/core'
import { invalidOption } from '@retriever/fetchers/plugin'
import { Adder, type Frontier } from './adder.ts'
import type { QueuedUrl } from './block.ts'
import { checkListed } from './checked.ts'

/** Which links of pages (HTML, CSS), listings and menus become URLs of the queue. */
export interface FollowOptions {
  /** How many links may lead from a URL that was added to one that is found: a whole number of 1 or more. */
  readonly depth: number
  /**
   * `server` (default): links to the page's own scheme, host and port. A list: links that begin with one of these URLs,
   * such as `https://www.example.org/pub/`. `any`: all. A function decides by the link, and the page that has it.
   */
  readonly scope?: 'server' | 'any' | readonly string[] | ((link: string, page: string) => boolean)
  /** The most URLs of a host that come by links. Default: any number. */
  readonly hostLimit?: number
}

/** So long links wait for those of other pages, in milliseconds. */
const longest = 200
/** How many links are remembered, since the pages of a site name the same ones. */
const mostKnown = 100_000

/** Links of several pages that are added together. */
interface OpenLinks {
  readonly adder: Adder
  readonly links: string[]
  readonly sent: Promise<void>
}

/** Adds what pages link to. */
export class Follower {
  readonly #frontier: Frontier
  readonly #options: FollowOptions
  readonly #accepts: (link: string, page: string) => boolean
  /** Links that were added, here or elsewhere. */
  readonly #known = new Set<string>()
  #open: OpenLinks | null = null

  constructor(frontier: Frontier, options: FollowOptions) {
    this.#frontier = frontier
    this.#options = options
    this.#accepts = scopeOf(options)
  }

  /** Whether links of a page are wanted. */
  follows({ depth = 0 }: QueuedUrl): boolean {
    return depth < this.#options.depth
  }

  /** Resolves when Redis has the links of the page that came from `url`. */
  async add(page: QueuedUrl, url: string, links: readonly string[]): Promise<void> {
    const wanted = links.filter((link) => !this.#known.has(link) && this.#accepts(link, url))
    const checked = wanted.map(check).filter((each) => each !== null)
    if (checked.length === 0) return
    this.#open ??= this.#begin()
    const { adder, links: added, sent } = this.#open
    const isChosen = page.from === undefined && parseUrl(page.url).host === parseUrl(url).host
    for (const each of checked) {
      // A host that a page has named may have another address at its next lookup (threats.md case 21: DNS rebinding).
      const from = isChosen && serverOf(each.url) === serverOf(url) ? {} : { from: url }
      added.push(each.url)
      await adder.add({ ...each, login: null }, { depth: (page.depth ?? 0) + 1, ...from })
    }
    await sent
  }

  #begin(): OpenLinks {
    const adder = new Adder(this.#frontier, { most: this.#options.hostLimit })
    const links: string[] = []
    const sent = new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        this.#open = null
        adder.end().then(() => {
          this.#remember(links)
          resolve()
        }, reject)
      }, longest)
    })
    return { adder, links, sent }
  }

  #remember(links: readonly string[]): void {
    if (this.#known.size > mostKnown) this.#known.clear()
    for (const link of links) this.#known.add(link)
  }
}

/** Null: a queue cannot keep the link. */
function check(url: string): ReturnType<typeof checkListed> | null {
  try {
    return checkListed({ url, login: null, number: 0 })
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}

/** Scheme, host and port. */
function serverOf(url: string): string {
  const { scheme, host, port } = parseUrl(url)
  return `${scheme}://${host?.toLowerCase()}:${port ?? findScheme(scheme)?.defaultPort}`
}

export function scopeOf({ scope = 'server' }: FollowOptions): (link: string, page: string) => boolean {
  if (typeof scope === 'function') return scope
  if (scope === 'any') return () => true
  const accepts = scopeOfPlaces(scope)
  return (link, page) => {
    try {
      return accepts(link, page)
    } catch (error) {
      // Pages have links that are no URLs, such as /%zz.
      if (RetrievalError.is(error)) return false
      throw error
    }
  }
}

function scopeOfPlaces(scope: 'server' | readonly string[]): (link: string, page: string) => boolean {
  if (scope === 'server') return (link, page) => serverOf(link) === serverOf(page)
  // Not every URL without a path gets a slash: ftp://a.example is the beginning of ftp://a.example.org/.
  const places = scope.map((url) => ({ server: serverOf(url), prefix: normalizeUrl(url) }))
  return (link) => {
    const [server, url] = [serverOf(link), normalizeUrl(link)]
    return places.some((place) => place.server === server && url.startsWith(place.prefix))
  }
}

/** Throws `invalid-option`. */
export function checkFollow({ depth, scope = 'server', hostLimit = 1 }: FollowOptions): void {
  if (!Number.isInteger(depth) || depth < 1) throw invalidOption('follow.depth', 'a whole number of 1 or more', depth)
  if (!Number.isInteger(hostLimit) || hostLimit < 1) {
    throw invalidOption('follow.hostLimit', 'a whole number of 1 or more', hostLimit)
  }
  const isScope = scope === 'server' || scope === 'any' || typeof scope === 'function' || Array.isArray(scope)
  if (!isScope) throw invalidOption('follow.scope', 'server, any, a list of URLs, or a function', scope)
}
