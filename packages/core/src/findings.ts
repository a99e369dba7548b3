import { type Host, isLoopback } from './host.ts'
import type { Locator, Part, Span, SplitUrl } from './locator.ts'
import { decodeOctets } from './percent.ts'
import type { AccessPlan } from './plan.ts'
import { databasePorts, foreignPorts } from './ports.ts'
import type { Place, Scheme } from './scheme.ts'

/** `notice`: shown by explain and -v. `warning`: one line on stderr. `danger`: refused unless allowed. */
export type Severity = 'notice' | 'warning' | 'danger'

/** Every remark that can be made on a URL, with its severity where nothing softens it. */
export const findingCodes = {
  'encoded-delimiter': 'danger',
  'foreign-port': 'danger',
  'option-injection': 'danger',
  'reserved-port': 'warning',
  'password-in-url': 'warning',
  'cleartext-secret': 'warning',
  'misleading-userinfo': 'warning',
  'numeric-host': 'warning',
  'confusable-host': 'warning',
  'foreign-file-host': 'warning',
  'non-default-port': 'notice',
  'unsafe-character': 'notice',
  'no-data-object': 'notice',
  'no-server': 'notice',
  'deprecated-scheme': 'notice',
} as const

export type FindingCode = keyof typeof findingCodes

/** One security or syntax remark on a URL. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** A sentence: what is so, and what to do about it. */
  readonly message: string
  /** [start, end) in the URL as given. */
  readonly span: Span
  /** The section that says so. */
  readonly rule: string
}

export interface FindingSource {
  readonly text: string
  readonly split: SplitUrl
  readonly scheme: Scheme
  readonly plan: AccessPlan
  readonly place: Place
  readonly host: Host | undefined
}

