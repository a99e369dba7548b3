import { RetrievalError } from './errors.ts'
import { encodeUnsafe, findBadEscape, findUnsafe } from './percent.ts'
import { printable } from './printable.ts'
import { redactUrl } from './redact.ts'

/**
 * A URL as written, split but not decoded. Absent is null, and null is not empty: `ftp://@h/` has the user "",
 * `ftp://h/` has none; `ftp://h/` has the urlPath "", `ftp://h` has none.
 * Only unsafe characters (RFC 1738 2.2) have been escaped, so that every component can be put back into a URL.
 */
export interface Locator {
  /** Lower case. */
  readonly scheme: string
  readonly user: string | null
  readonly password: string | null
  /** As written, an IPv6 address in its brackets; null where no `//` stands. */
  readonly host: string | null
  readonly port: number | null
  /** RFC 1738 3.1: what follows the `/` after the host, which is no part of it; without `//`, all that follows the scheme. */
  readonly urlPath: string | null
  readonly query: string | null
  readonly fragment: string | null
}

export type Part = Exclude<keyof Locator, 'scheme'>

/** [start, end) in the text as given. */
export type Span = readonly [number, number]

export interface SplitUrl {
  readonly locator: Locator
  /** Where each component stands; absent ones have no entry. */
  readonly spans: Readonly<Partial<Record<Part | 'scheme', Span>>>
  /** Where unsafe characters were escaped. */
  readonly repaired: readonly Span[]
}

/** 64 KiB: no real URL comes near it, and it bounds all work done on one. */
export const maxUrlLength: number = 65_536

const schemePattern = /^([A-Za-z][A-Za-z0-9+.-]*):/
const forbidden = /[\0-\x1F\x7F]|\p{Surrogate}/u

/** The scheme of a URL, in lower case; undefined where the text has none (a relative reference). RFC 3986 3.1. */
export function schemeOf(text: string): string | undefined {
  return schemePattern.exec(text)?.[1]?.toLowerCase()
}

/**
 * Splits a URL by RFC 3986 section 3.
 * `hasQuery` says whether the scheme has a query at all; where it has none, `?` is a character of the path (RFC 1738).
 * Throws RetrievalError `malformed-url`, with the span of what is wrong.
 */
export function splitUrl(text: string, hasQuery: (scheme: string) => boolean = () => true): SplitUrl {
  checkCharacters(text)
  const scheme = schemeOf(text)
  if (scheme === undefined) {
    throw malformed(text, 'it has no scheme; a relative reference needs a base URL', [0, Math.min(text.length, 1)])
  }
  const split = new Splitter(text)
  split.take('scheme', 0, scheme.length, scheme)
  let at = scheme.length + 1
  const hash = text.indexOf('#', at)
  const end = hash === -1 ? text.length : hash
  if (hash !== -1) split.take('fragment', hash + 1, text.length)

  const hasAuthority = text.startsWith('//', at)
  if (hasAuthority) at = splitAuthority(split, at + 2, end)

  const question = hasQuery(scheme) ? text.indexOf('?', at) : -1
  const pathEnd = question === -1 || question > end ? end : question
  if (pathEnd < end) split.take('query', pathEnd + 1, end)
  if (!hasAuthority) split.take('urlPath', at, pathEnd)
  else if (at < pathEnd) {
    if (text[at] !== '/') throw malformed(text, 'a / must follow the host; write a literal ? as %3F', [at, at + 1])
    split.take('urlPath', at + 1, pathEnd)
  }
  return split.result()
}

/** Puts a locator together again: `splitUrl(formatLocator(l)).locator` equals `l`. */
export function formatLocator(locator: Locator): string {
  const { scheme, user, password, host, port, urlPath, query, fragment } = locator
  let text = `${scheme}:`
  if (host !== null) {
    const login = user === null ? '' : password === null ? `${user}@` : `${user}:${password}@`
    text += `//${login}${host}${port === null ? '' : `:${port}`}${urlPath === null ? '' : '/'}`
  }
  return `${text}${urlPath ?? ''}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`
}

/** The error for a URL that breaks its syntax; `what` completes the sentence "... is no valid URL: ". */
export function malformed(url: string, what: string, span: Span): RetrievalError {
  // Redacted before it is cut: a cut password could not be told from a port.
  const safe = redactUrl(url)
  const shown = safe.length > 200 ? `${safe.slice(0, 200)}...` : safe
  const place = `at character ${span[0] + 1}`
  const message = `${printable(shown)} is no valid URL: ${what} (${place}).`
  return new RetrievalError('malformed-url', message, { phase: 'resolve', url: shown, span })
}

class Splitter {
  readonly #text: string
  readonly #parts: { -readonly [K in keyof Locator]: Locator[K] }
  readonly #spans: Partial<Record<Part | 'scheme', Span>> = {}
  readonly #repaired: Span[] = []

