import { findScheme, parseUrl, resolve } from '../builtin.ts'
import { RetrievalError } from '../errors.ts'
import type { Scheme } from '../scheme.ts'
import { bracketed, lowerAscii, readHost } from './host.ts'
import { formatLocator, type Locator } from './locator.ts'
import { removeDotSegments } from './reference.ts'

/**
 * Gives equivalent URLs one spelling (RFC 3986 6.2.2, 6.2.3), as far as is safe for the scheme. Scheme and host are in
 * lower case, numeric addresses in their usual form; the default port is left out; escapes are in upper case, and stay
 * only if they are needed. Dot-segments are removed if the scheme has a hierarchy itself, but never in ftp, which sends
 * `..` to the server as a name. Escapes stay if a scheme sends them as written (nfs, rtsp). Throws `malformed-url`.
 */
export function normalizeUrl(url: string, schemes?: readonly Scheme[]): string {
  const locator = parseUrl(url, schemes)
  const scheme = findScheme(locator.scheme, schemes)
  const host = locator.host === null ? null : normalizeHost(locator.host, scheme)
  const port = locator.port === scheme?.defaultPort ? null : locator.port
  const urlPath = locator.urlPath === null ? null : (scheme?.normalizePath?.(locator.urlPath) ?? locator.urlPath)
  const written = { ...locator, host, port, urlPath }
  const upper = mapText(written, upperCaseEscapes)
  const decoded = mapText(upper, decodeUnreserved)
  if (scheme?.dotSegments) return formatLocator(withoutDotSegments(decoded))
  const [safe, ...bolder] = [written, upper, decoded].map(formatLocator)
  return bolder.findLast((text) => scheme === undefined || samePlan(safe ?? '', text, schemes)) ?? safe ?? ''
}

/**
 * Whether both URLs have the same plan. Decoding can create a word that the scheme looks for before it decodes:
 * `;%74ype=a` in ftp.
 */
function samePlan(a: string, b: string, schemes: readonly Scheme[] | undefined): boolean {
  if (a === b) return true
  const options = { ...(schemes && { schemes }), domainToAscii: () => 'a' }
  try {
    return JSON.stringify(resolve(a, options).plan) === JSON.stringify(resolve(b, options).plan)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return false
  }
}

function mapText(locator: Locator, change: (text: string) => string): Locator {
  const { user, password, urlPath, query, fragment } = locator
  const map = (text: string | null): string | null => (text === null ? null : change(text))
  return {
    ...locator,
    user: map(user),
    password: map(password),
    urlPath: map(urlPath),
    query: map(query),
    fragment: map(fragment),
  }
}

const escapes = /%[0-9A-Fa-f]{2}/g

/** Writes the digits of escapes in upper case (RFC 3986 6.2.2.1). */
function upperCaseEscapes(text: string): string {
  return text.replace(escapes, (octet) => octet.toUpperCase())
}

/** Decodes the escapes of unreserved characters, which need none (RFC 3986 6.2.2.2). */
function decodeUnreserved(text: string): string {
  return text.replace(escapes, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet
  })
}

function normalizeHost(written: string, scheme: Scheme | undefined): string {
  const host = written.startsWith('[') ? written : decodeUnreserved(upperCaseEscapes(written))
  // Upper and lower case differ in the path of a socket.
  if (scheme?.host === 'socket') return host
  const plain = readHost(host)
  if (plain === undefined) return upperCaseEscapes(lowerAscii(host))
  return bracketed(plain.name.replace('%', '%25'))
}

/** Removes dot-segments. An empty path with a host means `/` (RFC 3986 6.2.3). */
function withoutDotSegments(locator: Locator): Locator {
  if (locator.host === null) return locator
  return { ...locator, urlPath: removeDotSegments(`/${locator.urlPath ?? ''}`).slice(1) }
}
