import type { IndexedDirectory } from './directory.ts'
import { factsOf } from './facts.ts'
import type { LinkReader, PageLink } from './links.ts'
import { type TitleKind, titleKind } from './title.ts'

/** As many regular rows prove an index before its end has come. */
const enough = 20

/**
 * Tells an index of a directory from other pages, by what all of them have in common: most links are children of the
 * page's own URL, called by their very names, with sizes and dates, and one link leads up. A page that says by title or
 * heading that it is one has to prove less.
 */
export class IndexEvidence {
  readonly #directory: IndexedDirectory
  readonly #reader: LinkReader
  #children = 0
  /** Children whose text is their name, those of them that have a `/` at its end as the link does, and dated ones. */
  #named = 0
  #exact = 0
  #dated = 0
  #elsewhere = 0
  #leadsUp = false
  /** What title and headings say, as long as they are so long. */
  #said: { readonly kind: TitleKind; readonly length: number } = { kind: 'vague', length: 0 }

  constructor(directory: IndexedDirectory, reader: LinkReader) {
    this.#directory = directory
    this.#reader = reader
  }

  /** True, false: it is known by now, and nothing that is still to come changes it. */
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

  /** The first row of most programs. Others have no room for a text before it, nor call it so. */
  #beginsWithParent({ href, text, prose }: PageLink): boolean {
    return (
      this.#directory.isNamedAsOne && prose <= 200 && (/^(?:\.\/)?\.\.\/?$/.test(href) || /\.\.|parent/i.test(text))
    )
  }

  #addChild(link: PageLink, { name, segment }: { readonly name: string; readonly segment: string }): void {
    this.#children++
    const called = calledBy(link.text, name)
    if (called !== null) this.#named++
    if (called !== null && segment.endsWith('/') === called.endsWith('/')) this.#exact++
    if (Object.keys(factsOf(link)).length > 0) this.#dated++
  }

  /** By all that has come; `isAll` is false where more would have. */
  isIndex(isAll = false): boolean {
    const kind = this.#kind()
    if (kind === 'other') return false
    if (this.#children === 0) return isAll && this.#directory.isNamedAsOne && this.#isEmptyIndex(kind)
    const prose = this.#reader.prose
    if (kind === 'index') return this.#elsewhere <= this.#children + 3
    if (this.#elsewhere > 2 + this.#children / 4 || this.#named < 0.8 * this.#children) return false
    if (this.#dated >= this.#children / 2 && (kind === 'path' || this.#leadsUp || this.#children > 1)) return true
    if (kind === 'path' && this.#leadsUp) return prose <= 100 + 30 * this.#children
    if (this.#elsewhere > 0 || this.#exact < this.#children || prose > 40 + 4 * this.#children) return false
    // Some write links and nothing else, not even a title.
    return this.#children >= 3 || !this.#reader.headings.has('title')
  }

  /** An empty directory has nothing to show but its name, and where it is. */
  #isEmptyIndex(kind: TitleKind): boolean {
    if (this.#elsewhere > 2) return false
    return kind === 'index' ? this.#reader.prose <= 200 : kind === 'path' && this.#leadsUp && this.#reader.prose <= 400
  }

  /** The clearest of title and headings; a title that says something else counts for the page. */
  #kind(): TitleKind {
    // They only grow, and a page may have thousands of links behind them.
    const texts = [...this.#reader.headings.values()]
    const length = texts.reduce((sum, text) => sum + 1 + text.length, 0)
    if (length !== this.#said.length) {
      const kinds = texts.map((text) => titleKind(text, this.#directory))
      const order = ['index', 'path', 'vague', 'other'] as const
      this.#said = { kind: order.find((kind) => kinds.includes(kind)) ?? 'vague', length }
    }
    return this.#said.kind
  }
}

/** What the link calls the child, where that is its name or the beginning of a long one; null: something else. */
function calledBy(text: string, name: string): string | null {
  const cells = text.split('\t').map((cell) => cell.trim())
  return cells.find((cell) => isCalled(cell.replace(/\/$/, ''), name)) ?? null
}

function isCalled(text: string, name: string): boolean {
  if (text === name || text.endsWith(` ${name}`)) return true
  const cut = /^(.{8,}?)(?:\.\.>|\.\.\.|\xE2\x80\xA6|\u2026)$/s.exec(text)?.[1]
  const beginning = cut ?? (text.length >= 20 ? text : null)
  return beginning !== null && name.startsWith(beginning)
}
