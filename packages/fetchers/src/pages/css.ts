import type { LinkSlot, PageLink, PageLinks } from '../contract/pages.ts'

const double = String.raw`"((?:[^"\\\n]|\\[\s\S])*)"?`
const single = String.raw`'((?:[^'\\\n]|\\[\s\S])*)'?`
const bare = String.raw`((?:[^"'()\s\\]|\\(?:[0-9a-f]{1,6}\s?|[\s\S]))*)`
/**
 * Comments, @import, url() and strings (CSS Syntax 4.3). What may be cut off at the end of a text is optional, so that
 * no text is read twice. A namespace is only a name.
 */
const tokens = new RegExp(
  String.raw`/\*[\s\S]*?(?:\*/|$)|@namespace\b[^;]*|@import\s*(?:${double}|${single})|` +
    String.raw`(?<![\w-])url\(\s*(?:${double}|${single}|${bare})|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?`,
  'dgi',
)

/** The links of a text in CSS, at most `maxLinks`: all are requisites. */
export function cssLinks(text: string, maxLinks: number = Number.POSITIVE_INFINITY): readonly PageLink[] {
  const links: PageLink[] = []
  for (const { indices } of text.matchAll(tokens)) {
    const [start, end] = indices?.slice(1).find((span) => span !== undefined) ?? [0, 0]
    if (links.length >= maxLinks) break
    const url = unescaped(text.slice(start, end)).trim()
    if (url !== '') links.push({ kind: 'requisite', url, start, end, isNofollow: false })
  }
  return links
}

/** The links of a style sheet, at most `maxLinks`. */
export function readCss(text: string, maxLinks: number = Number.POSITIVE_INFINITY): PageLinks {
  const found = cssLinks(text, maxLinks + 1)
  const links = found.slice(0, maxLinks)
  const slot: LinkSlot = { start: 0, end: text.length, value: text, links, isCss: true, isAttribute: false }
  const hasMore = found.length > links.length
  return { slots: links.length === 0 ? [] : [slot], base: null, anchors: [], hasMore, isNofollow: false }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|(\r\n|[\r\n\f])|([\s\S]))/gi, (_, code, end, other) => {
    if (end !== undefined) return ''
    if (code === undefined) return other
    const point = Number.parseInt(code, 16)
    return point === 0 || point > 0x10ffff ? '\uFFFD' : String.fromCodePoint(point)
  })
}
