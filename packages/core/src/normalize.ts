import { RetrievalError } from './errors.ts'
import { parseHost } from './host.ts'
import { formatLocator, type Locator } from './locator.ts'
import { removeDotSegments } from './reference.ts'
import { findScheme, parseUrl, resolve } from './resolve.ts'
import type { Scheme } from './scheme.ts'

/**
 * One spelling for URLs that mean the same (RFC 3986 6.2.2, 6.2.3), as far as is safe for the scheme: scheme and host in lower
 * case, numeric addresses in their usual form, the default port left out, escapes in upper case and only where they are needed;
 * dot-segments removed where the scheme has a hierarchy of its own, never in ftp, where `..` is a name sent to the server.
 * Throws `malformed-url`.
 */
export function normalizeUrl(url: string, schemes?: readonly Scheme[]): string {
  const locator = parseUrl(url, schemes)
  const scheme = findScheme(locator.scheme, schemes)
  const host = locator.host === null ? null : normalizeHost(locator.host, scheme)
  const port = locator.port === scheme?.defaultPort ? null : locator.port
  const normalized = mapText({ ...locator, host, port }, upperCaseEscapes)
  const decoded = mapText(normalized, decodeUnreserved)
  if (scheme?.dotSegments) return formatLocator(withoutDotSegments(decoded))
  const [before, after] = [formatLocator(normalized), formatLocator(decoded)]
  return before === after || scheme === undefined || samePlan(before, after, schemes) ? after : before
}

/** What was decoded may be a word that the scheme looks for before it decodes: `;%74ype=a` in ftp. A URN is never decoded (RFC 8141 3.1). */
function samePlan(a: string, b: string, schemes: readonly Scheme[] | undefined): boolean {
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

/** RFC 3986 6.2.2.1. */
function upperCaseEscapes(text: string): string {
  return text.replace(escapes, (octet) => octet.toUpperCase())
}

/** RFC 3986 6.2.2.2: unreserved characters need no escape. */
function decodeUnreserved(text: string): string {
  return text.replace(escapes, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet
  })
}

function normalizeHost(written: string, scheme: Scheme | undefined): string {
  const host = decodeUnreserved(upperCaseEscapes(written))
  // The path of a socket has letters in both cases.
  if (scheme?.host === 'socket') return host
  const plain = parseHost(host)
  if (plain === undefined) return upperCaseEscapes(host.toLowerCase())
  return plain.kind === 'ipv6' ? `[${plain.name.replace('%', '%25')}]` : plain.name
}

/** An empty path with a host means `/` (RFC 3986 6.2.3). */
function withoutDotSegments(locator: Locator): Locator {
  if (locator.host === null) return locator
  return { ...locator, urlPath: removeDotSegments(`/${locator.urlPath ?? ''}`).slice(1) }
}