  constructor(text: string) {
    this.#text = text
    this.#parts = {
      scheme: '',
      user: null,
      password: null,
      host: null,
      port: null,
      urlPath: null,
      query: null,
      fragment: null,
    }
  }

  get text(): string {
    return this.#text
  }

  take(part: Exclude<Part, 'port'> | 'scheme', start: number, end: number, value?: string): void {
    const written = this.#text.slice(start, end)
    const bad = findBadEscape(written)
    if (bad !== -1) {
      throw malformed(this.#text, 'two hexadecimal digits must follow %; write a literal % as %25', [
        start + bad,
        Math.min(start + bad + 3, end),
      ])
    }
    this.#parts[part] = value ?? this.#repair(written, start)
    this.#spans[part] = [start, end]
  }

  takePort(start: number, end: number): void {
    const digits = this.#text.slice(start, end)
    if (!/^\d*$/.test(digits) || Number(digits) > 65_535) {
      throw malformed(this.#text, 'the port must be a number from 0 to 65535', [start, Math.max(end, start + 1)])
    }
    // RFC 3986 3.2.3: an empty port is the default one.
    this.#parts.port = digits === '' ? null : Number(digits)
    this.#spans.port = [start, end]
  }

  result(): SplitUrl {
    return { locator: this.#parts, spans: this.#spans, repaired: this.#repaired }
  }

  #repair(written: string, start: number): string {
    const first = findUnsafe(written)
    if (first === -1) return written
    this.#repaired.push([start + first, start + written.length])
    return encodeUnsafe(written)
  }
}

/** Takes user, password, host and port; returns where the path begins. RFC 1738 3.1, RFC 3986 3.2. */
function splitAuthority(split: Splitter, start: number, limit: number): number {
  const { text } = split
  let end = start
  while (end < limit && text[end] !== '/' && text[end] !== '?') end++
  const authority = text.slice(start, end)
  const stray = authority.search(/[\s"<>{}|\\^`]/)
  if (stray !== -1) {
    throw malformed(text, 'this character cannot stand in the host part', [start + stray, start + stray + 1])
  }
  const at = authority.indexOf('@')
  const second = authority.indexOf('@', at + 1)
  if (at !== -1 && second !== -1) {
    throw malformed(text, 'a second @ stands before the host; write an @ of the user or password as %40', [
      start + second,
      start + second + 1,
    ])
  }
  if (at !== -1) splitLogin(split, start, start + at)
  else suspectQuery(text, end, limit)
  splitHostPort(split, start + at + 1, end)
  return end
}

function splitLogin(split: Splitter, start: number, end: number): void {
  const colon = split.text.slice(start, end).indexOf(':')
  if (colon === 0) throw malformed(split.text, 'a password needs a user name before it', [start, start + 1])
  split.take('user', start, colon === -1 ? end : start + colon)
  if (colon !== -1) split.take('password', start + colon + 1, end)
}

function splitHostPort(split: Splitter, start: number, end: number): void {
  const hostPort = split.text.slice(start, end)
  const close = hostPort.startsWith('[') ? hostPort.indexOf(']') : -1
  if (hostPort.startsWith('[') && close === -1) throw malformed(split.text, 'the [ has no ]', [start, end])
  const colon = hostPort.indexOf(':', close + 1)
  if (colon !== -1 && close === -1 && hostPort.includes(':', colon + 1)) {
    throw malformed(split.text, 'an IPv6 address must stand in brackets, as in //[::1]/', [start, end])
  }
  const hostEnd = colon === -1 ? hostPort.length : colon
  if (close !== -1 && hostEnd !== close + 1) {
    throw malformed(split.text, 'only a port may follow the ]', [start + close + 1, end])
  }
  const host = hostPort.slice(0, hostEnd)
  split.take('host', start, start + hostEnd, host)
  if (colon !== -1) split.takePort(start + colon + 1, end)
}

/** `ftp://a?b@h/`: RFC 1738 reads a user `a?b`, RFC 3986 the host `a`. We contact neither. */
function suspectQuery(text: string, end: number, limit: number): void {
  const slash = text.indexOf('/', end)
  const at = text.slice(end, slash === -1 || slash > limit ? limit : slash).indexOf('@')
  if (text[end] === '?' && at !== -1) {
    throw malformed(text, 'an @ follows the ?, so parsers disagree about the host; write ? as %3F or @ as %40', [
      end,
      end + at + 1,
    ])
  }
}

function checkCharacters(text: string): void {
  if (text.length > maxUrlLength) {
    throw new RetrievalError(
      'limit-exceeded',
      `This URL has ${text.length} characters; ${maxUrlLength} are the limit.`,
      // What is cut cannot be redacted, so nothing of it is shown.
      { phase: 'resolve', url: `${schemeOf(text.slice(0, 100)) ?? ''}:...` },
    )
  }
  const control = text.search(forbidden)
  if (control !== -1) {
    throw malformed(text, 'a control character stands in it', [control, control + 1])
  }
}
