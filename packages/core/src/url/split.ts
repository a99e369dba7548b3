import { RetrievalError } from '../errors.ts'
import { slash, splitAuthority } from './authority.ts'
import { type Locator, malformed, type Part, type Span, type SplitUrl } from './locator.ts'
import { encodeUnsafe, findBadEscape, findUnsafe } from './percent.ts'

/** How a scheme's own syntax differs from the generic one. */
export interface View {
  /** Whether the scheme has a query. If not, `?` is a character of its path (RFC 1738). */
  readonly query: boolean
  /** The most characters; default maxUrlLength. */
  readonly maxLength?: number
}

/**
 * The longest URL, 64 KiB. No real URL comes near it, and it bounds all work done on one. Only data: has its own limit,
 * 8 MiB.
 */
export const maxUrlLength: number = 65_536

const generic: View = { query: true }
const controls = /[\0-\x1F\x7F]|\p{Surrogate}/u
/** Matches a URL without unsafe (RFC 1738 2.2) or unusual characters; nearly all have none, and this test is fast. */
const ordinary = /^[!#-;=?-Z_a-z~]*$/

/** The scheme of a URL, in lower case; undefined for a relative reference, which has none (RFC 3986 3.1). */
export function schemeOf(text: string): string | undefined {
  const end = schemeEnd(text)
  return end === -1 ? undefined : text.slice(0, end).toLowerCase()
}

/** The offset of the scheme's colon, or -1. */
function schemeEnd(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // The first character is a letter; digits, + - and . may follow.
    if ((code | 32) >= 97 && (code | 32) <= 122) continue
    if (at > 0 && ((code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46)) continue
    return code === 58 && at > 0 ? at : -1
  }
  return -1
}

/**
 * Splits a URL by RFC 3986 section 3, and by its scheme's own syntax. Throws RetrievalError `malformed-url`, with the
 * span of the error, or `limit-exceeded`.
 */
export function splitUrl(text: string, viewOf: (scheme: string) => View = () => generic): SplitUrl {
  const colon = schemeEnd(text)
  const scheme = colon === -1 ? '' : text.slice(0, colon).toLowerCase()
  return splitAfterScheme(text, scheme, viewOf(scheme))
}

/** splitUrl() for a text whose scheme is known; "" means none. */
export function splitAfterScheme(text: string, scheme: string, view: View): SplitUrl {
  const limit = view.maxLength ?? maxUrlLength
  if (text.length > limit) throw tooLong(text, limit)
  const split = unsplit(text)
  if (split.odd) checkControls(text)
  if (scheme === '') {
    throw malformed(text, 'it has no scheme; a relative reference needs a base URL', [0, Math.min(text.length, 1)])
  }
  const hash = text.indexOf('#', scheme.length)
  const end = hash === -1 ? text.length : hash
  if (hash !== -1) split.fragmentAt = hash + 1

  let at = scheme.length + 1
  const hasAuthority = text.charCodeAt(at) === slash && text.charCodeAt(at + 1) === slash
  if (hasAuthority) at = splitAuthority(split, at + 2, end)
  const question = view.query ? text.indexOf('?', at) : -1
  const pathEnd = question === -1 || question > end ? end : question
  if (pathEnd < end) split.queryAt = pathEnd + 1
  split.pathEnd = pathEnd
  split.end = end
  if (!hasAuthority) split.pathAt = at
  else if (at < pathEnd) {
    if (text.charCodeAt(at) !== slash) {
      throw malformed(text, 'a / must follow the host; write a literal ? as %3F', [at, at + 1])
    }
    split.pathAt = at + 1
  }
  split.locator = locate(split, scheme)
  return split
}

const nothing: readonly Span[] = []

/**
 * A URL that is not split yet. The engine builds an object literal in one step, which matters since every URL needs
 * one.
 */
function unsplit(text: string): SplitUrl {
  return {
    text,
    odd: !ordinary.test(text),
    locator: nowhere,
    repaired: nothing,
    userAt: -1,
    userEnd: -1,
    passwordAt: -1,
    hostAt: -1,
    hostEnd: -1,
    portAt: -1,
    authorityEnd: -1,
    pathAt: -1,
    pathEnd: -1,
    queryAt: -1,
    fragmentAt: -1,
    end: -1,
  }
}

/** The place of a component; undefined if it is absent. */
export function spanOf(split: SplitUrl, part: Part | 'scheme'): Span | undefined {
  const span = range(split, part)
  return span[0] === -1 ? undefined : span
}

function range(split: SplitUrl, part: Part | 'scheme'): Span {
  switch (part) {
    case 'scheme':
      return [0, schemeEnd(split.text)]
    case 'user':
      return [split.userAt, split.userEnd]
    case 'password':
      return [split.passwordAt, split.hostAt - 1]
    case 'host':
      return [split.hostAt, split.hostEnd]
    case 'port':
      return [split.portAt, split.authorityEnd]
    case 'urlPath':
      return [split.pathAt, split.pathEnd]
    case 'query':
      return [split.queryAt, split.end]
    case 'fragment':
      return [split.fragmentAt, split.text.length]
  }
}

const nowhere: Locator = {
  scheme: '',
  user: null,
  password: null,
  host: null,
  port: null,
  urlPath: null,
  query: null,
  fragment: null,
}

/** The components out of their offsets. */
function locate(split: SplitUrl, scheme: string): Locator {
  const { text, hostAt, portAt } = split
  if (text.includes('%')) checkEscapes(text)
  return {
    scheme,
    user: take(split, split.userAt, split.userEnd),
    password: take(split, split.passwordAt, hostAt - 1),
    host: hostAt === -1 ? null : text.slice(hostAt, split.hostEnd),
    port: portAt === -1 ? null : readPort(text, portAt, split.authorityEnd),
    urlPath: take(split, split.pathAt, split.pathEnd),
    query: take(split, split.queryAt, split.end),
    fragment: take(split, split.fragmentAt, text.length),
  }
}

/** A component with its unsafe characters escaped. Their places are added to `repaired`. */
function take(split: SplitUrl, start: number, end: number): string | null {
  if (start === -1) return null
  const written = split.text.slice(start, end)
  const first = split.odd ? findUnsafe(written) : -1
  if (first === -1) return written
  split.repaired = [...split.repaired, [start + first, end]]
  return encodeUnsafe(written)
}

function checkEscapes(text: string): void {
  const bad = findBadEscape(text)
  if (bad === -1) return
  const end = Math.min(bad + 3, text.length)
  throw malformed(text, 'two hexadecimal digits must follow %; write a literal % as %25', [bad, end])
}

function readPort(text: string, start: number, end: number): number | null {
  // RFC 3986 3.2.3: an empty port means the default one.
  if (start === end) return null
  const digits = text.slice(start, end)
  const port = Number(digits)
  if (port <= 65_535 && /^\d+$/.test(digits)) return port
  throw malformed(text, 'the port must be a number from 0 to 65535', [start, end])
}

function tooLong(text: string, limit: number): RetrievalError {
  return new RetrievalError('limit-exceeded', `This URL has ${text.length} characters; at most ${limit} are allowed.`, {
    phase: 'resolve',
    // A URL that is cut cannot be redacted, so only its scheme is shown.
    url: `${schemeOf(text.slice(0, 100)) ?? ''}:...`,
  })
}

function checkControls(text: string): void {
  const control = text.search(controls)
  if (control !== -1) throw malformed(text, 'it contains a control character', [control, control + 1])
}
