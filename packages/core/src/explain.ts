import { type Advice, adviceText } from './advice.ts'
import { askedElsewhere, nothingAsked } from './asked.ts'
import { RetrievalError } from './errors.ts'
import type { Finding, Severity } from './finding.ts'
import type { Plan } from './plan.ts'
import { printable } from './printable.ts'
import { findScheme, type Resolution, resolve } from './resolve.ts'
import type { ResolveOptions, Scheme } from './scheme.ts'
import { maskResolution } from './secrets/mask-resolution.ts'
import { redact, redactUrl } from './secrets/redact.ts'
import { bracketed } from './url/host.ts'
import { formatLocator, type Locator } from './url/locator.ts'
import { octetsToShow } from './url/percent.ts'

/** The documented record of one URL, which `explain --json` prints on one line. Secrets are `***`. */
export type Explanation = Explained | Unexplained

export interface Explained {
  readonly url: string
  readonly scheme: string
  readonly mechanism: string
  /** An absent component is null, an empty one "". `port` is the effective one; it is null if the scheme has none. */
  readonly locator: Omit<Locator, 'scheme'>
  /** The parameters in segments of the path (RFC 3986 3.3), not decoded; this member is absent if there is none. */
  readonly parameters?: readonly PathParameter[]
  /** `mechanism`, `host`, `port`, `tls`, the fields of the mechanism, `wire`, `unknown`. */
  readonly plan: Readonly<Record<string, unknown>> & Pick<Plan<string>, 'wire' | 'unknown'>
  /** The findings, whose messages contain the remedies. */
  readonly findings: ReadonlyArray<Omit<Finding, 'remedy'>>
  /** The explanation of the gateway's URL, which is retrieved instead. */
  readonly gateway?: Explanation
  /** The URL of the proxy that is used, without its login. */
  readonly proxy?: string
  /**
   * The place to which the client connects instead of the URL's host and port: `HOST:PORT`, or the path of a socket.
   */
  readonly place?: string
  /** Why the caller's policy forbids the request; absent if it does not, or if no policy was asked. */
  readonly refused?: Refusal
}

/** `;name=value` in a segment of the path; the value is null if there is no `=`. */
export interface PathParameter {
  /** The segment without its parameters. */
  readonly segment: string
  readonly name: string
  readonly value: string | null
}

export interface Refusal {
  readonly code: string
  /** A sentence that says why the policy refuses, and how to allow it, if that is possible. */
  readonly message: string
  /** The option that the message names, if it names one. */
  readonly advice?: Advice
}

export interface Unexplained {
  readonly url: string
  readonly error: {
    readonly code: string
    readonly message: string
    /** The [start, end) in the URL as given, or null if no part of it caused the error. */
    readonly span: readonly [number, number] | null
    /** The option that the message names, if it names one. */
    readonly advice?: Advice
  }
}

/** Explains a URL without touching the network. A bad URL never throws: its explanation is the error. */
export function explain(url: string, options: ResolveOptions = {}): Explanation {
  try {
    return explainResolution(resolve(url, options), options)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const { code, message, span, advice, url: shown } = error
    const whole = `${message}${otherReading(url, options)}`
    return {
      url: (code === 'unknown-scheme' && shown) || redactUrl(url),
      error: { code, message: whole, span: span ?? null, ...(advice && { advice }) },
    }
  }
}

/** Explains a URL that has been resolved with the same options. */
export function explainResolution(resolution: Resolution, options: ResolveOptions = {}): Explained {
  const explained = describe(maskResolution(resolution, options))
  if (resolution.gateway === undefined) return explained
  const { gateways: _gateways, base: _base, asked = nothingAsked, ...others } = options
  return { ...explained, gateway: explain(resolution.gateway, { ...others, asked: askedElsewhere(asked) }) }
}

/** Names the host that a browser would contact for a URL that we refuse; "" if the browser refuses it as well. */
function otherReading(url: string, { whatwgHost }: ResolveOptions): string {
  const host = whatwgHost?.(url)
  return host ? ` The WHATWG parser, which browsers use, would contact ${printable(redact(host))}.` : ''
}

