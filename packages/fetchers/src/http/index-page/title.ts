/**
 * What the title or the heading of a page says: `index` that it is an index of a directory, `path` the path of the
 * page, `vague` something that an index may be called, or nothing; `other` anything else.
 */
export type TitleKind = 'index' | 'path' | 'vague' | 'other'

/** What is known of the page's own place: its path with a `/` at its end, and its host. */
interface Place {
  readonly path: string
  readonly host: string
}

const phrases = [
  'index of|index:|directory of|directory:|contents of',
  'directory listing (?:for|of)|directory listing:?|listing (?:of|for)|listing:|listing directory',
  'files (?:within|in|of)',
]
const phrase = new RegExp(`^(?:the )?(?:${phrases.join('|')})[\\s:[("']*(.*)$`, 'is')
/** In the languages that servers speak. */
const words = new RegExp(
  `\\b(?:${[
    'index|director(?:y|ies)|listing|folders?|files?|contents|browser?|browse',
    'verzeichnis|ordner|inhalt|dateien|répertoire|fichiers|dossier',
    'directorio|carpeta|archivos|cartella|diretório|pasta',
  ].join('|')})\\b`,
  'i',
)

/** Of a text without line ends, one octet a character. */
export function titleKind(title: string, { path, host }: Place): TitleKind {
  const text = title
    .replace(/\xC2?\xA0/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text === '') return 'vague'
  const last = lastSegment(path)
  const called = phrase.exec(text)?.[1]
  const named = called === undefined ? null : withoutEnd(called)
  if (named !== null && (named.startsWith('/') || named.endsWith('/') || (last !== '' && named.endsWith(last)))) {
    return 'index'
  }
  // `/files/`, `127.0.0.1 - /files/`, `http://127.0.0.1:8080/files`.
  if (/(?:^| )\/(?:\S.*)?$/.test(text) || (path.length > 1 && withSlash(text).endsWith(path))) return 'path'
  const isVague = words.test(text) || text === last || text.toLowerCase().includes(host.toLowerCase())
  return isVague ? 'vague' : 'other'
}

/** `/files/"]` and `/files/ - Apache` without what stands behind the path. */
function withoutEnd(text: string): string {
  const dash = text.indexOf(' -')
  let end = dash < 0 ? text.length : dash
  while (end > 0 && `])"'`.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
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
const start = /<(title|body|h\d|pre|ul|ol|table|a|p|div|hr|main|header)(?=[\s>])/i
const longestTag = '<header'.length

/** Finds the title of a page as its octets come, without a parser: most pages are told from an index by it alone. */
export class TitleScanner {
  readonly #pieces: string[] = []
  #length = 0
  /** What may hold the beginning of a tag, or of the title's end. */
  #window = ''
  #isInTitle = false

  /** All that has come. */
  get page(): string {
    return this.#pieces.join('')
  }

  /** The title as written, "" where there is none; undefined where more must come; null where none comes in time. */
  add(text: string): string | null | undefined {
    this.#pieces.push(text)
    this.#length += text.length
    this.#window += text
    if (!this.#isInTitle) {
      const found = start.exec(this.#window)
      if (found === null) {
        this.#window = this.#window.slice(-longestTag)
        return this.#length > maxHead ? null : undefined
      }
      if (found[1]?.toLowerCase() !== 'title') return ''
      this.#isInTitle = true
      this.#window = this.#window.slice(found.index)
    }
    const end = this.#window.indexOf('</')
    if (end < 0) return this.#window.length > maxTitle ? null : undefined
    return this.#window.slice(0, end).replace(/^<[^>]*>/, '')
  }
}
