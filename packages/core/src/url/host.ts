import { decodeOctets, octetsToText } from './percent.ts'

/** A host in its one canonical spelling, which all schemes share, so that we show, check and dial the same host. */

export interface Host {
  /** The name to connect to: lower case, IPv4 in four decimal numbers, IPv6 without brackets, zone after `%`. */
  readonly name: string
  readonly kind: 'name' | 'ipv4' | 'ipv6'
  /** Whether an IPv4 address was not written as four decimal numbers. */
  readonly odd: boolean
}

/** Turns an internationalised name into A-labels (RFC 5891), or "" if it has none: `domainToASCII` of node:url. */
export type ToAscii = (name: string) => string

/** The host in the form before a port: an IPv6 address is in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/**
 * The authority as sent to a server (RFC 3986 3.2): without a user, without a default port, and without the zone of an
 * IPv6 address, which only this machine understands (RFC 6874 1).
 */
export function authority(
  { host, port }: { readonly host: string; readonly port: number },
  defaultPort: number | null,
): string {
  const zone = host.indexOf('%')
  const name = bracketed(zone === -1 ? host : host.slice(0, zone))
  return port === defaultPort ? name : `${name}:${port}`
}

/**
 * Reads a host as a URL writes it, and decodes its escapes once (RFC 3986 3.2.2). Returns undefined for an illegal
 * host, such as octets that are not UTF-8, which other readers would take for other letters.
 */
export function readHost(written: string, toAscii?: ToAscii): Host | undefined {
  if (!written.includes('%') || written.startsWith('[')) return parseHost(written, toAscii)
  const octets = decodeOctets(written)
  const text = octetsToText(octets)
  return text === octets && beyondAscii.test(text) ? undefined : parseHost(text, toAscii)
}

const beyondAscii = /[^\0-\x7F]/
/**
 * The WHATWG's forbidden domain code points. They are checked before the IDNA step, which may decode, cut or drop them.
 */
const forbidden = /[\0-\x20\x7F#%/:<>?@[\\\]^|]/
const aLabel = /(?:^|\.)xn--/

/**
 * Reads a host whose escapes are decoded. Without `toAscii`, an internationalised name is illegal, and A-labels are
 * accepted unchecked; with it, invalid A-labels are refused.
 */
export function parseHost(text: string, toAscii?: ToAscii): Host | undefined {
  if (isPlainName(text)) return { name: text, kind: 'name', odd: false }
  if (plainIpv4.test(text)) return { name: text, kind: 'ipv4', odd: false }
  if (text.startsWith('[')) return text.endsWith(']') ? parseIpv6Literal(text.slice(1, -1)) : undefined
  if (forbidden.test(text)) return undefined
  const name = lowerAscii(text)
  const isInternational = beyondAscii.test(name)
  if (!isInternational && !(toAscii && aLabel.test(name))) return parseAscii(name)
  // IDNA turns full-width digits and dots into ASCII, so 127。0。0。1 is an odd spelling of an address.
  const host = parseAscii(toAscii?.(name) ?? '')
  return host?.kind === 'ipv4' ? { ...host, odd: true } : host
}

/** Lower-cases ASCII only; other letters are left to IDNA, for which a final sigma differs from a sigma. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Four decimal numbers up to 255, without leading zeros: RFC 3986 3.2.2 IPv4address. */
const plainIpv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * Whether the text is a name like nearly all hosts: labels of lower-case letters, digits and hyphens, no A-label, and a
 * last label that begins with a letter.
 */
function isPlainName(text: string): boolean {
  let labelAt = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) continue
    if (at === labelAt || at - labelAt > 63) return false
    if (code === 46) labelAt = at + 1
    else if (code !== 45 || (at === labelAt + 3 && text.startsWith('xn-', labelAt))) return false
  }
  const first = text.charCodeAt(labelAt)
  return text.length - labelAt <= 63 && text.length <= 253 && first >= 97 && first <= 122
}

function parseAscii(name: string): Host | undefined {
  // Labels have letters, digits, hyphens, and the underscore, which is in use though RFC 1123 forbids it. Only the
  // root's label is empty. DNS sets the limits 253 and 63.
  if (
    !/^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/.test(name) ||
    name.replace(/\.$/, '').length > 253
  )
    return undefined
  const labels = name.replace(/\.$/, '').split('.')
  const last = labels[labels.length - 1] ?? ''
  // RFC 1738 3.1: the last label of a name begins with a letter. The WHATWG reads any other as an IPv4 address.
  if (!/^(\d+|0x[0-9a-f]*)$/.test(last)) return { name, kind: 'name', odd: false }
  const address = parseIpv4(labels)
  if (address === undefined) return undefined
  return { name: address, kind: 'ipv4', odd: address !== name }
}

/**
 * Reads an address as inet_aton does: 1 to 4 parts, each decimal, octal (0...) or hexadecimal (0x...). The last part
 * fills the remaining octets.
 */
function parseIpv4(parts: readonly string[]): string | undefined {
  if (parts.length > 4) return undefined
  let address = 0
  for (const [index, part] of parts.entries()) {
    const value = parseIpv4Part(part)
    const octets = index === parts.length - 1 ? 5 - parts.length : 1
    if (value === undefined || value >= 256 ** octets) return undefined
    address = address * 256 ** octets + value
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

function parseIpv4Part(part: string): number | undefined {
  if (/^0x[0-9a-f]{0,8}$/.test(part)) return part === '0x' ? 0 : Number.parseInt(part, 16)
  if (/^0[0-7]{0,11}$/.test(part)) return Number.parseInt(part, 8)
  return /^[1-9]\d{0,9}$/.test(part) ? Number(part) : undefined
}

/** Reads an IPv6 address (RFC 3986 3.2.2) with its zone (`%25eth0`, RFC 6874), and writes it as RFC 5952 says. */
function parseIpv6Literal(text: string): Host | undefined {
  const [address = '', zone] = text.split(/%25(.*)/s)
  if (zone !== undefined && !/^[A-Za-z0-9._~-]+$/.test(zone)) return undefined
  const groups = parseIpv6(address)
  if (groups === undefined) return undefined
  const name = formatIpv6(groups)
  return { name: zone === undefined ? name : `${name}%${zone}`, kind: 'ipv6', odd: false }
}

/** The eight groups of an IPv6 address, or undefined. */
export function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const groups = halves.map(parseGroups)
  const [head, tail] = groups
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  if (tail === undefined) return head.length === 8 ? head : undefined
  const missing = 8 - head.length - tail.length
  // An IPv4 tail may only end the whole address: `1.2.3.4::` is illegal.
  if (missing < 1 || halves[0]?.includes('.')) return undefined
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

function parseGroups(text: string): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else if (index === parts.length - 1 && /^(\d{1,3}\.){3}\d{1,3}$/.test(part)) {
      const octets = part.split('.').map(Number)
      if (octets.some((octet) => octet > 255) || /(^|\.)0\d/.test(part)) return undefined
      const [a = 0, b = 0, c = 0, d = 0] = octets
      groups.push(a * 256 + b, c * 256 + d)
    } else return undefined
  }
  return groups
}

/**
 * Formats an IPv6 address (RFC 5952 section 4): lower case, no leading zeros, the longest run of two or more zero
 * groups as `::`.
 */
function formatIpv6(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':')
  const runs = [...text.matchAll(/\b0(:0)+\b/g)]
  const longest = runs.reduce((best, run) => (run[0].length > best.length ? run[0] : best), '')
  return longest === '' ? text : text.replace(new RegExp(`(^|:)${longest}(:|$)`), '::')
}
