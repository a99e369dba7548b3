import {
  explain,
  formatExplanation,
  normalizeUrl,
  type Resolution,
  RetrievalError,
  redact,
  resolve,
} from '@retriever/core'
import { url, urlWithSecret } from './grammar.ts'
import { attempt, options, require, requireEqual, type Target, whatwgUrl } from './target.ts'

export const resolved: Target = {
  about:
    'properties 1 and 5: a URL gives a plan or a coded error; its host is that of the WHATWG parser, or a finding says that it is not',
  generate: (random) => [url(random)],
  check(text = '') {
    const result = attempt(() => resolve(text, options))
    if (result instanceof RetrievalError) {
      require(result.phase === 'resolve', `the phase is ${result.phase}`)
      requireSpan(result.span ?? [0, 0], text)
      return
    }
    for (const { span, severity, code } of result.findings) {
      requireSpan(span, text)
      require(span[1] > span[0] || text === '', `${code} (${severity}) has an empty span`)
    }
    requireLines(result)
    if (/^(?:https?|ftp):/i.test(text)) requireWhatwg(result, text)
  },
}

function requireSpan([start, end]: readonly [number, number], text: string): void {
  require(start >= 0 && end >= start && end <= text.length, `the span ${start} to ${end} is not within the URL`)
}

/** Mechanisms whose messages have no lines. */
const binary: ReadonlySet<string> = new Set(['tftp', 'wais', 'z3950', 'nfs', 'mqtt', 'ldap'])

/** Each message without a danger is one line. */
function requireLines({ plan, findings }: Resolution): void {
  if (findings.some(({ severity }) => severity === 'danger')) return
  // Gopher+ form data is a message of several lines by design.
  if (plan.mechanism === 'gopher' && plan.gopherPlus?.includes('\t1\r\n')) return
  if (binary.has(plan.mechanism)) return
  if (plan.mechanism === 'prospero') {
    const text = messagesOf(plan)
      .map((packet) => packet.slice(11))
      .join('')
    require(/^(?:[^\r\n\0]+\n){3}$/.test(text), `${JSON.stringify(text)} is not three lines`)
    return
  }
  const several = plan.mechanism === 'http' || plan.mechanism === 'rtsp' || plan.mechanism === 'ws'
  const whole = several ? /^(?:[^\r\n\0]+\r\n)+\r\n$/ : /^[^\r\n\0]*\r\n$/
  for (const message of messagesOf(plan)) require(whole.test(message), `${JSON.stringify(message)} is not one line`)
}

interface Sent {
  readonly wire: readonly string[]
  readonly unknown?: Readonly<Record<string, string>>
}

/** The messages of a plan, without what stands for those that are not known. */
function messagesOf({ wire, unknown = {} }: Sent): readonly string[] {
  return wire.filter((message) => !Object.hasOwn(unknown, message))
}

/** An oracle for the schemes that the WHATWG parser knows: it shares no code with ours. */
function requireWhatwg({ plan, findings }: Resolution, text: string): void {
  if (!('host' in plan) || !plan.host) return
  const other = whatwgUrl(text)
  const told = findings.some(({ code }) => code === 'parser-disagreement')
  const host = other?.hostname.replace(/^\[|\]$/g, '') ?? null
  if (host === null) require(told || plan.host.includes('%'), 'nothing says that the WHATWG parser refuses it')
  else require(told === (host !== plan.host), `the host is ${plan.host}, of the WHATWG parser ${host}; told: ${told}`)
  if (other === null || told || !('port' in plan)) return
  const usual: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ftp:': 21 }
  const port = other.port === '' ? usual[other.protocol] : Number(other.port)
  requireEqual(plan.port, port, 'the port is another one than that of the WHATWG parser')
}

export const explained: Target = {
  about: 'property 10: no secret is in a record; what it says would be sent is what is sent',
  isWhole: true,
  generate: (random) => {
    const { url: text, secret } = random.chance(70) ? urlWithSecret(random) : { url: url(random), secret: '' }
    return [text, secret]
  },
  check(text = '', secret = '') {
    const record = explain(text, options)
    const shown = JSON.stringify(record) + formatExplanation(record)
    if (secret !== '') {
      for (const form of [secret, 'PL%41NTED']) require(!shown.includes(form), `${form} is shown: ${shown}`)
    }
    const result = attempt(() => resolve(text, options))
    if (result instanceof RetrievalError) {
      require('error' in record, 'it is explained, but does not resolve')
      return
    }
    require(!('error' in record), 'it resolves, but is not explained')
    requireSaid(record.plan, { ...result.plan }, text)
  },
}

/** Every string of the plan is shown as it is, or with `***` in it. */
function requireSaid(shown: unknown, real: unknown, text: string): void {
  if (typeof real === 'string') {
    const mask = typeof shown === 'string' && shown.includes('***')
    require(shown === real || mask, `${JSON.stringify(shown)} is told of ${JSON.stringify(real)}`)
    if (mask && !real.includes('***') && redact(`${text}?`) === `${text}?` && !/[=%]/.test(text)) {
      throw new Error(`${JSON.stringify(real)} is hidden, and no secret`)
    }
  } else if (typeof real === 'object' && real !== null) {
    for (const [name, value] of Object.entries(real)) {
      if (name !== 'octets') requireSaid(Object.entries(shown ?? {}).find(([key]) => key === name)?.[1], value, text)
    }
  } else requireEqual(shown, real, 'a number')
}

export const normalized: Target = {
  about: 'what is normalised means the same, and is its own normal form',
  generate: (random) => [url(random)],
  check(text = '') {
    const before = attempt(() => resolve(text, options))
    const normal = attempt(() => normalizeUrl(text))
    if (normal instanceof RetrievalError) {
      require(before instanceof RetrievalError, 'it resolves, and cannot be normalised')
      return
    }
    requireEqual(normalizeUrl(normal), normal, 'it is not its own normal form')
    const after = attempt(() => resolve(normal, options))
    if (before instanceof RetrievalError || after instanceof RetrievalError) {
      const codes = [before, after].map((result) => (result instanceof RetrievalError ? result.code : 'none'))
      requireEqual(codes[1], codes[0], `${normal} is refused otherwise`)
      return
    }
    requireEqual(means(after), means(before), `${normal} means something else`)
  },
}

/**
 * Where a hierarchy is normalised (RFC 9110 4.2.3), the path is another one; URNs are the same in another case (RFC
 * 8141 3.1).
 */
function means({ plan, scheme }: Resolution): unknown {
  if (scheme.dotSegments) return { ...plan, target: '', wire: plan.wire.length }
  return plan.mechanism === 'urn' ? { ...plan, nss: plan.nss.replace(/%../g, (octet) => octet.toUpperCase()) } : plan
}
