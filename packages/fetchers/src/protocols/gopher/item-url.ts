import { encodeOctets, octetsToText } from '@retriever/core'
import { bracketed, type GopherPlan } from '@retriever/core/internal'
import { trimBlanks } from '../../kit/text/blanks.ts'

/** One line of a menu, split (RFC 1436 3.4): octets as they came, without padding around host and port. */
export interface MenuItem {
  readonly gophertype: string
  readonly display: string
  readonly selector: string
  readonly host: string
  /** Null if the field is no port, so that the item cannot be reached. */
  readonly port: number | null
  /** `+` if the server speaks Gopher+ for this item, `?` if it asks questions first. */
  readonly gopherPlus: string | undefined
}

/**
 * Schemes that a menu may link to by `URL:`. None is local (file, man, info), runs something (javascript) or holds
 * data.
 */
const linkSchemes: ReadonlySet<string> = new Set(
  'http https ftp ftps ftpes gopher gophers gemini finger news snews nntp nntps telnet tn3270 mailto irc ircs wais ldap'.split(
    ' ',
  ),
)

/** Returns the URL of a menu item. Null for information, errors and damaged items. */
export function itemUrl(item: MenuItem, plan: GopherPlan): string | null {
  const { gophertype, selector } = item
  if ('i3'.includes(gophertype)) return null
  const link = gophertype === 'h' ? /^\/?URL:(.*)$/is.exec(selector)?.[1] : undefined
  if (link !== undefined) return linkUrl(link)
  const place = authority(item)
  if (place === null) return null
  // The selector of a session is the name to log in with (RFC 4266 2.4).
  const user = selector === '' ? '' : `${encodeOctets(selector)}@`
  if (gophertype === '8') return `telnet://${user}${place(23)}/`
  if (gophertype === 'T') return `tn3270://${user}${place(23)}/`
  // An older form of `URL:` has a request of HTTP/0.9 as the selector.
  const page = gophertype === 'h' ? /^GET (\/[^\0-\x20]*)$/.exec(selector)?.[1] : undefined
  if (page !== undefined) return `http://${place(80)}${encodeUrl(page)}`
  const own = item.host.toLowerCase() === plan.host && item.port === plan.port
  // A menu does not say which servers have TLS. If it came over TLS, only links to the same server use TLS.
  const scheme = own && plan.tls === 'implicit' ? 'gophers' : 'gopher'
  // This item asks questions first (RFC 4266 2.4).
  const form = item.gopherPlus === '?' ? '%09%09?' : ''
  return `${scheme}://${place(70)}/${encodeOctets(gophertype)}${encodeOctets(selector, '/:,+=@~')}${form}`
}

/** Returns the URL in a `URL:` selector, if a menu may lead to its scheme. */
function linkUrl(link: string): string | null {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(link) ?? []
  return linkSchemes.has(scheme.toLowerCase()) ? encodeUrl(trimBlanks(link)) : null
}

/** Escapes blanks, controls and octets beyond ASCII, which a URL may not contain. */
function encodeUrl(url: string): string {
  return url.replace(/[^\x21-\x7E]+/g, (octets) => encodeOctets(octets))
}

/** Returns host and port in the form of a URL, without the default port. Null if they are not legal. */
function authority({ host, port }: MenuItem): ((defaultPort: number) => string) | null {
  const name = octetsToText(host)
  const ipv6 = name.includes(':') ? /^\[?([0-9A-Fa-f:.]+)\]?$/.exec(name)?.[1] : undefined
  if (port === null || (ipv6 === undefined && !/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name))) return null
  const written = bracketed(ipv6 ?? name)
  return (defaultPort) => (port === defaultPort ? written : `${written}:${port}`)
}
