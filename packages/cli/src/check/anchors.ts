import { RetrievalError } from '@retriever/core'
import { decodedFragment, fragmentOf } from '../views/fragment.ts'

/**
 * The most anchors held for all pages, and the most links to anchors. Pages beyond the limit are not searched for
 * anchors.
 */
const maxHeld = 100_000

/** The anchors of the HTML pages that a check reads, and the links that name anchors. */
export class Anchors {
  readonly #pages = new Map<string, ReadonlySet<string>>()
  readonly #links = new Set<string>()
  #held = 0

  /** Adds the anchors of a page; `urls` are the URLs that led to it. */
  addPage(urls: readonly string[], names: readonly string[]): void {
    this.#held += names.length
    if (this.#held > maxHeld) return
    const known = new Set(names)
    for (const url of urls) this.#pages.set(withoutFragment(url), known)
  }

  hasPage(url: string): boolean {
    return this.#pages.has(withoutFragment(url))
  }

  addLink(url: string): void {
    const fragment = fragmentOf(url)
    // A script of the page handles such a fragment as a place within its application.
    const isRoute = fragment !== null && /^[!/]/.test(fragment)
    if (fragment !== null && !isRoute && this.#links.size < maxHeld) this.#links.add(url)
  }

  /** The links to anchors that their pages lack, in order. */
  missing(): string[] {
    return [...this.#links].filter((url) => {
      const names = this.#pages.get(withoutFragment(url))
      const fragment = fragmentOf(url) ?? ''
      return names !== undefined && !names.has(fragment) && !names.has(decodedFragment(fragment))
    })
  }
}

/** The error of a link whose page was retrieved but lacks the anchor. */
export function noAnchor(url: string): RetrievalError {
  const name = JSON.stringify(decodedFragment(fragmentOf(url) ?? ''))
  const message = `No such anchor: no element of the page has the id ${name}.`
  return new RetrievalError('not-found', message, { phase: 'body', url })
}

export function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '')
}
