import { adviceText } from '../../advice.ts'
import { type Finding, finding } from '../../finding.ts'
import type { LdapPlan, TlsMode } from '../../plan.ts'
import { printable } from '../../printable.ts'
import { type Inspection, type Place, type Scheme, variant } from '../../scheme.ts'
import { parseHost } from '../../url/host.ts'
import { isLoopback } from '../../url/inward.ts'
import type { Locator } from '../../url/locator.ts'
import { decodeOctets, encodeOctets, octetsToText } from '../../url/percent.ts'
import { splitUrl } from '../../url/split.ts'
import { berReading } from '../../wire/ber.ts'
import { checkFilter } from './filter.ts'
import { ldapWire } from './requests.ts'

/** RFC 4516: `ldap://host:port/dn?attributes?scope?filter?extensions`. */
export const ldap: Scheme = {
  name: 'ldap',
  title: 'Lightweight Directory Access Protocol',
  spec: 'RFC 4516',
  mechanism: 'ldap',
  defaultPort: 389,
  tls: 'none',
  host: 'optional',
  userinfo: 'forbidden',
  // The path of the URL has up to four ? itself.
  query: false,
  // BER frames everything, but the URL decides octets that a server of another protocol would read as lines. If a
  // filter or name needs a line break, it writes `%5C0A`.
  lineParts: ['urlPath'],
  isFramed: (plan) => plan.mechanism === 'ldap' && !stringsOf(plan).some(beginsLine),
  resolve: (locator, place) => ldapPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
  reading: (wire) => wire.map(berReading),
  inspect: ({ plan, place, span }) => [
    ...unknownExtensions(plan, span),
    ...noServer(plan, span),
    ...clearPassword(plan, place, span),
  ],
  withUser: withBindname,
}

export const ldaps: Scheme = /* @__PURE__ */ variant(ldap, {
  name: 'ldaps',
  title: 'Lightweight Directory Access Protocol over TLS',
  spec: 'RFC 4513 (ldaps itself is a convention)',
  defaultPort: 636,
  tls: 'implicit',
  resolve: (locator, place) => ldapPlan(locator, place, 'implicit'),
})

/** An extension of OpenLDAP: the host part is the encoded path of a local socket. */
export const ldapi: Scheme = /* @__PURE__ */ variant(ldap, {
  name: 'ldapi',
  title: 'Lightweight Directory Access Protocol over a local socket',
  spec: 'draft-chu-ldap-ldapi-00',
  defaultPort: null,
  host: 'socket',
  lineParts: ['host', 'urlPath'],
  resolve: (locator, place) => ldapPlan(locator, place, 'none'),
})

/** The socket of slapd. libldap of Debian, Fedora and others looks for it here. */
const defaultSocket = '/var/run/slapd/ldapi'

/** The scopes are a map, because in an object `constructor` would count as a scope. */
const scopes: ReadonlyMap<string, LdapPlan['scope']> = new Map([
  ['', 'base'],
  ['base', 'base'],
  ['one', 'one'],
  ['sub', 'sub'],
])

function ldapPlan(locator: Locator, place: Place, tls: TlsMode): LdapPlan {
  // RFC 4516 2.1: the parts are split at raw ?, before decoding.
  const fields = (locator.urlPath ?? '').split('?')
  const [dn = '', attributes = '', scopeText = '', filterText = '', extensions = ''] = fields
  if (fields.length > 5) place.fail('at most four ? may follow the host; write a literal ? as %3F', 'urlPath')
  const scope = scopes.get(decodeOctets(scopeText).toLowerCase())
  if (scope === undefined) return place.fail('the scope must be base, one or sub', 'urlPath')
  const filter = filterText === '' ? '(objectClass=*)' : decodeOctets(filterText)
  const wrong = checkFilter(filter)
  if (wrong !== undefined)
    place.fail(`the filter is wrong at its character ${wrong.offset + 1}: ${wrong.what}`, 'urlPath')
  const plan = {
    mechanism: 'ldap',
    ...serverOf(locator, place, tls),
    dn: decodeOctets(dn),
    attributes: attributes.split(',').filter(Boolean).map(decodeOctets),
    scope,
    filter,
    extensions: extensions
      .split(',')
      .filter(Boolean)
      .map((extension) => readExtension(extension, place)),
  } as const
  return { ...plan, wire: ldapWire(plan, bindnameOf(plan), place.asked) }
}

type Server = Pick<LdapPlan, 'host' | 'port' | 'tls' | 'socket'>

