import { type Advice, type Resolution, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { LinkKind } from '../../contract/pages.ts'
import { forOtherOrigin } from '../../kit/request-options.ts'
import { type Robots, robotsOf } from '../../pages/robots.ts'
import { namedOf, type PageRequest, type Saver } from '../../walk/retriever.ts'
import { Scope } from '../../walk/scope.ts'
import type { MirrorOptions } from '../mirror-options.ts'

/** A URL that a copy wants. */
export interface Wanted {
  readonly url: string
  readonly kind: Extract<LinkKind, 'page' | 'requisite'>
  /** The page that names it. Null: the caller does. */
  readonly from: string | null
  /** How many pages lead to it, with its own if it is one. */
  readonly level: number
  /** How many requisites led here from the last page. */
  readonly requisites: number
}

/** Decides which URLs belong to a copy, and how they are asked for. */
export class SiteRules {
  readonly #saver: Saver
  readonly #options: MirrorOptions
  readonly #signal: AbortSignal
  readonly #typed: Resolution
  readonly #base: string
  readonly #pages: Scope
  readonly #requisites: Scope
  readonly #robots = new Map<string, Promise<Robots>>()
  /** The robots.txt that have come. */
  readonly #known = new Map<string, Robots>()

  /** `typed` is the start as the caller wrote it, `base` the folder to which its redirects have led. */
  constructor(saver: Saver, typed: Resolution, base: string, options: MirrorOptions, signal: AbortSignal) {
    this.#saver = saver
    this.#options = options
    this.#signal = signal
    this.#typed = typed
    this.#base = base
    const folder = saver.resolve(base)
    this.#pages = new Scope(saver, folder, options.scope)
    this.#requisites = new Scope(saver, folder, options.otherHosts === true ? 'any' : 'server')
  }

  /** Whether pages and robots.txt are obeyed that ask programs to leave something alone. */
  get isObeyed(): boolean {
    return this.#options.robots ?? true
  }

  /** Whether a URL belongs to the copy. */
  has({ url, kind }: Pick<Wanted, 'url' | 'kind'>): boolean {
    const resolution = this.#pages.resolve(url)
    if (resolution === null) return false
    return this.#pages.has(resolution) || (kind === 'requisite' && this.#requisites.has(resolution))
  }

  /** Whether two URLs are on different servers. */
  isElsewhere(one: string, other: string): boolean {
    return new URL(one).origin !== new URL(other).origin
  }

  async allowsRobot(url: string, from: string | null = null): Promise<boolean> {
    if (!this.isObeyed) return true
    const { origin, pathname, search } = new URL(url)
    const known = this.#robots.get(origin) ?? robotsOf(origin, this.#saver, this.requestFor(`${origin}/`, from))
    this.#robots.set(origin, known)
    this.#known.set(origin, await known)
    return (await known).allows(pathname + search)
  }

  /** The same for a URL on a server whose robots.txt has come. */
  allowsKnown(url: string): boolean {
    const { origin, pathname, search } = new URL(url)
    return !this.isObeyed || this.#known.get(origin)?.allows(pathname + search) !== false
  }

  /** Throws `refused` if robots.txt forbids the start itself. */
  async checkStart(url: string): Promise<void> {
    if (await this.allowsRobot(url)) return
    const { origin, pathname } = new URL(url)
    const advice: Advice = { option: 'robots', value: false }
    const why = `${origin}/robots.txt forbids programs to retrieve ${pathname}, or could not be read`
    const message = `${why}. If you have permission, give ${adviceText(advice)}.`
    throw new RetrievalError('refused', message, { phase: 'policy', url, advice })
  }

  /** How a URL is asked for: with the caller's login if it is on the server that the caller named. */
  resolve(url: string): Resolution {
    const { user, password } = this.#typed.locator
    if (user === null || !this.#isAtTyped(url)) return this.#saver.resolve(url)
    const login = password === null ? user : `${user}:${password}`
    return this.#saver.resolve(url.replace('://', `://${login}@`))
  }

  /** The options of a request. Header fields that may hold a secret go to the server that the caller named. */
  requestFor(url: string, from: string | null): PageRequest & { readonly signal: AbortSignal } {
    const { accept, acceptLanguage, charset, digest, headers } = this.#options
    const { http } = namedOf(this.#options, this.#saver)
    const own = { ...{ accept, acceptLanguage, charset, digest, headers }, ...(http && { http }) }
    const given = Object.entries({
      ...(this.#isAtTyped(url) ? own : forOtherOrigin(own)),
      linkedFrom: from === null || this.#isOwnLink(from, url) ? undefined : from,
    })
    return { ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), signal: this.#signal }
  }

  /** Whether the site names a URL of its own server, which the caller has chosen, be it inside or outside. */
  #isOwnLink(from: string, url: string): boolean {
    return !this.isElsewhere(from, this.#base) && !this.isElsewhere(url, this.#base)
  }

  #isAtTyped(url: string): boolean {
    const { plan } = this.#typed
    const other = this.#saver.resolve(url)
    return (
      plan.mechanism === 'http' &&
      other.plan.mechanism === 'http' &&
      this.#typed.scheme.name === other.scheme.name &&
      plan.host === other.plan.host &&
      plan.port === other.plan.port
    )
  }
}

/** What ends a retrieval whose redirect is not followed. */
export function notFollowed(url: string): RetrievalError {
  return new RetrievalError('refused', `${url}: The redirect is not followed.`, { phase: 'policy', url })
}
