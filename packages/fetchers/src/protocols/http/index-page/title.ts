/**
 * What a title or heading says: `index` (the page is an index of a directory), `path` (the page's own path), `vague`
 * (nothing, or words that may name an index) or `other`.
 */
export type TitleKind = 'index' | 'path' | 'vague' | 'other'

/** The page's own path, with a `/` at its end, and its host. */
interface PageAddress {
  readonly path: string
  readonly host: string
}

const phrases = [
  'index of|index:|directory of|directory:|contents of',
  'directory listing (?:for|of)|directory listing:?|listing (?:of|for)|listing:|listing directory',
  'files (?:within|in|of)',
]
const phrase = new RegExp(`^(?:the )?(?:${phrases.join('|')})[\\s:[("']*(.*)$`, 'is')
/** Matches words for an index in the languages of servers. */
const words = new RegExp(
  `\\b(?:${[
    'index|director(?:y|ies)|listing|folders?|files?|contents|browser?|browse',
    'verzeichnis|ordner|inhalt|dateien|répertoire|fichiers|dossier',
    'directorio|carpeta|archivos|cartella|diretório|pasta',
  ].join('|')})\\b`,
  'i',
)

/** Returns the kind of a title or heading, which is one octet a character. */
export function titleKind(title: string, { path, host }: PageAddress): TitleKind {
  const text = title
    .replace(/\xC2?\xA0/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text === '') return 'vague'
  const last = path.slice(path.lastIndexOf('/', path.length - 2) + 1, -1)
  const called = phrase.exec(text)?.[1]
  const named = called === undefined ? null : withoutEnd(called)
  if (named !== null && (named.startsWith('/') || named.endsWith('/') || (last !== '' && named.endsWith(last)))) {
    return 'index'
  }
  // The path may stand alone or after a host: `/files/`, `127.0.0.1 - /files/`, `http://127.0.0.1:8080/files`.
  const withSlash = text.endsWith('/') ? text : `${text}/`
  if (/(?:^| )\/(?:\S|$)/.test(text) || (path.length > 1 && withSlash.endsWith(path))) return 'path'
  const isVague = words.test(text) || text === last || text.toLowerCase().includes(host.toLowerCase())
  return isVague ? 'vague' : 'other'
}

/** Returns the path in `/files/"]` and `/files/ - Apache`. */
function withoutEnd(text: string): string {
  const dash = text.indexOf(' -')
  let end = dash < 0 ? text.length : dash
  while (end > 0 && `])"'`.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The body of an index begins within this many octets, and its title ends within them. */
const maxHead = 64 * 1024
const maxTitle = 1000
/** The search for a title ends at the first of these elements. */
const start = /<(title|body|h\d|pre|ul|ol|table|a|p|div|hr|main|header)(?=[\s>])/i
const longestTag = '<header'.length

/** Finds the title of a page while it arrives. It needs no parser: the title alone excludes most pages. */
export class TitleScanner {
  readonly #pieces: string[] = []
  #length = 0
  /** The end of the text so far. It may hold the beginning of a tag or of the title's end. */
  #window = ''
  #isInTitle = false

  /** The whole text so far. */
  get page(): string {
    return this.#pieces.join('')
  }

  /**
   * Returns the title as written, "" if there is none, undefined if more is needed, null if none comes within the
   * limits.
   */
  add(text: string): string | null | undefined {
    this.#pieces.push(text)
    this.#length += text.length
    this.#window += text
    if (!this.#isInTitle) {
      const found = start.exec(this.#window)
      if (found === null) {
        this.#window = this.#window.slice(-longestTag)
        return this.#length > maxHead + longestTag ? null : undefined
      }
      if (this.#length - this.#window.length + found.index > maxHead) return null
      if (found[1]?.toLowerCase() !== 'title') return ''
      this.#isInTitle = true
      this.#window = this.#window.slice(found.index)
    }
    const end = this.#window.indexOf('</')
    if ((end < 0 ? this.#window.length - 1 : end) > maxTitle) return null
    if (end < 0) return undefined
    return this.#window.slice(0, end).replace(/^<[^>]*>/, '')
  }
}
