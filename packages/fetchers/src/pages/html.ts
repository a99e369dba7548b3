import { encodeOctets } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Parser } from 'htmlparser2'
import type { LinkKind, LinkSlot, PageLink, PageLinks } from '../contract/pages.ts'
import { htmlParser } from '../kit/text/html-parser.ts'
import { cssLinks } from './css.ts'
import { holdersOf } from './holders.ts'
import { saysNofollow } from './robots.ts'
import { sourceOffsets } from './source-offsets.ts'

/** The most open elements. The parser searches all of them at each end tag, so the limit keeps its time linear. */
const maxDepth = 500

/** An attribute, and where its value stands in the text. */
interface Attribute {
  readonly name: string
  readonly value: string
  readonly start: number
  readonly end: number
}

type Attributes = Readonly<Record<string, string>>
type Given = ReadonlyMap<string, Attribute>

/** The links of an HTML page, at most `maxLinks`, and the anchors to which other links may point. */
export function readHtml(text: string, maxLinks: number = Number.POSITIVE_INFINITY): PageLinks {
  const reader = new HtmlReader(text, maxLinks)
  for (let start = 0; ; ) {
    const parser = htmlParser(reader)
    reader.begin(parser, start)
    try {
      parser.end(text.slice(start))
      return reader
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
      if (reader.hasMore) return reader
      // Starts a new parser behind the tag that exceeded the limit, as if all elements were closed.
      start += parser.endIndex + 1
    }
  }
}

/** htmlparser2 calls onattribute, onopentag and onclosetag. */
class HtmlReader implements PageLinks {
  readonly slots: LinkSlot[] = []
  readonly anchors: string[] = []
  base: LinkSlot | null = null
  isNofollow = false
  hasMore = false
  readonly #text: string
  /** How many more links may be kept. */
  #left: number
  #parser: Parser | null = null
  /** Where the parser's text begins in the page. */
  #offset = 0
  #depth = 0
  /** Where the style sheet begins that is being read. */
  #style: number | null = null
  /** The attributes of the tag that is being read, by name. */
  #attributes = new Map<string, Attribute>()

  constructor(text: string, maxLinks: number) {
    this.#text = text
    this.#left = maxLinks
  }

  begin(parser: Parser, offset: number): void {
    this.#parser = parser
    this.#offset = offset
    this.#depth = 0
    this.#attributes.clear()
  }

