import { RetrievalError } from '../errors.ts'
import { type Resolution, resolveBy } from '../resolve.ts'
import type { FindingOptions } from '../scheme.ts'
import { redact, redactUrl } from './redact.ts'

/** Fields that hold a word of a closed list. They hold no secret, so they are shown unchanged. */
const plain = new Set(['scheme', 'mechanism', 'tls', 'transport', 'select', 'scope', 'operation', 'typecode'])

/**
 * Does what maskResolution() does, with the schemes that `find` knows: only this function masks a plan. It
 * also resolves the URL without its secrets, and shows a string only if both resolutions have it, so that no part or
 * decoded form of a secret appears. Structure and numbers are those of the URL as given. `options` must be those of the
 * resolution.
 */
export function maskBy(resolution: Resolution, options: FindingOptions): Resolution {
  const url = redactUrl(resolution.url)
  const { password } = resolution.locator
  const mask = masker(password !== null && password !== '')
  const other = url === resolution.url ? resolution : resolveMasked(url, options)
  return {
    ...resolution,
    url,
    locator: mask(resolution.locator, other?.locator ?? {}),
    plan: mask(resolution.plan, other?.plan ?? {}),
    ...(resolution.gateway !== undefined && { gateway: redactUrl(resolution.gateway) }),
    findings: resolution.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
  }
}

/**
 * Returns a function that masks the strings of a record; `others` is the same record of the URL without its secrets.
 */
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

/** Whether `shown` is `text` with `***` in it. If not, two unrelated strings stand in the same field. */
function fits(text: string, shown: string): boolean {
  const [first = '', ...rest] = shown.split('***')
  return rest.length === 0 ? text === shown : text.startsWith(first) && text.endsWith(rest.at(-1) ?? '')
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * The resolution of the masked URL; undefined if a secret contained delimiters, so that the masked text is no URL of
 * the scheme.
 */
function resolveMasked(url: string, { base: _, ...options }: FindingOptions): Resolution | undefined {
  try {
    return resolveBy(url, options)
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}
