import { findScheme, resolve, splitByScheme } from './builtin.ts'
import { RetrievalError } from './errors.ts'
import type { Scheme } from './scheme.ts'
import type { Span } from './url/locator.ts'
import { findBadEscape } from './url/percent.ts'
import { cachedSearch } from './url/search.ts'
import { maxUrlLength } from './url/split.ts'

/** A URL found in running text. */
export interface ExtractedUrl {
  /** The URL without its wrapper, and without the white space that folded it. */
  readonly url: string
  /**
   * Other readings, the likelier first. A hyphen before a line break may belong to the URL or to the break (RFC 1738
   * appendix); `url` keeps it. `&amp;` may stand for `&`, as in HTML; `url` has `&`.
   */
  readonly alternates: readonly string[]
  /** The [start, end) in the text, with the `< >` if it has them, without quotes. */
  readonly span: Span
  readonly form: 'wrapped' | 'quoted' | 'bare'
  /** Why a wrapped URL is wrong, or the escapes of a bare one; null if there is no error. */
  readonly error: string | null
}

export interface ExtractOptions {
  /**
   * Schemes beside the built-in ones. A bare URL, or one in < > without `URL:`, counts only if its scheme is known or
   * `//` follows.
   */
  readonly schemes?: readonly Scheme[]
}

/** The longest scheme. The search looks so far back from a colon. */
const maxScheme = 32
/** Two doubtful hyphens give four readings; more would not help. */
const maxReadings = 4

/**
 * The URLs in running text, in order: `<URL:...>` (RFC 1738 appendix, RFC 3986 appendix C), `<...>`, `"..."`, and bare
 * ones without the punctuation of the sentence. Reads the text once, from colon to colon: linear time, whatever the
 * text is.
 */
export function* extractUrls(text: string, options: ExtractOptions = {}): Generator<ExtractedUrl> {
  const source: Source = { text, options, wordEnd: cachedSearch(text, bareEnd) }
  let done = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', Math.max(colon + 1, done))) {
    const start = schemeStart(text, colon, done)
    if (start === colon) continue
    const found = extractAt(source, start, colon)
    if (typeof found === 'object') yield found
    done = typeof found === 'object' ? found.span[1] : found
  }
}

interface Source {
  readonly text: string
  readonly options: ExtractOptions
  /** Returns the end of the word around this offset. Calls go from left to right. */
  readonly wordEnd: (from: number) => number
}

/** The URL whose scheme ends at this colon, or the offset at which the search continues. */
function extractAt(source: Source, start: number, colon: number): ExtractedUrl | number {
  const { text, options } = source
  const word = text.slice(start, colon).toLowerCase()
  const bracketed = Object.hasOwn(brackets, text[start - 1] ?? '')
  if (word === 'url' && bracketed) return wrapped(text, start - 1, colon + 1, options) ?? colon
  if (!mayBegin(text, start, colon, word, options)) return colon
  const found = bracketed ? wrapped(text, start - 1, start, options) : undefined
  // `<info:node a="x">` is a tag of XML.
  if (bracketed && found === undefined && !text.startsWith('//', colon + 1)) return colon
  return found ?? bare(source, start, colon)
}

/**
 * Whether a URL may begin here, judged by the text around the scheme: prose, C++ and style sheets have many words with
 * a colon.
 */