  onattribute(name: string, value: string, quote?: string | null): void {
    if (this.#parser === null || quote === undefined) return
    const { startIndex, endIndex } = this.#parser
    const equals = this.#text.indexOf('=', startIndex + this.#offset + 1)
    let start = equals + 1
    while (/\s/.test(this.#text.charAt(start))) start++
    const quoted = quote === null ? 0 : 1
    // The first of two attributes counts.
    if (this.#attributes.has(name)) return
    this.#attributes.set(name, { name, value, start: start + quoted, end: endIndex + this.#offset - quoted })
  }

  onopentag(name: string, attributes: Attributes): void {
    const given = this.#attributes
    this.#attributes = new Map()
    if (attributes.id) this.anchors.push(attributes.id)
    if (name === 'a' && attributes.name) this.anchors.push(attributes.name)
    if (name === 'meta') this.#readMeta(attributes, given)
    else this.#readElement(name, attributes, given)
    if (name === 'style') this.#style = (this.#parser?.endIndex ?? 0) + this.#offset + 1
    if (++this.#depth > maxDepth) throw new Stopped()
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.#depth--
    if (name !== 'style' || this.#style === null) return
    const start = this.#style
    const end = Math.max(start, (this.#parser?.startIndex ?? 0) + this.#offset)
    this.#style = null
    // `<style/>` of XHTML holds nothing, but stays open here.
    if (isImplied) return
    const value = this.#text.slice(start, end)
    this.#add({ start, end, value, links: cssLinks(value, this.#left + 1), isCss: true, isAttribute: false })
  }

  #readElement(name: string, attributes: Attributes, given: Given): void {
    const kinds = new Map(holdersOf(name, attributes))
    const isNofollow = /(?:^|\s)nofollow(?:\s|$)/i.test(attributes.rel ?? '')
    for (const attribute of given.values()) {
      const { value } = attribute
      const kind = kinds.get(attribute.name)
      if (attribute.name === 'style')
        this.#add({ ...slotAt(attribute), links: cssLinks(value, this.#left + 1), isCss: true })
      if (kind === undefined) continue
      const spans = attribute.name === 'srcset' ? candidates(value) : [trimmed(value, 0, value.length)]
      const read = this.#urlsOf(attribute)
      const links = spans.flatMap((span) => linkAt(read, span, kind, isNofollow))
      const slot = { ...slotAt(attribute), links, isCss: false }
      if (name !== 'base') this.#add(slot)
      else if (links.length > 0) this.base ??= slot
    }
  }

  #readMeta(attributes: Attributes, given: Given): void {
    const content = given.get('content')
    if (content === undefined) return
    const { value } = content
    if (/^\s*(?:robots|retriever)\s*$/i.test(attributes.name ?? '')) {
      this.isNofollow ||= saysNofollow(value)
    }
    // `<meta http-equiv=refresh content="5; url=next.html">`.
    if (attributes['http-equiv']?.toLowerCase() !== 'refresh') return
    const [all = '', url = ''] = /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(value) ?? []
    const span = trimmed(value, all.length - url.length, all.length)
    const links = linkAt(this.#urlsOf(content), span, 'page', false)
    this.#add({ ...slotAt(content), links, isCss: false })
  }

  /**
   * Reads URLs of an attribute's value. In a page that is read as octets, a character of an entity would be taken for
   * an octet, so those beyond ASCII are escaped: `&eacute;` is `%C3%A9`.
   */
  #urlsOf({ value, start, end }: Attribute): UrlAt {
    const source = this.#text.slice(start, end)
    const offsets = source.includes('&') && /[^\0-\x7F]/.test(value) ? sourceOffsets(source, value) : null
    if (offsets === null) return ([from, to]) => value.slice(from, to)
    return ([from, to]) =>
      value.slice(from, to).replace(/[^\0-\x7F]/gu, (character, at: number) => {
        return source.charAt(offsets(from + at)) === '&' ? encodeOctets(utf8Octets(character)) : character
      })
  }

  #add(slot: LinkSlot): void {
    if (slot.links.length === 0) return
    const links = slot.links.length > this.#left ? slot.links.slice(0, this.#left) : slot.links
    this.#left -= links.length
    this.hasMore ||= links.length < slot.links.length
    if (links.length > 0) this.slots.push({ ...slot, links })
    if (this.hasMore) throw new Stopped()
  }
}

function slotAt({ start, end, value }: Attribute): Omit<LinkSlot, 'links' | 'isCss'> {
  return { start, end, value, isAttribute: true }
}

type Span = readonly [start: number, end: number]

/** Returns the URL that stands in a span of an attribute's value. */
type UrlAt = (span: Span) => string

function linkAt(urlAt: UrlAt, span: Span, kind: LinkKind, isNofollow: boolean): readonly PageLink[] {
  const [start, end] = span
  return start === end ? [] : [{ kind, url: urlAt(span), start, end, isNofollow }]
}

/** The same span of the text without the blanks at its ends. */
function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end)
  const first = start + (part.length - part.trimStart().length)
  return [first, Math.max(first, end - (part.length - part.trimEnd().length))]
}

/** Matches a URL of a set, which may begin a list of descriptors: `small.png 1x, large.png 2x`. */
const candidate = /[\s,]*([^\s,]\S*)/y

/** Finds the comma that ends the descriptors. One in brackets belongs to them. */
function endOfDescriptors(srcset: string, start: number): number {
  for (let at = start; at < srcset.length; at++) {
    const character = srcset.charAt(at)
    if (character === ',') return at
    if (character !== '(') continue
    const close = srcset.indexOf(')', at)
    if (close === -1) break
    at = close
  }
  return srcset.length
}

/** The URLs of a set (HTML Standard, 4.8.4.2.1). */
function candidates(srcset: string): readonly Span[] {
  const spans: Span[] = []
  for (let from = 0; ; ) {
    candidate.lastIndex = from
    const found = candidate.exec(srcset)
    if (found === null) return spans
    const [all, url = ''] = found
    const end = found.index + all.length
    // A comma at the end of a URL belongs to the list, but one within it may belong to a data URL.
    let last = end
    while (srcset.charAt(last - 1) === ',') last--
    spans.push([end - url.length, last])
    from = last === end ? endOfDescriptors(srcset, end) : end
  }
}

/** Ends the parser: it is too deep, or has enough. */
class Stopped extends Error {}
