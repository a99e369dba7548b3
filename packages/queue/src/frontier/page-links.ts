import type { Representation } from '@retriever/fetchers'
import { forbidsFollowing, PageText, readCss, readHtml } from '@retriever/fetchers/pages'

/** The largest page whose links are read. */
const maxPage = 8 * 1024 * 1024

const html = /^(?:text\/html|application\/xhtml\+xml)$/

/** Finds the links of a representation: in the octets of a page while they go to the store, or in a listing. */
export class PageOctets {
  /** Where the representation came from. */
  url = ''
  #chunks: Buffer[] = []
  #size = 0
  #representation: Representation | null = null
  readonly #entries: string[] = []

  /**
   * Reads a listing or menu, and resolves to true. Otherwise the body is not touched, and the octets of a page are to
   * be added when they come.
   */
  async begin(representation: Representation): Promise<boolean> {
    const { mediaType, kind, mechanism } = representation
    this.url = representation.url
    if (kind === 'listing' && mechanism !== 'http') {
      for await (const { url, kind } of representation.entries()) {
        if (url !== null && kind !== 'search' && kind !== 'service') this.#entries.push(url)
      }
      return true
    }
    const type = mediaType?.toLowerCase() ?? ''
    if (!html.test(type) && type !== 'text/css') return false
    const isForbidden = representation.mechanism === 'http' && forbidsFollowing(representation.metadata.fields)
    if (!isForbidden) this.#representation = representation
    return false
  }

  add(octets: Uint8Array): void {
    if (this.#representation === null) return
    this.#size += octets.length
    if (this.#size > maxPage) this.#forget()
    // A chunk is valid only now.
    else this.#chunks.push(Buffer.from(octets))
  }

  /** The absolute URLs of the links, without fragments. */
  links(): string[] {
    const representation = this.#representation
    if (representation === null) return this.#entries
    const text = new PageText(Buffer.concat(this.#chunks), representation)
    this.#forget()
    const isHtml = html.test(representation.mediaType?.toLowerCase() ?? '')
    const { slots, base, isNofollow } = isHtml ? readHtml(text.text) : readCss(text.text)
    if (isNofollow) return []
    const [stated] = base?.links ?? []
    const from = (stated && absolute(text.reference(stated.url), representation.url)) ?? representation.url
    const found = new Set<string>()
    for (const { kind, url, isNofollow } of slots.flatMap(({ links }) => links)) {
      if ((kind !== 'page' && kind !== 'requisite') || isNofollow) continue
      const link = absolute(text.reference(url), from)
      if (link !== null) found.add(link)
    }
    return [...found]
  }

  #forget(): void {
    this.#representation = null
    this.#chunks = []
  }
}

/** Reads a link as the web does (URL Standard). Null: it is none. */
function absolute(link: string, base: string): string | null {
  try {
    const url = new URL(link, base)
    url.hash = ''
    return url.href
  } catch {
    return null
  }
}
