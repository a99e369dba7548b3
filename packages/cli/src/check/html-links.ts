import { readHtml } from '@retriever/fetchers/pages'

export interface HtmlLinks {
  /** The links as they are written, in order: not what a form is sent to, nor what its styles name. */
  readonly links: readonly string[]
  /** The base that the page states; null if it states none. */
  readonly base: string | null
  /** The ids of the page's elements, and the names of its anchors. */
  readonly anchors: readonly string[]
}

/** The links of an HTML page, and the anchors to which other links may point. */
export function htmlLinks(html: string): HtmlLinks {
  const { slots, base, anchors } = readHtml(html)
  const links = slots.flatMap((slot) => (slot.isCss ? [] : slot.links))
  return {
    links: links.filter(({ kind }) => kind !== 'form').map(({ url }) => url),
    base: base?.links[0]?.url ?? null,
    anchors,
  }
}
