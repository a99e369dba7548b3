import { RetrievalError } from '../errors.ts'
import type { Explained } from '../explain.ts'
import { redact, redactUrl } from './redact.ts'

/** Words of a closed list: no secrets, and told as they are. */
const plain = new Set(['mechanism', 'tls', 'transport', 'select', 'scope', 'operation', 'typecode'])

/**
 * The record without its secrets: the one place that masks it. What the URL means is told of the URL without its
 * secrets, so that nothing that was split off from a secret, decoded out of it, or made of it can show it. Structure
 * and numbers are those of the URL as given. `describe` makes the record of another URL.
 */
export function maskRecord(record: Explained, describe: (url: string) => Explained): Explained {
  const url = redactUrl(record.url)
  const hasPassword = record.locator.password !== null && record.locator.password !== ''
  const without = url === record.url ? record : attempt(() => describe(url))
  const mask = (value: unknown, other: unknown, name = ''): unknown => {
    if (typeof value === 'string') {
      if (plain.has(name) || value === '') return value
      if (name === 'host') return redact(value)
      if ((name === 'password' && hasPassword) || name === 'key') return '***'
      return typeof other === 'string' && fits(value, other) ? redact(other) : '***'
    }
    if (Array.isArray(value)) {
      const others = Array.isArray(other) && other.length === value.length ? other : []
      return value.map((item, index) => mask(item, others[index]))
    }
    return isRecord(value) ? maskFields(value, isRecord(other) ? other : {}, mask) : value
  }
  return {
    ...record,
    url,
    locator: maskFields(record.locator, without?.locator ?? {}, mask),
    plan: maskFields(record.plan, without?.plan ?? {}, mask),
    findings: record.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
  }
}

/**
 * Whether a text is what the other one shows with `***` in it. Else its counterpart only happens to stand in the same
 * place.
 */
function fits(text: string, shown: string): boolean {
  const [first = '', ...rest] = shown.split('***')
  return rest.length === 0 ? text === shown : text.startsWith(first) && text.endsWith(rest.at(-1) ?? '')
}

type Mask = (value: unknown, other: unknown, name: string) => unknown

function maskFields<T extends object>(fields: T, others: object, mask: Mask): T {
  const counterparts: Readonly<Record<string, unknown>> = { ...others }
  const masked = Object.entries(fields).map(([name, value]) => [name, mask(value, counterparts[name], name)])
  return Object.fromEntries(masked)
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A secret with delimiters in it may leave something that is no URL of the scheme. */
function attempt(run: () => Explained): Explained | undefined {
  try {
    return run()
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}
