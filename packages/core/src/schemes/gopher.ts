import type { Asked } from '../asked.ts'
import { type Finding, findDelimiters, finding } from '../finding.ts'
import type { AccessPlan, GopherPlan, TlsMode } from '../plan.ts'
import { type Inspection, type Place, type PortRules, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'
import { telnet } from './telnet.ts'
import { tn3270 } from './tn3270.ts'

/** RFC 4266 (RFC 1738 3.4): `gopher://host:port/<gophertype><selector>%09<search>%09<gopher+_string>`. */
export const gopher: Scheme = {
  name: 'gopher',
  title: 'The Gopher Protocol, with Gopher+',
  spec: 'RFC 4266',
  mechanism: 'gopher',
  defaultPort: 70,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  // gopherDelimiters() checks the path by its own rules.
  lineParts: [],
  sendsFirst: true,
  resolve: (locator, place) => gopherPlan(locator, place, 'none'),
  portRules: (plan) => services[typeOf(plan)]?.ports,
  inspect: (inspection) => [...gopherDelimiters(inspection), ...sessionFindings(inspection)],
}

interface Service {
  /** The name of the service for people. */
  readonly name: string
  readonly ports: PortRules & { readonly defaultPort: number }
}

/**
 * Item types that name another service at the item's host and port (RFC 1436 3.8): a phone book of the CCSO Nameserver,
 * which answers queries (RFC 2378), and two kinds of terminal session, which get nothing of the URL.
 */
const services: Readonly<Record<string, Service>> = {
  '2': { name: 'ph', ports: { name: 'ph', defaultPort: 105, sendsFirst: true } },
  '8': { name: 'telnet', ports: { ...telnet, defaultPort: 23 } },
  T: { name: 'tn3270', ports: { ...tn3270, defaultPort: 23 } },
}

/** Gopher with TLS from the first octet. This is a convention, and it uses the port of gopher. */
export const gophers: Scheme = /* @__PURE__ */ variant(gopher, {
  name: 'gophers',
  title: 'The Gopher Protocol over TLS',
  tls: 'implicit',
  resolve: (locator, place) => gopherPlan(locator, place, 'implicit'),
})

function gopherPlan(locator: Locator, place: Place, tls: TlsMode): GopherPlan {
  const path = decodeOctets(locator.urlPath ?? '')
  const [selector, search, gopherPlus] = splitAtTabs(path.slice(1))
  if (gopherPlus !== null && !/^[+!$?]/.test(gopherPlus)) {
    place.fail('the Gopher+ part, after the second %09, must begin with +, !, $ or ?', 'urlPath')
  }
  const gophertype = path[0] ?? '1'
  const item = { gophertype, selector, search, gopherPlus }
  // The URL gives the default port of gopher, but the service has its own.
  const port = place.port === 70 ? (services[gophertype]?.ports.defaultPort ?? 70) : place.port
  return {
    mechanism: 'gopher',
    host: place.host,
    port,
    tls,
    ...item,
    ...sentFor(item, place.asked),
  }
}

type Item = Pick<GopherPlan, 'gophertype' | 'selector' | 'search' | 'gopherPlus'>

function sentFor(item: Item, asked: Asked): Pick<GopherPlan, 'wire' | 'unknown'> {
  const { gophertype, selector, search, gopherPlus } = item
  if (gophertype === '8' || gophertype === 'T') return { wire: [] }
  // Without a query, the client asks for the status of the phone book.
  if (gophertype === '2') return { wire: [search ? `query ${search}\r\n` : 'status\r\n'] }
  if (!asksGopherForm(item, asked) && !asksGopherView(item, asked)) {
    return { wire: [gopherRequest(gophertype, selector, search, gopherPlus)] }
  }
  return { wire: [gopherRequest(gophertype, selector, search, '!'), chosen], unknown }
}

const chosen = '<item>'
const unknown = {
  [chosen]: 'the request for the item, in the view or with the form that the answer has; as it is without Gopher+',
}

/**
 * Whether the client fetches the item's form: `?` asks for it (RFC 4266 2.5). Answers from the caller ask for it, too,
 * unless the URL names attributes or form data.
 */
export function asksGopherForm({ gopherPlus }: Item, { form }: { readonly form?: unknown }): boolean {
  if (gopherPlus?.startsWith('?')) return true
  return form !== undefined && (gopherPlus === null || /^\+[^\t]*$/.test(gopherPlus))
}

/** Whether the client must choose a view; false if the URL names one. */
export function asksGopherView(
  { gopherPlus }: Item,
  { accept, acceptLanguage }: Pick<Asked, 'accept' | 'acceptLanguage'>,
): boolean {
  if (accept === undefined && acceptLanguage === undefined) return false
  return gopherPlus === null || gopherPlus === '+' || gopherPlus.startsWith('?')
}

function typeOf(plan: AccessPlan): string {
  return plan.mechanism === 'gopher' ? plan.gophertype : ''
}

function sessionFindings({ plan, span }: Inspection): Finding[] {
  const type = typeOf(plan)
  if (type !== '8' && type !== 'T') return []
  const message = `The item is a session (${services[type]?.name}); there is no data object to retrieve.`
  return [finding('no-data-object', message, span('urlPath'), 'RFC 1436 3.8')]
}

/** Splits at the first two TABs only: the Gopher+ part has its own TAB before the data flag. */
function splitAtTabs(text: string): [selector: string, search: string | null, gopherPlus: string | null] {
  if (!text.includes('\t')) return [text, null, null]
  const [selector = '', search, ...rest] = text.split('\t')
  const gopherPlus = rest.join('\t')
  return [selector, search ?? null, gopherPlus === '' ? null : gopherPlus]
}

/**
 * The request line, with its CRLF. Only a search sends an empty search field: `sel TAB +` is the example of RFC 1738
 * 3.4.9, and servers understand it, though the text of 3.4.3 asks for `sel TAB TAB +`.
 */
export function gopherRequest(
  type: string,
  selector: string,
  search: string | null,
  gopherPlus: string | null,
): string {
  if (gopherPlus === null) return line(search === null ? selector : `${selector}\t${search}`)
  // `?` is not sent. It means that the item asks questions, so the client first fetches the attributes with the +ASK
  // block.
  const plus = gopherPlus.startsWith('?') ? '!' : gopherPlus
  return line(type === '7' || search ? `${selector}\t${search ?? ''}\t${plus}` : `${selector}\t${plus}`)
}

/** Ends a line with CRLF, unless it ends so already, as Gopher+ form data does. */
function line(text: string): string {
  return text.endsWith('\r\n') ? text : `${text}\r\n`
}

/**
 * Findings for delimiters. TAB is allowed twice; CR and LF only inside Gopher+ form data, which follows the data flag
 * `TAB 1 CRLF` (Gopher+ 2.7); NUL nowhere. Any other would begin a second request.
 */
function gopherDelimiters({ locator, written, span }: Inspection): Finding[] {
  if (!locator.urlPath?.includes('%0')) return []
  const path = written('urlPath')
  const [start] = span('urlPath')
  const tabs = [...path.matchAll(/%09/g)].map((match) => match.index)
  const [, second = path.length] = tabs
  const selectors = path.slice(0, second)
  const plus = path.slice(second)
  const form = /^%09[^%]*(?:%(?!0[0AaDd9])[^%]*)*%091%0[Dd]%0[Aa]/.exec(plus)?.[0]
  const head = plus.slice(0, form === undefined ? undefined : 3)
  const data = form === undefined ? '' : plus.slice(form.length)
  return [
    ...findDelimiters(selectors, 'selector or search', start),
    ...findDelimiters(head.slice(3), 'Gopher+ part', start + second + 3, /(?:%0[09AaDd])+/g),
    ...findDelimiters(data, 'form data', start + path.length - data.length, /(?:%00)+/g),
  ]
}
