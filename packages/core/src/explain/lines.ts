import { type Advice, adviceText } from '../advice.ts'
import { findScheme } from '../builtin.ts'
import type { Severity } from '../finding.ts'
import { printable } from '../printable.ts'
import type { Scheme } from '../scheme.ts'
import { bracketed } from '../url/host.ts'
import { formatLocator } from '../url/locator.ts'
import { octetsToShow } from '../url/percent.ts'
import type { Explained, Explanation, Refusal } from './explain.ts'

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
