import { RetrievalError } from '@retriever/core'
import { decodedFragment, fragmentOf } from '../views/fragment.ts'

/** The most anchors of all pages that are held, and the most links to anchors. A page beyond them is not looked at. */
const maxHeld = 100_000

/** The anchors of the HTML pages that a check reads, and the links that name anchors. */
export class Anchors {
  readonly #pages = new Map<string, ReadonlySet<string>>()
  readonly #links = new Set<string>()
  #held = 0

  /** A page that was read by these URLs. */
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
    // Such a fragment is a place within an application, made by its script.
    const isRoute = fragment !== null && /^[!/]/.test(fragment)
    if (fragment !== null && !isRoute && this.#links.size < maxHeld) this.#links.add(url)
  }

  /** The links to anchors that their pages do not have, in order. */
  missing(): string[] {
    return [...this.#links].filter((url) => {
      const names = this.#pages.get(withoutFragment(url))
      const fragment = fragmentOf(url) ?? ''
      return names !== undefined && !names.has(fragment) && !names.has(decodedFragment(fragment))
    })
  }
}

/** The error of a link whose page has come without the anchor. */
export function noAnchor(url: string): RetrievalError {
  const name = JSON.stringify(decodedFragment(fragmentOf(url) ?? ''))
  const message = `No such anchor: no element of the page has the id ${name}.`
  return new RetrievalError('not-found', message, { phase: 'body', url })
}

export function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '')
}