/** The server that the URL names, else the configured one: `ldap:///` leaves the choice to the client (RFC 4516 2). */
function serverOf({ scheme, host: written }: Locator, { host, port, defaults }: Place, tls: TlsMode): Server {
  if (scheme === 'ldapi') return { host, port, tls, socket: socketOf(written) }
  if (host !== '') return { host, port, tls, socket: null }
  const { ldapServer } = defaults
  const configured = typeof ldapServer === 'function' ? ldapServer() : ldapServer
  if (configured === undefined) return { host, port, tls, socket: null }
  const isUrl = configured.includes('://')
  const { locator } = splitUrl(isUrl ? configured : `${scheme}://${configured}/`)
  if (locator.scheme === 'ldapi') {
    return { host: '', port: 0, tls: 'none', socket: socketOf(locator.host) }
  }
  // `ldaps:///` begins with TLS even if the configured server is named without it.
  const isTls = scheme === 'ldaps' || locator.scheme === 'ldaps'
  return {
    host: parseHost(locator.host ?? '')?.name ?? '',
    port: locator.port ?? (isTls ? 636 : 389),
    tls: isTls ? 'implicit' : tls,
    socket: null,
  }
}

/** The path of the socket, which stands in place of the host. */
function socketOf(host: string | null): string {
  return decodeOctets(host ?? '') || defaultSocket
}

/**
 * The login name that the extension `bindname` gives (RFC 2255 4), one octet a character. "" means an anonymous login;
 * null means that the plan has no such extension.
 */
export function bindnameOf({ extensions }: Pick<LdapPlan, 'extensions'>): string | null {
  const found = extensions.find(({ type }) => type.toLowerCase() === 'bindname')
  return found === undefined ? null : (found.value ?? '')
}

/** The URL with this user as its login (RFC 2255 4), which replaces the one that it names. */
function withBindname(locator: Locator, user: string): Locator {
  const [dn = '', attributes = '', scope = '', filter = '', extensions = ''] = (locator.urlPath ?? '').split('?')
  const others = extensions.split(',').filter((extension) => !/^!?bindname(?:=|$)/i.test(extension) && extension !== '')
  const all = [...others, `bindname=${encodeOctets(user)}`].join(',')
  return { ...locator, urlPath: [dn, attributes, scope, filter, all].join('?') }
}

/** An unknown critical extension: RFC 4516 2 forbids to process its URL. */
function unknownExtension({ extensions }: Pick<LdapPlan, 'extensions'>): string | null {
  return extensions.find(({ type, critical }) => critical && type.toLowerCase() !== 'bindname')?.type ?? null
}

function unknownExtensions(plan: Inspection['plan'], span: Inspection['span']): Finding[] {
  const unknown = plan.mechanism === 'ldap' ? unknownExtension(plan) : null
  if (unknown === null) return []
  const message = `The extension ${printable(octetsToText(unknown))} is critical (!), and only bindname is known.`
  return [finding('critical-extension', message, span('urlPath'), 'RFC 4516 2')]
}

function noServer(plan: Inspection['plan'], span: Inspection['span']): Finding[] {
  if (plan.mechanism !== 'ldap' || plan.host !== '' || plan.socket !== null) return []
  const found = finding('no-server', 'The URL names no server, and none is configured.', span('urlPath'), 'RFC 4516 2')
  const advice = { option: 'defaults.ldapServer' } as const
  return [{ ...found, remedy: `Name one by ${adviceText(advice)}.`, advice }]
}

function clearPassword(plan: Inspection['plan'], { host }: Place, span: Inspection['span']): Finding[] {
  if (plan.mechanism !== 'ldap' || plan.tls !== 'none' || plan.socket !== null || isLoopback(host)) return []
  const name = bindnameOf(plan)
  if (name === null || name === '') return []
  const message = `The password of ${JSON.stringify(name)} would cross the network unencrypted.`
  return [finding('cleartext-secret', message, span('urlPath'), 'RFC 4513 6.3.1')]
}

/**
 * The octet strings that the URL puts into a search request (RFC 4511 4.5.1). Each is sent behind its tag and length.
 */
function stringsOf({ dn, attributes, filter, extensions }: LdapPlan): string[] {
  const items = filter.split(/[()]/).flatMap((item) => {
    const [, head = '', value = ''] = /^([^=]*)=(.*)$/s.exec(item.replace(/\\[0-9A-Fa-f]{2}/g, '?')) ?? []
    // Splits `attribute:dn:rule:=value`, and the substrings of `a*b`.
    return [...head.split(/[:~<>]/), value, ...value.split('*')]
  })
  return [dn, ...attributes, ...items, ...extensions.flatMap(({ type, value }) => [type, value ?? ''])]
}

/**
 * Whether the last octet of a string's length may be a line feed or a carriage return. Only then can a server of a line
 * protocol read the string as a line of its own. (The tag of the scope is a line feed, too, and ends the line of a dn.)
 */
function beginsLine({ length }: string): boolean {
  return length % 256 === 10 || length % 256 === 13
}

/**
 * Reads `!bindname=cn=Manager%2co=Foo`; the `!` makes the extension critical. An unknown critical extension must fail
 * (RFC 4516 2).
 */
function readExtension(text: string, place: Place): LdapPlan['extensions'][number] {
  const critical = text.startsWith('!')
  const [type = '', value] = text.slice(critical ? 1 : 0).split(/=(.*)/s)
  if (type === '') place.fail('an extension needs a type', 'urlPath')
  return { type: decodeOctets(type), value: value === undefined ? null : decodeOctets(value), critical }
}
