import type { IndexedDirectory } from './directory.ts'
import { factsOf } from './facts.ts'
import type { LinkReader, PageLink } from './links.ts'
import { type TitleKind, titleKind } from './title.ts'

/** This many regular rows prove an index before its end has arrived. */
const enough = 20

/**
 * Distinguishes an index of a directory from other pages by what the indexes of all servers share: most links lead to
 * children of the page's URL and show their names, with sizes and dates, and one link leads up. If title or heading
 * calls it an index, less evidence is enough.
 */
export class IndexEvidence {
  readonly #directory: IndexedDirectory
  readonly #reader: LinkReader
  #children = 0
  /**
   * Counts children whose text is their name, those of them whose text ends in `/` if the link does, and those with a
   * date.
   */
  #named = 0
  #exact = 0
  #dated = 0
  #elsewhere = 0
  #leadsUp = false
  /** The kind of title and headings, and how long they were when it was found. */
  #known: { readonly kind: TitleKind; readonly length: number } = { kind: 'vague', length: 0 }

  constructor(directory: IndexedDirectory, reader: LinkReader) {
    this.#directory = directory
    this.#reader = reader
  }

  /** Says whether the page is an index. Undefined if that depends on what is still to come. */
  add(link: PageLink): boolean | undefined {
    const destination = this.#directory.destination(link.href)
    if (destination.to === 'elsewhere') this.#elsewhere++
    else if (destination.to === 'above') this.#leadsUp = true
    else if (destination.to === 'child') this.#addChild(link, destination)
    if (this.#kind() === 'index') {
      if (destination.to === 'above' && this.#elsewhere === 0 && this.#beginsWithParent(link)) return true
      if (this.#named > 0 && (this.#dated > 0 || this.#elsewhere <= 2)) return true
    } else if (this.#elsewhere > enough && this.#elsewhere > 2 * this.#children) return false
    else if (link.prose > 4000 && this.#children === 0) return false
    return this.#children >= enough && this.isIndex() ? true : undefined
  }

  /**
   * Whether the first row is the one that most servers write. Other pages have more text before such a link, or another
   * name for it.
   */
  #beginsWithParent({ href, text, prose }: PageLink): boolean {
    return this.#directory.hasSlash && prose <= 200 && (/^(?:\.\/)?\.\.\/?$/.test(href) || /\.\.|parent/i.test(text))
  }

  #addChild(link: PageLink, { name, segment }: { readonly name: string; readonly segment: string }): void {
    this.#children++
    const shown = shownName(link.text, name)
    if (shown !== null) this.#named++
    if (shown !== null && segment.endsWith('/') === shown.endsWith('/')) this.#exact++
    if (Object.keys(factsOf(link)).length > 0) this.#dated++
  }

  /** Judges by all links so far. `isAll` is false if more of the page follows. */
  isIndex(isAll = false): boolean {
    const kind = this.#kind()
    if (kind === 'other') return false
    if (this.#children === 0) return isAll && this.#directory.hasSlash && this.#isEmptyIndex(kind)
    const prose = this.#reader.prose
    if (kind === 'index') return this.#elsewhere <= this.#children + 3
    if (this.#elsewhere > 2 + this.#children / 4 || this.#named < 0.8 * this.#children) return false
    if (this.#dated >= this.#children / 2 && (kind === 'path' || this.#leadsUp || this.#children > 1)) return true
    if (kind === 'path' && this.#leadsUp) return prose <= 100 + 30 * this.#children
    if (this.#elsewhere > 0 || this.#exact < this.#children || prose > 40 + 4 * this.#children) return false
    // Some servers write only links, without a title.
    return this.#children >= 3 || !this.#reader.headings.has('title')
  }

  /** Whether the page is that of an empty directory, which shows only its name and path. */
  #isEmptyIndex(kind: TitleKind): boolean {
    if (this.#elsewhere > 2) return false
    return kind === 'index' ? this.#reader.prose <= 200 : kind === 'path' && this.#leadsUp && this.#reader.prose <= 400
  }

  /** Returns the clearest kind among title and headings. */
  #kind(): TitleKind {
    // The texts only grow, so they are judged again only if they are longer: a page may have thousands of links.
    const texts = [...this.#reader.headings.values()]
    const length = texts.reduce((sum, text) => sum + 1 + text.length, 0)
    if (length !== this.#known.length) {
      const kinds = texts.map((text) => titleKind(text, this.#directory))
      const order = ['index', 'path', 'vague', 'other'] as const
      this.#known = { kind: order.find((kind) => kinds.includes(kind)) ?? 'vague', length }
    }
    return this.#known.kind
  }
}

/**
 * Returns the part of a link's text that is the child's name, or the beginning of a long one. Null if the text is
 * another.
 */
function shownName(text: string, name: string): string | null {
  const cells = text.split('\t').map((cell) => cell.trim())
  return cells.find((cell) => isNameOf(cell.replace(/\/$/, ''), name)) ?? null
}

function isNameOf(text: string, name: string): boolean {
  if (text === name || text.endsWith(` ${name}`)) return true
  const cut = /^(.{8,}?)(?:\.\.>|\.\.\.|\xE2\x80\xA6|\u2026)$/s.exec(text)?.[1]
  const beginning = cut ?? (text.length >= 20 ? text : null)
  return beginning !== null && name.startsWith(beginning)
}