function mayBegin(text: string, start: number, colon: number, word: string, options: ExtractOptions): boolean {
  const scheme = findScheme(word, options.schemes)
  const before = text[start - 1] ?? ''
  if (text.startsWith('//', colon + 1)) {
    const first = text[colon + 3] ?? ''
    // `C://` is a drive, and a scheme cannot begin in the middle of a word.
    return word.length > 1 && !/[A-Za-z0-9]/.test(before) && !(scheme?.host === 'required' && /[/?#]/.test(first))
  }
  if (scheme === undefined || scheme.host === 'required') return false
  // Refuses `x.data:`, `#info:hover`, `</info:a`, `data::size`, and `More info:http://h/`, in which another URL
  // follows.
  const after = text.slice(colon + 1, colon + 1 + maxScheme + '://'.length)
  return !/[\p{L}\p{N}_/\\.$@#-]/u.test(before) && !/^(?::|[A-Za-z][A-Za-z0-9+.-]*:\/\/)/.test(after)
}

/** The beginning of the scheme before a colon; the colon's own offset if no scheme precedes it. */
function schemeStart(text: string, colon: number, limit: number): number {
  let start = colon
  while (start > limit && colon - start < maxScheme && /[A-Za-z0-9+.-]/.test(text[start - 1] ?? '')) start--
  while (start < colon && !/[A-Za-z]/.test(text[start] ?? '')) start++
  return start
}

/** Reads `<URL:ftp://h/a⏎ b>`: removes all white space within, and keeps the fragment. */
function wrapped(text: string, open: number, start: number, options: ExtractOptions): ExtractedUrl | undefined {
  const labelled = start > open + 1
  const end = closing(text, start, brackets[text[open] ?? ''] ?? '>')
  if (end === -1) return undefined
  const content = text.slice(start, end).trim()
  // KDE writes blanks in the names of Info nodes: <info:(gcc)G++ and GCC>.
  if (/^info:\([^"'()]+\)[^"'()]*$/i.test(content)) return kdeNode(content, [open, end + 1], options)
  // Text without `URL:` may be a tag of XML or prose, and no URL contains quotes.
  if (!labelled && (/["']/.test(content) || goesOnAsProse(content))) return undefined
  const [url = '', ...alternates] = readings(content)
  const error = syntaxError(url, options)
  if (!labelled && error === null && !means(url, options)) return undefined
  return { url, alternates, span: [open, end + 1], form: 'wrapped', error }
}

/** The brackets around URLs: those of the RFCs, and those of groff in manual pages. */
const brackets: Readonly<Record<string, string>> = { '<': '>', '⟨': '⟩' }

/**
 * Whether white space without a line break is followed by a word that cannot continue a URL: `com/rfc/` can, `and`
 * cannot. RFC 3986 appendix C ignores all white space; a TAB, or a line end anywhere, shows that the white space was
 * added.
 */
function goesOnAsProse(content: string): boolean {
  if (/[\t\r\n]/.test(content) && !/\n[^\S\n]*\n/.test(content)) return false
  // split() puts words at even indexes, and white space at odd ones.
  const pieces = content.split(/(\s+)/)
  return pieces.some((word, at) => at > 0 && at % 2 === 0 && isGap(pieces[at - 1] ?? '') && !isRest(word))
}

/** Whether the white space is blanks within a line, or an empty line, as double spacing makes them. */
function isGap(space: string): boolean {
  return !/[\r\n]/.test(space) || /\n[^\S\n]*\n/.test(space)
}

function isRest(word: string): boolean {
  return /^[^:]*(?:[/?=#%]|\.\w)/.test(word)
}

function kdeNode(content: string, span: Span, options: ExtractOptions): ExtractedUrl {
  const url = content.replace(/\s+/g, ' ')
  return { url, alternates: [], span, form: 'wrapped', error: syntaxError(url, options) }
}

/**
 * The offset of the closing `>`; -1 if another `<`, more than one empty line, or more text than a URL can hold comes
 * first.
 */
function closing(text: string, start: number, closer: string): number {
  const content = text.slice(start, start + maxUrlLength + 1)
  const stop = content.search(/[<>⟨⟩]|(?:\r?\n[ \t]*){2}\r?\n/)
  return content[stop] === closer && stop > 0 ? start + stop : -1
}

/** The text without its white space. A hyphen at the end of a line gives two readings; the first keeps it. */
function readings(content: string): readonly string[] {
  let texts = ['']
  let rest = content
  for (
    let cut = brokenAfterHyphen.exec(rest);
    cut !== null && texts.length < maxReadings;
    cut = brokenAfterHyphen.exec(rest)
  ) {
    const kept = unfold(rest.slice(0, cut.index))
    texts = texts.flatMap((before) => [before + kept, before + kept.slice(0, -1)])
    rest = rest.slice(cut.index + cut[0].length)
  }
  const last = unfold(rest)
  return [...new Set(texts.map((before) => before + last))]
}

const brokenAfterHyphen = /(?<=-)[^\S\r\n]*[\r\n]\s*/

function unfold(text: string): string {
  return text.replace(/\s+/g, '')
}

/**
 * Reads a bare URL, which ends at white space, delimiters or quotes, and does not include the punctuation of the
 * sentence. If the word is no URL, the search continues behind it.
 */
function bare({ text, options, wordEnd }: Source, start: number, colon: number): ExtractedUrl | number {
  const limit = wordEnd(colon + 1)
  const isData = text.slice(start, colon).toLowerCase() === 'data'
  if (limit - start > maxUrlLength && !isData) return limit
  const before = text[start - 1] ?? ''
  const stop = enclosedEnd(text, colon + 1, limit, before, isData ? undefined : options)
  const quoted = stop < text.length && (quotes[before]?.includes(text[stop] ?? '') ?? false)
  const end = quoted ? stop : trimmedEnd(text, colon + 1, stop, before)
  const written = text.slice(start, end)
  // HTML and XML write the & of a query so.
  const url = written.replaceAll('&amp;', '&')
  // Nothing stands behind the colon, or `data:` has no data.
  if (/^[^:]*:(?:\/\/)?$/.test(url) || (isData && !url.includes(','))) return stop
  const error = syntaxError(url, options)
  const isReported = error !== null && text.startsWith('//', colon + 1) && hasOnlyBadEscapes(url, options)
  if (error === null ? !means(url, options) : !isReported) return stop
  const alternates = url === written ? [] : [written]
  return { url, alternates, span: [start, end], form: quoted ? 'quoted' : 'bare', error }
}

/** Whether the text is a URL but for bad escapes, as in `http://h/100%`. */
function hasOnlyBadEscapes(url: string, options: ExtractOptions): boolean {
  return findBadEscape(url) !== -1 && syntaxError(url.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'), options) === null
}

/**
 * The end of a bare URL. Letters beyond ASCII may belong to an IRI; brackets, quotes and full stops beyond ASCII, and
 * escaped HTML, belong to the sentence.
 */
const bareEnd =
  /[\s<>"{|}\\^`\p{Cc}\p{Cf}\p{Cs}\p{Pi}\p{Pf}„‚…、。，．！？：；]|(?![()[\]])[\p{Ps}\p{Pe}]|&(?:lt|gt|quot|apos|#34|#39);|$/gu
const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '„': '“”',
  '‘': '’',
  '‚': '‘’',
  '«': '»',
  '»': '«',
}
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[' }

/**
 * The offset of a bracket or quote that was opened before the URL, directly (`'http://a/','http://b/'`) or anywhere in
 * the sentence, and that now closes. A comma before another URL counts as well: `http://a/,http://b/`.
 */
function enclosedEnd(
  text: string,
  start: number,
  stop: number,
  before: string,
  list: ExtractOptions | undefined,
): number {
  const depth: Record<string, number> = { '(': 0, '[': 0 }
  for (let at = start; at < stop; at++) {
    const character = text[at] ?? ''
    const opener = openers[character]
    if (character === "'" && before === "'") return at
    if (character === ',' && list !== undefined && beginsUrl(text, at + 1, list)) return at
    if (character === '(' || character === '[') depth[character] = (depth[character] ?? 0) + 1
    if (opener === undefined) continue
    const left = (depth[opener] ?? 0) - 1
    if (left < 0) return at
    depth[opener] = left
  }
  return stop
}

/** Whether another URL begins behind a comma. This is not called for data: URLs, which contain commas themselves. */
function beginsUrl(text: string, start: number, options: ExtractOptions): boolean {
  schemeHere.lastIndex = start
  const [scheme = ''] = schemeHere.exec(text) ?? []
  const colon = start + scheme.length - 1
  return scheme !== '' && mayBegin(text, start, colon, scheme.slice(0, -1).toLowerCase(), options)
}

const schemeHere = /[A-Za-z][A-Za-z0-9+.-]{0,31}:/y

/** The end of the URL without trailing `. , ; : ! ? '` and without marks of emphasis. */
function trimmedEnd(text: string, start: number, stop: number, before: string): number {
  const ends = `.,;:!?'${'*_~'.includes(before) ? before : ''}`
  let end = stop
  while (end > start && ends.includes(text[end - 1] ?? '')) end--
  return end
}

/** Whether a word is a URL. A word without `//` is one only if its scheme can resolve it. */
function means(url: string, { schemes }: ExtractOptions): boolean {
  if (/^[^:]*:\/\//.test(url)) return true
  try {
    resolve(url, { ...(schemes && { schemes }), domainToAscii: () => 'a' })
    return true
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return false
  }
}

function syntaxError(url: string, options: ExtractOptions): string | null {
  try {
    splitByScheme(url, options.schemes)
    return null
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return error.message
  }
}
