import { type Finding, findDelimiters, finding, type Severity } from './finding.ts'
import type { AccessPlan } from './plan.ts'
import { databasePorts, foreignPorts, portService } from './ports.ts'
import type { Place, ResolveOptions, Scheme } from './scheme.ts'
import { isAnonymous } from './schemes/ftp.ts'
import { type Host, readHost } from './url/host.ts'
import { isLoopback } from './url/inward.ts'
import type { Locator, Part, Span, SplitUrl } from './url/locator.ts'
import { decodeOctets, octetsToText } from './url/percent.ts'
import { spanOf } from './url/split.ts'

export interface FindingSource {
  readonly split: SplitUrl
  readonly scheme: Scheme
  readonly plan: AccessPlan
  readonly place: Place
  readonly host: Host | undefined
  readonly options: Pick<ResolveOptions, 'whatwgHost' | 'fetchable' | 'domainToAscii'>
}

/**
 * All findings on a URL, the gravest first. Nearly every URL has none or one, so each check stops as early as it can.
 */
export function findAll(source: FindingSource): readonly Finding[] {
  const { scheme, split, plan, place, options } = source
  const { locator, text } = split
  const found: Finding[] = []
  if (text.includes('%0')) found.push(...encodedDelimiters(source))
  if (locator.port !== null) found.push(...portFindings(source))
  if (locator.user !== null) found.push(...loginFindings(source))
  if (source.host?.odd || split.odd || options.whatwgHost || locator.host?.includes('%'))
    found.push(...hostFindings(source))
  if (source.host?.kind === 'name' && oddLabel.test(source.host.name)) found.push(hostLabel(source))
  if (scheme.inspect !== undefined) {
    const span = (part: Part): Span => spanIn(source, part)
    const written = (part: Part): string => text.slice(...(spanOf(split, part) ?? [0, 0]))
    const special = scheme.inspect({ locator, plan, place, span, written })
    if (special.length > 0) found.push(...special)
  }
  if (split.odd) found.push(...split.repaired.map(unsafeCharacter))
  if (scheme.handoff || scheme.hint || scheme.deprecated) schemeFindings(source, found)
  const first = found[0]?.severity
  return found.every(({ severity }) => severity === first) ? found : found.sort(bySeverity)
}

const order: readonly Severity[] = ['danger', 'warning', 'notice']

function bySeverity(a: Finding, b: Finding): number {
  return order.indexOf(a.severity) - order.indexOf(b.severity)
}

/** The place of a part. An absent or empty part gives the whole URL, so that a finding always marks something. */
function spanIn({ split }: FindingSource, part: Part): Span {
  const [start, end] = spanOf(split, part) ?? [0, 0]
  return start < end ? [start, end] : [0, split.text.length]
}

function encodedDelimiters({ scheme, split }: FindingSource): Finding[] {
  return scheme.lineParts.flatMap((part) => {
    const span = spanOf(split, part)
    return span === undefined ? [] : findDelimiters(split.text.slice(...span), part, span[0])
  })
}

function portFindings(source: FindingSource): Finding[] {
  const { scheme, place, split, plan } = source
  const { port, host } = place
  const { name, defaultPort, ownPorts, anyPort, sendsFirst } = scheme.portRules?.(plan) ?? scheme
  if (split.locator.port === null || port === scheme.defaultPort) return []
  if (port === defaultPort || ownPorts?.includes(port)) return []
  const span = spanIn(source, 'port')
  const isFramed = scheme.isFramed?.(plan)
  const speaksFirst = sendsFirst || isFramed === false
  if (!anyPort && (foreignPorts.has(port) || (speaksFirst && databasePorts.has(port)))) {
    const what = `Port ${port} is for ${portService(port)}`
    const message = isFramed ? `${what}.` : `${what}; a crafted link could make that server run commands.`
    return [finding('foreign-port', message, span, 'RFC 1738 6', isFramed ? 'warning' : 'danger')]
  }
  const code = port < 1024 && !isLoopback(host) ? 'reserved-port' : 'non-default-port'
  const usual = defaultPort === null ? '' : `; ${name} normally uses ${defaultPort}`
  const reserved = code === 'reserved-port' ? ', which is below 1024, where other services run' : ''
  return [finding(code, `The URL asks for port ${port}${reserved}${usual}.`, span, 'RFC 1738 6')]
}

function loginFindings(source: FindingSource): Finding[] {
  const { scheme, split, place, plan } = source
  const { user, password } = split.locator
  if (user === null) return []
  const loopback = isLoopback(place.host)
  const found: Finding[] = []
  if (password !== null && password !== '') {
    const message = 'The URL contains a password, which histories and logs keep.'
    const severity = loopback ? 'notice' : 'warning'
    found.push(finding('password-in-url', message, spanIn(source, 'password'), 'RFC 3986 7.5', severity))
  }
  const login = decodeOctets(user)
  const anonymous = (login === '' && password === null) || isAnonymous(login)
  if (login === '' && password !== null) {
    const message = 'The URL has a password without a user name; both are sent as they are.'
    found.push(finding('empty-user', message, spanIn(source, 'password'), 'RFC 1738 3.1'))
  }
  // defaults.requireTls may have added TLS, so the plan decides, not the scheme.
  const tls = 'tls' in plan ? plan.tls : scheme.tls
  // An empty password (`u:@h`) is no secret.
  if (scheme.sendsPassword && tls === 'none' && !loopback && !anonymous && password !== '') {
    const message = `The password of ${JSON.stringify(login)} would cross the network unencrypted.`
    found.push(finding('cleartext-secret', message, spanIn(source, 'user'), 'RFC 1738 6'))
  }
  if (looksLikeHost(login)) {
    const message = `The part before the @ looks like a host, but the host contacted is ${place.host}.`
    found.push(finding('misleading-userinfo', message, spanIn(source, 'user'), 'RFC 3986 7.6'))
  }
  if ((scheme.handoff || scheme.program) && /^[-+]/.test(login)) {
    const message = 'A helper program would read the user name as an option.'
    found.push(finding('option-injection', message, spanIn(source, 'user'), 'uri(7) Security'))
  }
  return found
}

