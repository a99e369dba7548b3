import { RetrievalError } from '../errors.ts'
import { printable } from '../printable.ts'
import { redactUrl } from '../secrets/redact.ts'

/**
 * A URL as written, split but not decoded. An absent component is null, which differs from empty: `ftp://@h/` has the
 * user "", `ftp://h/` has no user; `ftp://h/` has the urlPath "", `ftp://h` has none. Only unsafe characters (RFC 1738
 * 2.2) are escaped, so that every component can be put back into a URL.
 */
export interface Locator {
  /** The scheme, in lower case. */
  readonly scheme: string
  readonly user: string | null
  readonly password: string | null
  /** The host as written, an IPv6 address in its brackets; null if the URL has no `//`. */
  readonly host: string | null
  readonly port: number | null
  /**
   * The text behind the `/` after the host; that `/` is no part of it (RFC 1738 3.1). Without `//`, all text behind the
   * scheme.
   */
  readonly urlPath: string | null
  readonly query: string | null
  readonly fragment: string | null
}

export type Part = Exclude<keyof Locator, 'scheme'>

/** A [start, end) in the text as given. */
export type Span = readonly [number, number]

/** A URL split: the locator, and the offsets of its components in the text. An absent component has the offset -1. */
export interface SplitUrl {
  readonly text: string
  /** Whether the text has a character that is unsafe or beyond ASCII. */
  readonly odd: boolean
  locator: Locator
  /** The places where unsafe characters were escaped. */
  repaired: readonly Span[]
  userAt: number
  userEnd: number
  passwordAt: number
  hostAt: number
  hostEnd: number
  portAt: number
  authorityEnd: number
  pathAt: number
  pathEnd: number
  queryAt: number
  fragmentAt: number
  /** The offset at which the fragment begins, or the text ends. */
  end: number
}

/** Joins the components of a locator: `splitUrl(formatLocator(l)).locator` equals `l`. */
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
  // The URL is redacted before it is cut, since a cut password looks like a port.
  const safe = redactUrl(url)
  const shown = safe.length > 200 ? `${safe.slice(0, 200)}...` : safe
  const place = `at character ${span[0] + 1}`
  const message = `${printable(shown)} is no valid URL: ${what} (${place}).`
  return new RetrievalError('malformed-url', message, { phase: 'resolve', url: shown, span })
}
