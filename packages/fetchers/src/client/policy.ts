import { type FindingCode, findingCodes, isInward, type Resolution, RetrievalError } from '@retriever/core'
import { invalidOption } from '../plugin/limits.ts'
import type { ProxyServer } from '../plugin/network.ts'
import { checkOptions, flag, list, type OptionKind, ports } from '../plugin/options.ts'

/** What is refused, and what the caller takes upon himself. */
export interface Policy {
  /** Findings of severity `danger` to let pass; `encoded-delimiter` cannot be allowed. */
  readonly allow: readonly FindingCode[]
  /** Ports to let pass although they belong to another protocol. */
  readonly allowPorts: readonly number[]
  /** Follow a redirect from https to http. */
  readonly allowDowngrade: boolean
  /** Follow a redirect from elsewhere to this machine. */
  readonly allowInward: boolean
  /**
   * Connect to public addresses alone, by IANA's registries, for servers that retrieve for others. Files and proxies,
   * which nothing is known of, are refused.
   */
  readonly publicOnly: boolean
}

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

/** Throws `refused`, before anything is contacted, for the first danger that the policy does not allow. */
export function enforce(policy: Policy, { url, findings, plan }: Resolution): void {
  if (policy.publicOnly && plan.mechanism === 'file') {
    throw refusal(url, 'A file of this machine is nothing public, and policy.publicOnly allows nothing else.')
  }
  const danger = findings.find(({ code, severity }) => {
    if (severity !== 'danger' || policy.allow.includes(code)) return false
    return !(code === 'foreign-port' && 'port' in plan && policy.allowPorts.includes(plan.port))
  })
  if (danger === undefined) return
  const way =
    danger.code === 'encoded-delimiter'
      ? 'This cannot be allowed.'
      : danger.code === 'foreign-port' && 'port' in plan
        ? `If you mean it, allow it by --allow-port ${plan.port}.`
        : `If you mean it, allow it by --allow ${danger.code}.`
  throw refusal(url, `${danger.message} ${way}`, danger.span)
}

/** Throws `refused` where a proxy would go to addresses that nobody here sees. */
export function enforceDirect(policy: Policy, { url }: Resolution, proxy: ProxyServer | null): void {
  if (!policy.publicOnly || proxy === null) return
  const message = `It would go through the proxy ${proxy.url}, and policy.publicOnly cannot see where that goes.`
  throw refusal(url, `${message} Use one of the two.`)
}

/**
 * The rules for what a server points to (security.md section 2): http(s) only, never from https to http, never from elsewhere to
 * this machine, where names are a matter of Addresses. A typed URL may do more than a redirect.
 */
export function enforceRedirect(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean): void {
  const target = `The redirect of ${hostOf(from)} to ${to.scheme.name}://${hostOf(to)}`
  if (from.scheme.mechanism !== 'http' || to.scheme.mechanism !== 'http') {
    throw refusal(
      from.url,
      `${target} was not followed: only http and https may be redirected to. Ask for it yourself if you trust it.`,
    )
  }
  if (from.scheme.tls === 'implicit' && to.scheme.tls === 'none' && !policy.allowDowngrade) {
    throw refusal(from.url, `${target} was not followed: it would leave TLS. policy.allowDowngrade follows it.`)
  }
  if (!isFromInside && isInward(hostOf(to)) && !policy.allowInward) {
    throw refusal(from.url, `${target} was not followed: it points inward. policy.allowInward follows it.`)
  }
}

export function hostOf({ plan }: Resolution): string {
  return 'host' in plan ? (plan.host ?? '') : ''
}

function refusal(url: string, message: string, span?: readonly [number, number]): RetrievalError {
  return new RetrievalError('refused', `Refused: ${message}`, { phase: 'policy', url, ...(span && { span }) })
}
