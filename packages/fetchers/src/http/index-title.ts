/**
 * What the title or the heading of a page says: `index` that it is an index of a directory, `path` the path of the page,
 * `vague` something that an index may be called, or nothing; `other` anything else.
 */
export type TitleKind = 'index' | 'path' | 'vague' | 'other'

/** What is known of the page's own place: its path with a `/` at its end, and its host. */
interface Place {
  readonly path: string
  readonly host: string
}

const phrase =
  /^(?:the )?(?:index of|index:|directory listing (?:for|of)|directory listing:?|listing (?:of|for)|listing:|listing directory|directory of|directory:|contents of|files (?:within|in|of))[\s:[("']*(.*)$/is
const words =
  /\b(?:index|director(?:y|ies)|listing|folders?|files?|contents|browser?|browse|verzeichnis|ordner|inhalt|dateien|répertoire|fichiers|dossier|directorio|carpeta|archivos|cartella|diretório|pasta)\b/i

/** Of a text without line ends, one octet a character. */
export function titleKind(title: string, { path, host }: Place): TitleKind {
  const text = title
    .replace(/\xC2?\xA0/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text === '') return 'vague'
  const last = lastSegment(path)
  const named = phrase.exec(text)?.[1]?.replace(/[\])"']*(?: -.*)?$/, '') ?? null
  if (named !== null && (named.startsWith('/') || named.endsWith('/') || (last !== '' && named.endsWith(last)))) {
    return 'index'
  }
  // `/files/`, `127.0.0.1 - /files/`, `http://127.0.0.1:8080/files`.
  if (/(?:^| )\/(?:\S.*)?$/.test(text) || (path.length > 1 && withSlash(text).endsWith(path))) return 'path'
  const isVague = words.test(text) || text === last || text.toLowerCase().includes(host.toLowerCase())
  return isVague ? 'vague' : 'other'
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1, -1)
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** Beyond that, a page whose body has not begun is none of ours; and no title is so long. */
const maxHead = 64 * 1024
const maxTitle = 1000
/** What a page shows before its title ends the search for one. */
const start = /<(title|body|h\d|pre|ul|ol|table|a|p|div|hr|main|header)(?=[\s>])/gi

/** Finds the title of a page as its octets come, without a parser: most pages are told from an index by it alone. */
export class TitleScanner {
  #page = ''
  #from = 0
  #titleAt = -1

  /** All that has come. */
  get page(): string {
    return this.#page
  }

  /** The title as written, "" where there is none; undefined where more must come; null for what has no title in time. */
  add(text: string): string | null | undefined {
    this.#page += text
    if (this.#titleAt < 0) {
      start.lastIndex = this.#from
      const found = start.exec(this.#page)
      if (found === null) return this.#next(16)
      if (found[1]?.toLowerCase() !== 'title') return ''
      this.#titleAt = found.index
      this.#from = found.index
    }
    const end = this.#page.indexOf('</', this.#from)
    if (end < 0) return this.#page.length - this.#titleAt > maxTitle ? null : this.#next(1)
    return this.#page.slice(this.#titleAt, end).replace(/^<[^>]*>/, '')
  }

  /** What is found may have begun so many octets before the end. */
  #next(overlap: number): null | undefined {
    this.#from = Math.max(this.#from, this.#page.length - overlap)
    return this.#page.length > maxHead ? null : undefined
  }
}
