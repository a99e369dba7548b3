import {
  type Advice,
  adviceText,
  type ErrorDetails,
  type FindingCode,
  findingCodes,
  isInward,
  type Resolution,
  RetrievalError,
} from '@retriever/core'
import { invalidOption } from '../plugin/limits.ts'
import type { ProxyServer } from '../plugin/network.ts'
import { checkOptions, flag, list, type OptionKind, ports } from '../plugin/options.ts'

/** The rules for refusing URLs, and the exceptions that the caller allows. */
export interface Policy {
  /** Findings of severity `danger` to allow; `encoded-delimiter` cannot be allowed. */
  readonly allow: readonly FindingCode[]
  /** Ports to allow although they belong to another protocol. */
  readonly allowPorts: readonly number[]
  /** True: follow redirects from https to http. */
  readonly allowDowngrade: boolean
  /** True: follow redirects from elsewhere to this machine. */
  readonly allowInward: boolean
  /**
   * True: connect to public addresses only, by IANA's registries, for servers that retrieve for others. Files are
   * refused, and so are proxies, whose targets cannot be checked.
   */
  readonly publicOnly: boolean
}

/** The options that refusals name, including those of addresses. */
export const publicOnly: Advice = { option: 'policy.publicOnly' }
export const allowInward: Advice = { option: 'policy.allowInward' }

const defaultPolicy: Policy = {
  allow: [],
  allowPorts: [],
  allowDowngrade: false,
  allowInward: false,
  publicOnly: false,
}

const policyKinds: Readonly<Record<keyof Policy, OptionKind>> = {
  allow: list,
  allowPorts: ports,
  allowDowngrade: flag,
  allowInward: flag,
  publicOnly: flag,
}

export function readPolicy(changes: Partial<Policy> = {}): Policy {
  checkOptions(changes, policyKinds, 'policy.')
  for (const code of changes.allow ?? []) {
    if (!Object.hasOwn(findingCodes, code) || code === 'encoded-delimiter') {
      throw invalidOption('policy.allow', 'a list of finding codes other than encoded-delimiter', code)
    }
  }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...defaultPolicy, ...Object.fromEntries(given) }
}

/** Throws `refused`, before any connection, for the first danger that the policy does not allow. */
export function enforce(policy: Policy, { url, findings, plan }: Resolution): void {
  if (policy.publicOnly && plan.mechanism === 'file') {
    const what = `A file of this machine is not public, and ${adviceText(publicOnly)} allows nothing else.`
    throw refusal(url, what, { advice: publicOnly })
  }
  const danger = findings.find(({ code, severity }) => {
    if (severity !== 'danger' || policy.allow.includes(code)) return false
    return !(code === 'foreign-port' && 'port' in plan && policy.allowPorts.includes(plan.port))
  })
  if (danger === undefined) return
  const { code, message, span } = danger
  if (code === 'encoded-delimiter') throw refusal(url, `${message} This cannot be allowed.`, { span })
  const advice: Advice =
    code === 'foreign-port' && 'port' in plan
      ? { option: 'policy.allowPorts', value: plan.port }
      : { option: 'policy.allow', value: code }
  throw refusal(url, `${message} If you mean it, allow it by ${adviceText(advice)}.`, { span, advice })
}

/** Throws `refused` for a proxy under publicOnly, because the addresses that it connects to cannot be checked. */
export function enforceDirect(policy: Policy, { url }: Resolution, proxy: ProxyServer | null): void {
  if (!policy.publicOnly || proxy === null) return
  const rule = `${adviceText(publicOnly)} cannot check the addresses behind it`
  throw refusal(url, `The URL would be retrieved through the proxy ${proxy.url}, and ${rule}. Use one of the two.`, {
    advice: publicOnly,
  })
}

/**
 * Enforces the rules for redirects (security.md section 2): http(s) only, never from https to http, never from
 * elsewhere to this machine. Addresses enforces the last rule for names. A URL that the caller gives may do more than a
 * redirect.
 */
export function enforceRedirect(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean): void {
  const target = `The redirect of ${hostOf(from)} to ${to.scheme.name}://${hostOf(to)}`
  if (from.scheme.mechanism !== 'http' || to.scheme.mechanism !== 'http') {
    throw refusal(
      from.url,
      `${target} was not followed: only http and https may be redirected to. Retrieve it directly if you trust it.`,
    )
  }
  if (from.scheme.tls === 'implicit' && to.scheme.tls === 'none' && !policy.allowDowngrade) {
    const advice = { option: 'policy.allowDowngrade' } as const
    throw refusal(from.url, `${target} was not followed: it would leave TLS. ${adviceText(advice)} follows it.`, {
      advice,
    })
  }
  if (!isFromInside && isInward(hostOf(to)) && !policy.allowInward) {
    throw refusal(from.url, `${target} was not followed: it points inward. ${adviceText(allowInward)} follows it.`, {
      advice: allowInward,
    })
  }
}

export function hostOf({ plan }: Resolution): string {
  return 'host' in plan ? (plan.host ?? '') : ''
}

function refusal(url: string, message: string, details: Pick<ErrorDetails, 'span' | 'advice'> = {}): RetrievalError {
  return new RetrievalError('refused', `Refused: ${message}`, { phase: 'policy', url, ...details })
}
