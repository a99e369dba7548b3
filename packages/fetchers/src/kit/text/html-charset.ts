/**
 * Yields the charset labels in the meta elements of HTML, in order (HTML 13.2.3.2, "prescan a byte stream"). It reads
 * each octet once. A tag without an end gives no label and ends the search.
 */
export function* charsetLabels(html: string): Generator<string, void, void> {
  const text = new Cursor(html)
  while (text.goTo('<')) {
    if (text.takes('<!--')) {
      // The two opening hyphens may also be those of the end: `<!-->`.
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
  /** The name in lower case. It begins with `/` if the tag ends an element. */
  readonly name: string
  /** The attributes by lower-case name. If a name occurs twice, the first counts. */
  readonly attributes: ReadonlyMap<string, string>
}

/** Returns null if the text ends within the tag. */
function readTag(text: Cursor): Tag | null {
  text.at++
  const slash = text.takes('/') ? '/' : ''
  const name = slash + text.upTo(/[\s/>]/g).toLowerCase()
  const attributes = new Map<string, string>()
  while (!text.isAtEnd) {
    text.upTo(/[^\s/]/g)
    if (text.takes('>')) return { name, attributes }
    // A name may begin with `=`, but not contain it later.
    const first = text.peek(0)
    text.at++
    const key = first + text.upTo(/[\s/>=]/g)
    const value = readValue(text)
    if (value === null) return null
    if (!attributes.has(key.toLowerCase())) attributes.set(key.toLowerCase(), value)
  }
  return null
}

/** Reads the value after an attribute's name. Returns "" if there is none, and null if it has no end. */
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

/** Returns the charset in `text/html; charset=x`. */
function contentCharset(content: string | undefined): string | undefined {
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content ?? '')
  return match?.slice(1).find(Boolean)
}

/** A position in a text that only moves forward. */
class Cursor {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length
  }

  /** Returns the character at this distance from here; "" beyond the end. */
  peek(distance: number): string {
    return this.#text.charAt(this.at + distance)
  }

  /** Whether these characters are next. If so, moves past them. */
  takes(characters: string): boolean {
    const isNext = this.#text.startsWith(characters, this.at)
    if (isNext) this.at += characters.length
    return isNext
  }

  /** Goes to the next occurrence of these characters. Returns false if there is none. */
  goTo(characters: string): boolean {
    const found = this.#text.indexOf(characters, this.at)
    this.at = found === -1 ? this.#text.length : found
    return found !== -1
  }

  /** Returns the characters before the next match of `stop`, or all that are left, and moves past them. */
  upTo(stop: RegExp): string {
    const start = this.at
    stop.lastIndex = start
    this.at = stop.exec(this.#text)?.index ?? this.#text.length
    return this.#text.slice(start, this.at)
  }
}