/** All findings on a URL, the gravest first. */
export function findAll(source: FindingSource): readonly Finding[] {
  const { scheme, split, plan, place } = source
  const span = (part: Part): Span => spanOf(source, part)
  const written = (part: Part): string => source.text.slice(...(split.spans[part] ?? [0, 0]))
  const findings = [
    ...encodedDelimiters(source),
    ...portFindings(source),
    ...loginFindings(source),
    ...hostFindings(source),
    ...(scheme.inspect?.({ locator: split.locator, plan, place, span, written }) ?? []),
    ...split.repaired.map(unsafeCharacter),
    ...schemeFindings(source),
  ]
  const order: readonly Severity[] = ['danger', 'warning', 'notice']
  return findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

function finding(code: FindingCode, message: string, span: Span, rule: string, severity?: Severity): Finding {
  return { code, severity: severity ?? findingCodes[code], message, span, rule }
}

function spanOf({ text, split }: FindingSource, part: Part): Span {
  return split.spans[part] ?? [0, text.length]
}

const delimiterNames: Readonly<Record<string, string>> = { '0D': 'CR', '0A': 'LF', '00': 'NUL', '09': 'TAB' }

/** Escaped CR, LF and NUL in one part of the URL: one finding a run. Schemes with rules of their own call it too. */
export function findDelimiters(text: string, part: string, at: number, pattern: RegExp = /(?:%0[0AaDd])+/g): Finding[] {
  return [...text.matchAll(pattern)].map((match) => {
    const names = (match[0].match(/%../g) ?? []).map((octet) => delimiterNames[octet.slice(1).toUpperCase()])
    const start = at + match.index
    return finding(
      'encoded-delimiter',
      `The ${part} holds an encoded ${names.join(' ')}, which would end the protocol's line and smuggle in what follows.`,
      [start, start + match[0].length],
      'RFC 1738 6',
    )
  })
}

function encodedDelimiters({ text, scheme, split }: FindingSource): Finding[] {
  return scheme.lineParts.flatMap((part) => {
    const span = split.spans[part]
    return span === undefined ? [] : findDelimiters(text.slice(...span), part, span[0])
  })
}

function portFindings(source: FindingSource): Finding[] {
  const { scheme, place, split } = source
  const { port, host } = place
  if (split.locator.port === null || port === scheme.defaultPort || scheme.ownPorts?.includes(port)) return []
  const span = spanOf(source, 'port')
  if (!scheme.anyPort && (foreignPorts.has(port) || (scheme.sendsFirst && databasePorts.has(port)))) {
    const message = `Port ${port} belongs to another protocol, which a ${scheme.name} request could be made to speak.`
    return [finding('foreign-port', message, span, 'RFC 1738 6')]
  }
  const code = port < 1024 && !isLoopback(host) ? 'reserved-port' : 'non-default-port'
  const usual = scheme.defaultPort === null ? '' : `; ${scheme.name} uses ${scheme.defaultPort}`
  const reserved = code === 'reserved-port' ? ', below 1024, where other services live' : ''
  return [finding(code, `The URL asks for port ${port}${reserved}${usual}.`, span, 'RFC 1738 6')]
}

function loginFindings(source: FindingSource): Finding[] {
  const { scheme, split, place } = source
  const { user, password } = split.locator
  if (user === null) return []
  const loopback = isLoopback(place.host)
  const found: Finding[] = []
  if (password !== null && password !== '') {
    const message = 'A password stands in the URL, where histories and logs keep it; leave it out to be asked for it.'
    const severity = loopback ? 'notice' : 'warning'
    found.push(finding('password-in-url', message, spanOf(source, 'password'), 'RFC 3986 7.5', severity))
  }
  const login = decodeOctets(user)
  const anonymous = /^(anonymous|ftp|)$/i.test(login)
  // An empty password (`u:@h`) is no secret.
  if (scheme.sendsPassword && scheme.tls === 'none' && !loopback && !anonymous && password !== '') {
    const message = `The password of ${JSON.stringify(login)} would cross the network unencrypted.`
    found.push(finding('cleartext-secret', message, spanOf(source, 'user'), 'RFC 1738 6'))
  }
  if (looksLikeHost(login)) {
    const message = `The part before the @ looks like a host, but the host contacted is ${place.host}.`
    found.push(finding('misleading-userinfo', message, spanOf(source, 'user'), 'RFC 3986 7.6'))
  }
  if (scheme.handoff && /^[-+]/.test(login)) {
    const message = 'A helper program would read the user name as an option.'
    found.push(finding('option-injection', message, spanOf(source, 'user'), 'uri(7) Security'))
  }
  return found
}

/**
 * `http://bank.example@evil/`. A dotted name alone is no sign (john.doe is a person), so the last label must be
 * one that hosts commonly have: two letters, a generic domain of old, or a reserved one.
 */
function looksLikeHost(user: string): boolean {
  const name = user.toLowerCase().split(/[/\\:;?#&=]/, 1)[0] ?? ''
  return (
    /^www\./.test(name) ||
    /^\d{1,3}(\.\d{1,3}){3}$/.test(name) ||
    /^([\w-]+\.)+([a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|app|dev|example|test|localhost)$/.test(name)
  )
}

function hostFindings(source: FindingSource): Finding[] {
  const { host, split, place } = source
  const found: Finding[] = []
  if (host?.odd) {
    const message = `${split.locator.host} is a numeric spelling of ${place.host}, which is what would be contacted.`
    found.push(finding('numeric-host', message, spanOf(source, 'host'), 'RFC 3986 7.4'))
  }
  if (mixesScripts(split.locator)) {
    const message = `The host name mixes alphabets and may imitate another; it is ${place.host}.`
    found.push(finding('confusable-host', message, spanOf(source, 'host'), 'RFC 3987 8'))
  }
  return found
}

/** Latin beside Cyrillic or Greek within one label: letters that look alike. */
function mixesScripts({ host }: Locator): boolean {
  if (host === null || /^[\0-\x7F]*$/.test(host)) return false
  return host
    .split('.')
    .some((label) => /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label))
}

function unsafeCharacter(span: Span): Finding {
  return finding(
    'unsafe-character',
    'Characters that may not stand in a URL were encoded for you.',
    span,
    'RFC 1738 2.2',
  )
}

function schemeFindings({ scheme, text }: FindingSource): Finding[] {
  const span: Span = [0, text.indexOf(':')]
  const found: Finding[] = []
  if (scheme.handoff) {
    const message = 'The URL names an interactive service; there is no data object to retrieve.'
    found.push(finding('no-data-object', message, span, scheme.spec))
  }
  if (scheme.deprecated) found.push(finding('deprecated-scheme', scheme.deprecated, span, scheme.spec))
  return found
}
