import type { PageLink, PageLinks } from '../../contract/pages.ts'
import { webUrl } from '../../kit/web-url.ts'
import { readCss } from '../../pages/css.ts'
import { readHtml } from '../../pages/html.ts'
import type { PageText } from '../../pages/page-text.ts'
import { isHtmlType, webLink } from './site-place.ts'
import type { SiteRecord } from './site-record.ts'

/** A link of a page to the web. */
export interface SiteLink {
  readonly link: PageLink
  /** Without its fragment. */
  readonly url: string
  /** "" or `#name`. */
  readonly fragment: string
  /** Whether the link is that of a copy to another of its files. */
  readonly isLocal: boolean
}

/** Stands for the folder of a copy. No host can have the name (RFC 2606). */
const folder = 'http://copy.invalid/'

/** The page as it came from `url`, or the copy that an earlier run has made of it, at the local path `file`. */
export interface PageSource {
  readonly url: string
  readonly file: string
  readonly isCopy: boolean
}

/** The most links of a page that are followed and rewritten: one of 16 MiB may have over a million. */
export const maxLinks = 100_000

/** Finds the links of HTML or of a style sheet. */
export function readLinks({ text }: PageText, type: string | null): PageLinks {
  return isHtmlType(type) ? readHtml(text, maxLinks) : readCss(text, maxLinks)
}

/** The links of a page to http and https URLs. */
export function* linksIn(
  text: PageText,
  { slots, base }: PageLinks,
  { url, file, isCopy }: PageSource,
  record: SiteRecord,
): Generator<SiteLink> {
  const page = isCopy ? folder + encodedPath(file) : url
  const [stated] = base?.links ?? []
  const from = (stated && webUrl(text.reference(stated.url), page)?.href) ?? page
  for (const { links } of slots) {
    for (const link of links) {
      // It leads to a place in the page itself.
      if (base === null && link.url.startsWith('#')) continue
      const found = webLink(text.reference(link.url), from)
      if (found === null) continue
      if (!isCopy || !found.url.startsWith(folder)) yield { link, ...found, isLocal: false }
      else {
        const target = record.urlOf(decodedPath(found.url.slice(folder.length)))
        if (target !== undefined) yield { link, url: target, fragment: found.fragment, isLocal: true }
      }
    }
  }
}

/** A link from one file of a copy to another. */
export function relativeLink(from: string, to: string): string {
  const above = from.split('/').slice(0, -1)
  const target = to.split('/')
  let common = 0
  while (common < above.length && common < target.length - 1 && above[common] === target[common]) common++
  return '../'.repeat(above.length - common) + encodedPath(target.slice(common).join('/'))
}

function encodedPath(local: string): string {
  // These need no escape in a path (RFC 3986 3.3). `&` could begin an entity, and `:` end a scheme.
  const plain = (segment: string): string =>
    encodeURIComponent(segment).replace(/%(?:24|2B|2C|3D|40)/g, decodeURIComponent)
  return local.split('/').map(plain).join('/')
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
