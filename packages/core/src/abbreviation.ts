import { findScheme } from './builtin.ts'
import type { Scheme } from './scheme.ts'
import { parseHost } from './url/host.ts'
import { schemeOf } from './url/split.ts'

/** A complete URL, made from an abbreviated one. */
export interface Completion {
  readonly url: string
  /** A sentence that says which scheme was guessed, and why. */
  readonly reason: string
}

/**
 * Protocols by the first label of a host name, which often tells them (uri(7)). A label that is not listed most likely
 * belongs to a web site.
 */
const byLabel: ReadonlyMap<string, string> = new Map([
  ['www', 'http'],
  ['web', 'http'],
  ['ftp', 'ftp'],
  ['gopher', 'gopher'],
  ['news', 'nntp'],
  ['nntp', 'nntp'],
  ['telnet', 'telnet'],
  ['ldap', 'ldap'],
  ['wais', 'wais'],
  ['dict', 'dict'],
  ['irc', 'irc'],
  ['gemini', 'gemini'],
])

/**
 * Matches `[//][user@]host[:port]`, then the rest. It matches no password, so that `sip:joe@h`, a URL of an unknown
 * scheme, is not taken for a login.
 */
const abbreviation = /^(\/\/)?(?:([^\s/?#@:]+)@)?(\[[^\]]*\]|[^/?#@:[\]]+)(:\d{1,5})?(?=[/?#]|$)([\s\S]*)$/

/**
 * Completes an abbreviated URL (uri(7) "Writing a URI"): `www.w3.org/Addressing`, `ftp.gnu.org/gnu/`, `host/path`,
 * `localhost:8080`. Returns undefined if the text has a scheme or does not begin with a host. Callers use it only for
 * text that a person typed: in a document, the same text is a relative reference.
 */
export function completeUrl(text: string, schemes?: readonly Scheme[]): Completion | undefined {
  const [, slashes = '', user, host, port, rest = ''] = abbreviation.exec(text) ?? []
  if (host === undefined) return undefined
  // `localhost:8080/x` looks like a scheme and an opaque part, so only a known scheme counts as one.
  const scheme = schemeOf(text)
  if (scheme !== undefined && findScheme(scheme, schemes) !== undefined) return undefined
  const dotted = host.includes('.')
  const named = dotted || host.startsWith('[') || host === 'localhost'
  if (!(named || slashes || port !== undefined || rest.startsWith('/')) || !isHost(host)) return undefined
  if (user !== undefined && dotted && `${slashes}${port ?? ''}${rest}` === '') return mailAddress(text)
  const label = dotted ? (host.split('.', 1)[0] ?? '').toLowerCase() : ''
  const guess = byLabel.get(label)
  const url = `${guess ?? 'http'}:${slashes ? text : `//${text}`}`
  const why = guess === undefined ? '' : `, since the name begins with "${label}."`
  return { url, reason: assuming(url, why) }
}

/**
 * Whether the text is a host. `..` is none, and neither is `1.5`: only inet_aton reads that number as an address, and
 * nobody meant one.
 */
function isHost(text: string): boolean {
  // Only IDNA's tables can tell whether an internationalised name is legal, so this check accepts any.
  const host = parseHost(text, (name) => name.replace(/[^\0-\x7F]+/g, 'x'))
  return host !== undefined && !host.odd
}

function mailAddress(text: string): Completion {
  const url = `mailto:${text.replaceAll('%', '%25')}`
  return { url, reason: assuming(url, ', since it has the form of a mail address') }
}

function assuming(url: string, why: string): string {
  return `No scheme given; assuming ${url}${why}.`
}
