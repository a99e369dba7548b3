import { Parser } from 'htmlparser2'

/**
 * The attributes that hold URLs, by element. The action of a form is not among them, since it may do more than
 * retrieve.
 */
const holders: Readonly<Record<string, readonly string[]>> = {
  ...{ a: ['href'], area: ['href'], link: ['href'], base: ['href'], script: ['src'], iframe: ['src'], frame: ['src'] },
  ...{ img: ['src', 'srcset', 'longdesc'], source: ['src', 'srcset'], video: ['src', 'poster'], audio: ['src'] },
  ...{ embed: ['src'], track: ['src'], input: ['src'], object: ['data'], body: ['background'] },
  ...{ blockquote: ['cite'], q: ['cite'], ins: ['cite'], del: ['cite'] },
}

/** The most open elements. The parser searches all of them at each end tag, so the limit keeps its time linear. */
const maxDepth = 500

export interface HtmlLinks {
  /** The links as they are written, in order. */
  readonly links: readonly string[]
  /** The base that the page states; null if it states none. */
  readonly base: string | null
  /** The ids of the page's elements, and the names of its anchors. */
  readonly anchors: readonly string[]
}

/** The links of an HTML page, and the anchors to which other links may point. */
export function htmlLinks(html: string): HtmlLinks {
  const links: string[] = []
  const anchors: string[] = []
  let base: string | null = null
  let depth = 0
  const handler = {
    onopentag: (name: string, attributes: Readonly<Record<string, string>>): void => {
      const urls = urlsOf(name, attributes)
      if (attributes.id) anchors.push(attributes.id)
      if (name === 'a' && attributes.name) anchors.push(attributes.name)
      if (name === 'base') base ??= urls[0] ?? null
      else links.push(...urls)
      if (++depth > maxDepth) throw new TooDeep()
    },
    onclosetag: (): void => {
      depth--
    },
  }
  for (let start = 0; ; depth = 0) {
    const parser = new Parser(handler)
    try {
      parser.end(html.slice(start))
      return { links, base, anchors }
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      // Starts a new parser behind the tag that exceeded the limit, as if all elements were closed.
      start += parser.endIndex + 1
    }
  }
}

function urlsOf(name: string, attributes: Readonly<Record<string, string>>): readonly string[] {
  if (name === 'meta') return refresh(attributes)
  const names = Object.hasOwn(holders, name) ? (holders[name] ?? []) : []
  return names.flatMap((holder) => {
    const value = (attributes[holder] ?? '').trim()
    return (holder === 'srcset' ? candidates(value) : [value]).filter((url) => url !== '')
  })
}

/** The URLs of `small.png 1x, large.png 2x` (HTML Standard, 4.8.4.2.1). */
function candidates(srcset: string): readonly string[] {
  return srcset.split(/,\s+/).map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? '')
}

/** The URL of `<meta http-equiv=refresh content="5; url=next.html">`. */
function refresh(attributes: Readonly<Record<string, string>>): readonly string[] {
  if (attributes['http-equiv']?.toLowerCase() !== 'refresh') return []
  const [, url] = /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(attributes.content ?? '') ?? []
  return url === undefined ? [] : [url.trim()]
}

class TooDeep extends Error {}
