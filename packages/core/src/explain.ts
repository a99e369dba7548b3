import { RetrievalError } from './errors.ts'
import type { Finding } from './findings.ts'
import { printable } from './printable.ts'
import { redact, redactUrl } from './redact.ts'
import { type Resolution, type ResolveOptions, resolve } from './resolve.ts'

/** The documented record of one URL: what `explain --json` prints, one a line. Secrets are `***`. */
export type Explanation = Explained | Unexplained

export interface Explained {
  readonly url: string
  readonly scheme: string
  readonly mechanism: string
  /** Null is absent, "" is empty; `port` is the effective one, null where the scheme has none. */
  readonly locator: {
    readonly user: string | null
    readonly password: string | null
    readonly host: string | null
    readonly port: number | null
    readonly urlPath: string | null
    readonly query: string | null
    readonly fragment: string | null
  }
  /** `mechanism`, `host`, `port`, `tls`, the fields of the mechanism, `wire`. */
  readonly plan: Readonly<Record<string, unknown>>
  readonly findings: readonly Finding[]
}

export interface Unexplained {
  readonly url: string
  readonly error: {
    readonly code: string
    readonly message: string
    /** [start, end) in the URL as given, or null where no part of it is to blame. */
    readonly span: readonly [number, number] | null
  }
}

/** Explains a URL without touching the network. Never throws for a bad URL: the error is the explanation. */
export function explain(url: string, options: ResolveOptions = {}): Explanation {
  try {
    return describe(resolve(url, options))
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const { code, message, span } = error
    return { url: redactUrl(url), error: { code, message, span: span ?? null } }
  }
}

function describe({ url, locator, scheme, plan, findings }: Resolution): Explained {
  const { user, host, urlPath, fragment } = locator
  return {
    url: redact(url),
    scheme: scheme.name,
    mechanism: scheme.mechanism,
    locator: {
      user,
      password: masked(locator.password),
      host,
      port: locator.port ?? scheme.defaultPort,
      urlPath,
      query: locator.query === null ? null : redact(`?${locator.query}`).slice(1),
      fragment,
    },
    plan: describePlan(plan),
    findings,
  }
}

function describePlan(plan: Resolution['plan']): Record<string, unknown> {
  const { wire, ...fields } = plan
  const described: Record<string, unknown> = { ...fields, wire: wire.map(redact) }
  if ('password' in plan) described.password = masked(plan.password)
  if ('target' in plan) described.target = redact(plan.target)
  return described
}

/** An empty password is no secret, and differs from none. */
function masked(password: string | null): string | null {
  return password === null || password === '' ? password : '***'
}

/** The explanation as text for people: what it is, where it goes, exactly what is sent, what to know. */
export function formatExplanation(explanation: Explanation): string {
  if ('error' in explanation) return `${printable(explanation.url)}\n  ${printable(explanation.error.message)}\n`
  const { url, scheme, plan, findings } = explanation
  const lines = [
    url,
    `  means    ${scheme}: ${fieldList(plan)}`,
    ...destination(plan),
    ...section('sends', (plan.wire as string[]).map(quoteWire)),
    ...section(
      'know',
      findings.map((finding) => `${finding.severity}: ${finding.message} [${finding.code}, ${finding.rule}]`),
    ),
  ]
  // What the URL decodes to stands in here: nothing of it may drive a terminal.
  return `${lines.map(printable).join('\n')}\n`
}

const shownElsewhere = new Set(['mechanism', 'host', 'port', 'tls', 'wire'])

function fieldList(plan: Explained['plan']): string {
  const fields = Object.entries(plan).filter(([name, value]) => !shownElsewhere.has(name) && value !== null)
  return fields.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ') || 'the service itself'
}

function destination({ host, port, tls }: Explained['plan']): string[] {
  if (typeof host !== 'string' || host === '' || typeof port !== 'number') return []
  const secured = tls === 'implicit' ? ', TLS from the first octet' : tls === 'explicit' ? ', TLS by command' : ''
  return [`  goes to  ${host.includes(':') ? `[${host}]` : host}, TCP port ${port}${secured}`]
}

function section(title: string, items: readonly string[]): string[] {
  return items.map((item, index) => `  ${(index === 0 ? title : '').padEnd(7)}  ${item}`)
}

/** One message as it goes over the wire, its control characters visible. */
export function quoteWire(message: string): string {
  return message.replace(/[\0-\x1F\x7F-\xFF\\]/g, (octet) => wireEscapes[octet] ?? `\\x${hex(octet)}`)
}

const wireEscapes: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t', '\\': '\\\\' }

function hex(octet: string): string {
  return octet.charCodeAt(0).toString(16).padStart(2, '0')
}