function describe({ url, locator, scheme, plan, findings }: Resolution): Explained {
  const { user, password, host, urlPath, query, fragment } = locator
  const parameters = scheme.dotSegments ? parametersOf(urlPath ?? '') : []
  return {
    url,
    scheme: scheme.name,
    mechanism: plan.mechanism,
    locator: { user, password, host, port: locator.port ?? scheme.defaultPort, urlPath, query, fragment },
    ...(parameters.length > 0 && { parameters }),
    plan: planFields(plan),
    findings: findings.map(({ code, severity, message, remedy, span, rule, advice }) => {
      return { code, severity, message: `${message} ${remedy}`, span, rule, ...(advice && { advice }) }
    }),
  }
}

function parametersOf(urlPath: string): PathParameter[] {
  return urlPath.split('/').flatMap((text) => {
    const [segment = '', ...others] = text.split(';')
    return others.map((parameter) => {
      const [, name = '', value = null] = /^([^=]*)(?:=(.*))?$/s.exec(parameter) ?? []
      return { segment, name, value }
    })
  })
}

function planFields({ wire, unknown, ...fields }: Resolution['plan']): Explained['plan'] {
  const shown: Record<string, unknown> & Pick<Plan<string>, 'wire'> = { ...fields, wire, ...(unknown && { unknown }) }
  // The data may be megabytes, and the URL already shows it.
  if (fields.mechanism === 'data') delete shown.octets
  return shown
}

/** One line of an explanation for people, safe for a terminal. */
export interface ExplanationLine {
  /** The text in the columns before `text`, such as `  goes to  ` or `REFUSED: `; "" before the URL. */
  readonly head: string
  readonly text: string
  /** The severity of a finding; null if the line is no finding. */
  readonly severity: Severity | null
  /** The option that the text names, if it names one. */
  readonly advice?: Advice
}

/** The explanation as text for people: the meaning, the destination, exactly what is sent, and the findings. */
export function formatExplanation(explanation: Explanation, schemes?: readonly Scheme[]): string {
  return explanationLines(explanation, schemes)
    .map(({ head, text }) => `${head}${text}\n`)
    .join('')
}

/** The lines of formatExplanation, for callers that lay them out themselves. */
export function explanationLines(explanation: Explanation, schemes?: readonly Scheme[]): ExplanationLine[] {
  const url = lineOf('', explanation.url)
  if ('error' in explanation) return [url, lineOf('  ', explanation.error.message)]
  const { scheme, plan, findings, gateway, refused } = explanation
  const known = findScheme(scheme, schemes)
  return [
    ...(refused === undefined ? [] : [refusalLine(refused)]),
    url,
    ...section('written', escapedForm(explanation, known)),
    ...section('is', known === undefined ? unknownTo(gateway) : [`${known.title} (${known.spec})`]),
    ...section('means', fieldList({ ...plan, ...apart(explanation, known) })),
    ...(gateway === undefined ? contact(explanation, known) : through(gateway, schemes)),
    ...[...findings, ...(gateway !== undefined && 'findings' in gateway ? gateway.findings : [])].map(
      ({ severity, message, code, rule }) =>
        lineOf(sectionHead(severity, 0), `${message} [${code}, ${rule}]`, severity),
    ),
  ]
}

function unknownTo(gateway: Explanation | undefined): string[] {
  return gateway === undefined ? [] : ['A scheme that its gateway knows (RFC 1738 4)']
}

function contact({ plan, proxy, place }: Explained, known: Scheme | undefined): ExplanationLine[] {
  if (known?.partOf !== undefined) return needsBase(known.partOf)
  const { wire } = plan
  return [
    ...section('proxy', proxy === undefined ? [] : [proxy]),
    ...section('goes to', destination(plan)),
    ...section('at', place === undefined ? [] : [place]),
    ...section('sends', wire.map(quoteWire)),
    ...section('reads', known?.reading?.(wire) ?? []),
    ...section(
      'unknown',
      Object.entries(plan.unknown ?? {}).map(([part, why]) => `${part}: ${why}`),
    ),
  ]
}