/**
 * Whether a user looks like a host, as in `http://bank.example@evil/`. A dotted name alone does not (john.doe is a
 * person), so the last label must be common among hosts: two letters, an old generic domain, or a reserved one.
 */
function looksLikeHost(user: string): boolean {
  const name = user.toLowerCase().split(/[/\\:;?#&=]/, 1)[0] ?? ''
  return (
    /^www\./.test(name) ||
    /^\d{1,3}(\.\d{1,3}){3}$/.test(name) ||
    /^([\w-]+\.)+([a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|app|dev|example|test|localhost)$/.test(name)
  )
}

/**
 * Names and addresses that all parsers read alike, with the delimiter behind them. It excludes xn-- names, which may be
 * invalid.
 */
const plainAuthority =
  /^[a-z][a-z0-9+.-]*:\/\/(?:(?!xn--|[a-z0-9.-]*\.xn--)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,63}|localhost|127\.0\.0\.1)(?::\d{1,5})?(?:[/?#]|$)/

function hostFindings(source: FindingSource): Finding[] {
  const { host, split, place, options } = source
  const found: Finding[] = []
  if (host?.odd) {
    const message = `${split.locator.host} is an unusual spelling of the address ${place.host}, which would be contacted.`
    found.push(finding('numeric-host', message, spanIn(source, 'host'), 'RFC 3986 7.4'))
  }
  const other = host && !plainAuthority.test(split.text) ? options.whatwgHost?.(split.text) : undefined
  // The WHATWG parser refuses zones (RFC 6874). That disagreement is not worth a finding.
  const refused = other === null && !place.host.includes('%')
  if (refused || (other && whatwgName(other, options) !== place.host)) {
    const does = refused ? 'refuses the URL' : `would contact ${other}`
    const theirs = `the WHATWG parser, which browsers use, ${does}`
    const message = `RFC 1738 and RFC 3986 name the host ${place.host}; ${theirs}.`
    found.push(finding('parser-disagreement', message, spanIn(source, 'host'), 'RFC 3986 7.6'))
  }
  if (mixesScripts(split.locator)) {
    const message = `The host name mixes alphabets and may imitate another; it is ${place.host}.`
    found.push(finding('confusable-host', message, spanIn(source, 'host'), 'RFC 3987 8'))
  }
  return found
}

/** The host in our spelling: for schemes that it does not know, the WHATWG parser leaves the host as written. */
function whatwgName(host: string, { domainToAscii }: FindingSource['options']): string {
  return readHost(host, domainToAscii)?.name ?? host
}

/**
 * Matches what RFC 1738 3.1 forbids: labels have letters, digits, and hyphens within; the last one begins with a
 * letter.
 */
const oddLabel = /_|-(?:\.|$)|(?:^|\.)\d[^.]*\.?$/

function hostLabel(source: FindingSource): Finding {
  const message = `A label of ${source.place.host} has a _ or ends with a hyphen, or the last one begins with a digit.`
  return finding('host-label', message, spanIn(source, 'host'), 'RFC 1738 3.1')
}

/** Whether one label mixes Latin with Cyrillic or Greek, whose letters look alike. */
function mixesScripts({ host }: Locator): boolean {
  const name = octetsToText(decodeOctets(host ?? ''))
  if (/^[\0-\x7F]*$/.test(name)) return false
  return name
    .split('.')
    .some((label) => /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label))
}

function unsafeCharacter(span: Span): Finding {
  return finding(
    'unsafe-character',
    'Some characters are not allowed in a URL and were escaped for you.',
    span,
    'RFC 1738 2.2',
  )
}

function schemeFindings({ scheme, plan, options }: FindingSource, found: Finding[]): void {
  const span: Span = [0, scheme.name.length]
  if (scheme.handoff && scheme.isData?.(plan) !== true)
    found.push(finding('no-data-object', noDataObject, span, scheme.spec))
  if (scheme.hint && !options.fetchable?.includes(scheme.mechanism)) {
    const lack = scheme.handoff ? 'Retriever has no session of its own for this.' : 'Retriever cannot fetch this yet.'
    found.push(finding('no-fetcher', `${lack} ${scheme.hint}`, span, scheme.spec))
  }
  if (scheme.deprecated) found.push(finding('deprecated-scheme', scheme.deprecated, span, scheme.spec))
}

const noDataObject = 'The URL names a service or an action, so there is no data to retrieve.'
