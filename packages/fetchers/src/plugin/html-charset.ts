/**
 * The labels of the charsets that the meta elements of HTML give, in their order (HTML 13.2.3.2, "prescan a byte
 * stream"). Each octet is passed once, whatever stands there. A tag that does not end gives nothing, and nothing is
 * looked for behind it.
 */
export function* charsetLabels(html: string): Generator<string, void, void> {
  const text = new Cursor(html)
  while (text.goTo('<')) {
    if (text.takes('<!--')) {
      // Its own hyphens may be those of the end: `<!-->`.
      text.at -= 2
      if (!text.goTo('-->')) return
    } else if (/[a-z]/i.test(text.peek(text.peek(1) === '/' ? 2 : 1))) {
      const tag = readTag(text)
      if (tag === null) return
      const label = tag.name === 'meta' ? labelIn(tag.attributes) : undefined
      if (label !== undefined) yield label
    } else text.at++
  }
}

interface Tag {
  /** Lower case; begins with `/` where it ends an element. */
  readonly name: string
  /** By lower-case name; of two with one name the first counts. */
  readonly attributes: ReadonlyMap<string, string>
}

/** Null where the text ends within the tag. */
function readTag(text: Cursor): Tag | null {
  text.at++
  const slash = text.takes('/') ? '/' : ''
  const name = slash + text.upTo(/[\s/>]/g).toLowerCase()
  const attributes = new Map<string, string>()
  while (!text.isAtEnd) {
    text.upTo(/[^\s/]/g)
    if (text.takes('>')) return { name, attributes }
    // A name may begin with `=`, and not go on with it.
    const first = text.peek(0)
    text.at++
    const key = first + text.upTo(/[\s/>=]/g)
    const value = readValue(text)
    if (value === null) return null
    if (!attributes.has(key.toLowerCase())) attributes.set(key.toLowerCase(), value)
  }
  return null
}

/** What follows the name of an attribute: "" where there is none, null where it has no end. */
function readValue(text: Cursor): string | null {
  text.upTo(/\S/g)
  if (!text.takes('=')) return ''
  text.upTo(/\S/g)
  const quote = text.peek(0)
  if (quote !== '"' && quote !== "'") return text.upTo(/[\s>]/g)
  text.at++
  const value = text.upTo(quote === '"' ? /"/g : /'/g)
  return text.takes(quote) ? value : null
}

function labelIn(attributes: Tag['attributes']): string | undefined {
  const isPragma = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
  return attributes.get('charset') ?? (isPragma ? contentCharset(attributes.get('content')) : undefined)
}

/** Of `text/html; charset=x`. */
function contentCharset(content: string | undefined): string | undefined {
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content ?? '')
  return match?.slice(1).find(Boolean)
}

/** A place in a text that only goes on. */
class Cursor {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length
  }

  /** The character so far from here; "" beyond the end. */
  peek(distance: number): string {
    return this.#text.charAt(this.at + distance)
  }

  /** Whether these characters are next; passes them then. */
  takes(characters: string): boolean {
    const isNext = this.#text.startsWith(characters, this.at)
    if (isNext) this.at += characters.length
    return isNext
  }

  /** Goes to where these characters stand next; false where they do not. */
  goTo(characters: string): boolean {
    const found = this.#text.indexOf(characters, this.at)
    this.at = found === -1 ? this.#text.length : found
    return found !== -1
  }

  /** The characters before the next one of a kind, or all that are left; passes them. */
  upTo(stop: RegExp): string {
    const start = this.at
    stop.lastIndex = start
    this.at = stop.exec(this.#text)?.index ?? this.#text.length
    return this.#text.slice(start, this.at)
  }
}