function refusalLine({ message, advice }: Refusal): ExplanationLine {
  return { ...lineOf('REFUSED: ', message, 'danger'), ...(advice && { advice }) }
}

const base: Advice = { option: 'base' }
/** The line that asks for a base: a cid or mid URL, for example, does not say where its message is (RFC 2392 2). */
function needsBase(whole: string): ExplanationLine[] {
  return section('needs', [`${whole}, by ${adviceText(base)}`]).map((line) => ({ ...line, advice: base }))
}

/** The line with the gateway's URL, and the lines of what is sent to it. */
function through(gateway: Explanation, schemes: readonly Scheme[] | undefined): ExplanationLine[] {
  return [
    ...section('through', [gateway.url]),
    ...('error' in gateway
      ? [lineOf('  ', gateway.error.message)]
      : contact(gateway, findScheme(gateway.scheme, schemes))),
  ]
}

/** Makes a line safe: its text contains decoded parts of the URL, which must not control a terminal. */
function lineOf(head: string, text: string, severity: Severity | null = null): ExplanationLine {
  return { head, text: printable(text), severity }
}

function section(title: string, items: readonly string[]): ExplanationLine[] {
  return items.map((item, index) => lineOf(sectionHead(title, index), item))
}

function sectionHead(title: string, index: number): string {
  return `  ${(index === 0 ? title : '').padEnd(7)}  `
}

/** The escaped form of a URL that was given in another form; uri(7) wants a URI to be always shown escaped. */
function escapedForm({ url, scheme, locator, plan }: Explained, known: Scheme | undefined): string[] {
  if (/^[!#-;=?-Z_a-z~[\]*]*$/.test(url)) return []
  const isNamed = locator.host !== null && typeof plan.host === 'string' && plan.host !== ''
  const host = isNamed ? bracketed(String(plan.host)) : locator.host
  const port = locator.port === known?.defaultPort ? null : locator.port
  return [formatLocator({ ...locator, scheme, host, port })]
}

const shownElsewhere = new Set(['mechanism', 'host', 'port', 'tls', 'transport', 'docid', 'wire', 'unknown'])

function fieldList(plan: Explained['plan']): readonly string[] {
  // No other line shows the host and port of a gateway's scheme.
  const isHidden = (name: string): boolean =>
    shownElsewhere.has(name) &&
    !(plan.mechanism === 'gateway' && (name === 'host' || (name === 'port' && plan.port !== 0)))
  const fields = Object.entries(plan).filter(([name, value]) => !isHidden(name) && isThere(value))
  const shown = (value: unknown): string =>
    JSON.stringify(value, (_name, part: unknown) => (typeof part === 'string' ? octetsToShow(part) : part))
  return fields.length === 0 ? [] : [fields.map(([name, value]) => `${name} ${shown(value)}`).join(', ')]
}

/** The parts of a URL that are in no plan: the fragment, which is never sent, and parameters (RFC 3986 3.3). */
function apart({ locator, parameters = [] }: Explained, scheme: Scheme | undefined): Record<string, unknown> {
  return {
    parameters: parameters.map(({ name, value }) => (value === null ? name : `${name}=${value}`)),
    // An info URL has the node in its fragment, and the plan shows the node.
    fragment: scheme?.host === 'none' ? null : locator.fragment,
  }
}

/** Whether a value is shown: null and an empty list are not. */
function isThere(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0)
}

function destination({ host, port, tls, transport }: Explained['plan']): string[] {
  if (typeof host !== 'string' || host === '' || typeof port !== 'number') return []
  const secured = tls === 'implicit' ? ', TLS from the first octet' : tls === 'explicit' ? ', TLS by command' : ''
  return [`${bracketed(host)}, ${transport === 'udp' ? 'UDP' : 'TCP'} port ${port}${secured}`]
}

/** One message as it is sent, with its control characters visible. */
export function quoteWire(message: string): string {
  return message.replace(/[\0-\x1F\x7F-\xFF\\]/g, (octet) => wireEscapes[octet] ?? `\\x${hex(octet)}`)
}

const wireEscapes: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t', '\\': '\\\\' }

function hex(octet: string): string {
  return octet.charCodeAt(0).toString(16).padStart(2, '0')
}
