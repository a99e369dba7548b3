const inline: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'b', 'br', 'cite', 'code', 'em', 'font', 'hr', 'i', 'img', 'input', 'kbd', 'mark', 'q', 's'],
  ...['samp', 'small', 'span', 'strong', 'sub', 'sup', 'tt', 'u', 'var', 'wbr'],
])

/**
 * Finds the section that a fragment names, as pieces of a text. A heading's section reaches to the next heading of its
 * level or above. An element that holds others is a section itself. After an empty anchor, or one within a line, the
 * section reaches to the next heading.
 */
export class Section {
  /** The number of the first piece. Null until it is found. */
  from: number | null = null
  /** The number of the piece after the last one. Null: the section reaches to the end. */
  to: number | null = null
  readonly #names: ReadonlySet<string>
  /** The heading that is open, or else the last one, and the piece at which it begins. */
  #heading = { level: 0, from: 0, isOpen: false }
  /** Headings of this level and above end the section. At 0, the first heading still belongs to the section. */
  #level = 0
  /** The level of the heading before an anchor. */
  #outer = 0
  /** The section ends when fewer elements than this are open. */
  #leastDepth = 0
  #isTerm = false
  #hasText = false

  constructor(fragment: string) {
    this.#names = new Set(namesIn(fragment))
  }

  /**
   * Called for a start tag. `pieces` stand before the element, and `line` of them before its line. `depth` elements are
   * open, including this one.
   */
  open(name: string, attributes: Readonly<Record<string, string>>, pieces: number, line: number, depth: number): void {
    const level = levelOf(name)
    if (level > 0) this.#heading = { level, from: pieces, isOpen: true }
    if (this.from !== null) {
      if (this.to === null) this.#mayEnd(name, level, pieces)
      return
    }
    const isNamed = (anchor: string | undefined): boolean => anchor !== undefined && this.#names.has(anchor)
    if (!isNamed(attributes.id) && !(name === 'a' && isNamed(attributes.name))) return
    const { isOpen } = this.#heading
    this.from = isOpen ? this.#heading.from : inline.has(name) ? line : pieces
    this.#level = isOpen ? this.#heading.level : 0
    this.#outer = this.#heading.level
    this.#isTerm = name === 'dt'
    if (!isOpen && !inline.has(name)) this.#leastDepth = this.#isTerm ? depth - 1 : depth
  }

  /** Called for an end tag. `depth` elements are still open. */
  close(name: string, pieces: number, depth: number): void {
    if (levelOf(name) > 0) this.#heading.isOpen = false
    if (this.from === null || this.to !== null || depth >= this.#leastDepth) return
    if (this.#hasText) this.to = pieces
    // The element was empty, so it is an anchor.
    else this.#leastDepth = 0
  }

  text(said: string): void {
    if (this.from !== null && said.trim() !== '') this.#hasText = true
  }

  #mayEnd(name: string, level: number, pieces: number): void {
    if (this.#isTerm && name === 'dt') this.to = pieces
    if (level === 0 || this.#leastDepth > 0) return
    if (this.#level === 0 && !this.#hasText) {
      this.#level = level
      this.from = pieces
    } else if (level <= (this.#level || this.#outer || 6)) this.to = pieces
  }
}

/** Returns the names that a fragment may mean: as it is, and decoded (HTML Standard, 7.4.6.3). */
function namesIn(fragment: string): string[] {
  try {
    return [fragment, decodeURIComponent(fragment)]
  } catch {
    return [fragment]
  }
}

/** Returns 1 to 6 for a heading, else 0. */
function levelOf(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0
}
