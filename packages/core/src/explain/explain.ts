import type { Advice } from '../advice.ts'
import { askedElsewhere, nothingAsked } from '../asked.ts'
import { RetrievalError } from '../errors.ts'
import type { Finding } from '../finding.ts'
import type { Plan } from '../plan.ts'
import { printable } from '../printable.ts'
import { type Resolution, resolveBy } from '../resolve.ts'
import type { FindingOptions } from '../scheme.ts'
import { maskBy } from '../secrets/mask-resolution.ts'
import { redact, redactUrl } from '../secrets/redact.ts'
import type { Locator } from '../url/locator.ts'

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

/** Does what explain() does, with the schemes that `find` knows. */
export function explainBy(url: string, options: FindingOptions): Explanation {
  try {
    return explainResolutionBy(resolveBy(url, options), options)
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

/** Does what explainResolution() does, with the schemes that `find` knows. */
export function explainResolutionBy(resolution: Resolution, options: FindingOptions): Explained {
  const explained = describe(maskBy(resolution, options))
  if (resolution.gateway === undefined) return explained
  const { gateways: _gateways, base: _base, asked = nothingAsked, ...others } = options
  return { ...explained, gateway: explainBy(resolution.gateway, { ...others, asked: askedElsewhere(asked) }) }
}

/** Names the host that a browser would contact for a URL that we refuse; "" if the browser refuses it as well. */
function otherReading(url: string, { whatwgHost }: FindingOptions): string {
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
