import { RetrievalError } from '../errors.ts'
import { type Resolution, resolve } from '../resolve.ts'
import type { ResolveOptions } from '../scheme.ts'
import { redact, redactUrl } from './redact.ts'

/** Fields that hold words of a closed list: no secrets, and shown as they are. */
const plain = new Set(['scheme', 'mechanism', 'tls', 'transport', 'select', 'scope', 'operation', 'typecode'])

/**
 * The resolution without its secrets: the one place that masks a plan, for explain() and for the events of a client.
 * The URL without its secrets is resolved too, and only what both resolutions agree on is shown: so nothing that was
 * split off from a secret, decoded out of it, or made of it can show it. Structure and numbers are those of the URL as
 * given. `options` are those that the resolution was made with.
 */
export function maskResolution(resolution: Resolution, options: ResolveOptions = {}): Resolution {
  const url = redactUrl(resolution.url)
  const { password } = resolution.locator
  const mask = masker(password !== null && password !== '')
  const other = url === resolution.url ? resolution : resolveMasked(url, options)
  return {
    ...resolution,
    url,
    locator: mask(resolution.locator, other?.locator ?? {}),
    plan: mask(resolution.plan, other?.plan ?? {}),
    findings: resolution.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
  }
}

/** Masks the strings of a record; `others` is the same record of the URL without its secrets. */
function masker(hasPassword: boolean): <T extends object>(fields: T, others: object) => T {
  const maskFields = <T extends object>(fields: T, others: object): T => {
    const counterparts: Readonly<Record<string, unknown>> = { ...others }
    const masked = Object.entries(fields).map(([name, value]) => [name, mask(value, counterparts[name], name)])
    return Object.fromEntries(masked)
  }
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
    return isRecord(value) ? maskFields(value, isRecord(other) ? other : {}) : value
  }
  return maskFields
}

/**
 * Whether a text is what the other one shows with `***` in it. Else its counterpart only happens to stand in the same
 * place.
 */
function fits(text: string, shown: string): boolean {
  const [first = '', ...rest] = shown.split('***')
  return rest.length === 0 ? text === shown : text.startsWith(first) && text.endsWith(rest.at(-1) ?? '')
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Undefined where a secret with delimiters in it has left something that is no URL of the scheme. */
function resolveMasked(url: string, { base: _, ...options }: ResolveOptions): Resolution | undefined {
  try {
    return resolve(url, options)
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}
