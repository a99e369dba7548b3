import { isIP } from 'node:net'
import {
  type Advice,
  type FindingCode,
  findingCodes,
  type Mechanism,
  type Resolution,
  RetrievalError,
  type Scheme,
} from '@retriever/core'
import { adviceText, type ErrorDetails, isInward, type SchemeFinder } from '@retriever/core/internal'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Network, ProxyServer } from '../contract/network.ts'
import { invalidOption } from '../kit/limits.ts'
import { checkOptions, flag, list, type OptionKind, ports, texts } from '../kit/options.ts'
import { lookUp } from '../wire/transport/lookup.ts'
import { isPublic } from '../wire/transport/public-addresses.ts'
import { connectError } from '../wire/transport/socket-error.ts'
import { AddressExceptions } from './network/exceptions.ts'

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
   * refused unless `schemes` names them; proxies unless `allowAddresses` names their addresses, because the targets of
   * a proxy cannot be checked here.
   */
  readonly publicOnly: boolean
  /**
   * The addresses and networks to allow under publicOnly beside the public ones, perhaps with a port: `10.0.0.0/8`,
   * `127.0.0.1:8080`, `[::1]:8080`.
   */
  readonly allowAddresses: readonly string[]
  /**
   * The names of the only schemes to retrieve, in URLs and redirects alike: `['https', 'ftp']`. Null: all schemes,
   * except that client.fetch and publicOnly reach nothing local, such as `file`, that is not named here.
   */
  readonly schemes: readonly string[] | null
  /**
   * The names of the only schemes that redirects and access methods may lead to: `['https']`. It permits nothing more:
   * enforceRedirect() keeps redirects within http and https, or within one other mechanism. Null: no further rule.
   */
  readonly redirectSchemes: readonly string[] | null
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<`policy.${keyof Policy}`, true>> {}
}

/** A policy as one entrance of the client applies it. */
export interface Rules extends Policy {
  /** True: client.fetch is the entrance; code that expects the web's fetch does not expect files of this machine. */
  readonly isFetch: boolean
}

/**
 * The mechanisms that reach this machine instead of a server: they read its files or run its programs. A new mechanism
 * of this kind belongs into this list, which all rules about them use.
 */
const localMechanisms: ReadonlySet<Mechanism> = new Set(['file', 'man', 'info', 'whatis', 'ghelp', 'toc', 'afs'])

/** Whether a scheme's URLs reach this machine itself: its files, its programs, or its sockets (ldapi). */
export function isLocal({ mechanism, host }: Scheme): boolean {
  return localMechanisms.has(mechanism) || host === 'socket'
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
  allowAddresses: [],
  schemes: null,
  redirectSchemes: null,
}

/** Whether the names are those of known schemes is checked by readPolicy(). */
const schemeList: OptionKind = [
  'an array of the names of known schemes, such as ["https"], or null',
  (value) => value === null || texts[1](value),
]

const policyKinds: Readonly<Record<keyof Policy, OptionKind>> = {
  allow: list,
  allowPorts: ports,
  allowDowngrade: flag,
  allowInward: flag,
  publicOnly: flag,
  allowAddresses: texts,
  schemes: schemeList,
  redirectSchemes: schemeList,
}

/** The caller's policy with defaults. `find` finds the schemes that the client knows. Throws `invalid-option`. */
export function readPolicy(changes: Partial<Policy> = {}, find: SchemeFinder): Policy {
  checkOptions(changes, policyKinds, 'policy.')
  for (const code of changes.allow ?? []) {
    if (!Object.hasOwn(findingCodes, code) || code === 'encoded-delimiter') {
      throw invalidOption('policy.allow', 'a list of finding codes other than encoded-delimiter', code)
    }
  }
  new AddressExceptions(changes.allowAddresses ?? [])
  for (const option of ['schemes', 'redirectSchemes'] as const) {
    const unknown = changes[option]?.find((name) => find(name) === undefined)
    if (unknown !== undefined) throw invalidOption(`policy.${option}`, schemeList[0], unknown)
  }
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...defaultPolicy, ...Object.fromEntries(given) }
}

/** Throws `refused`, before any connection, for the first danger that the policy does not allow. */
export function enforce(policy: Rules, resolution: Resolution): void {
  const { url, findings, plan, scheme } = resolution
  const obstacle = schemeObstacle(policy, scheme)
  if (obstacle !== null) throw refusal(url, obstacle.message, { advice: obstacle.advice })
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
  throw refusal(url, `${message} ${adviceText(advice)} permits it.`, { span, advice })
}

/**
 * Why a policy refuses all URLs of a scheme, and the option that allows them: a scheme that it does not name, or a
 * local one that it must name. Null: it does not.
 */
export function schemeObstacle(
  { schemes, publicOnly: isPublicOnly, isFetch }: Rules,
  scheme: Scheme,
): { readonly message: string; readonly advice: Advice } | null {
  if (schemes === null ? !(isPublicOnly || isFetch) || !isLocal(scheme) : schemes.includes(scheme.name)) return null
  if (schemes === null && isPublicOnly) {
    const message = `${scheme.name} URLs lead to this machine itself, and ${adviceText(publicOnly)} refuses it.`
    return { message, advice: publicOnly }
  }
  const advice = { option: 'policy.schemes', value: scheme.name } as const
  const why =
    schemes === null
      ? `fetch() reaches servers only, and ${scheme.name} URLs lead to this machine itself.`
      : `${scheme.name} is not among the schemes that may be retrieved (${schemes.join(', ') || 'none'}).`
  return { message: `${why} ${adviceText(advice)} permits it.`, advice }
}

type Socketed = Pick<Network, 'socketPath'>

/** Throws `refused` for a Unix domain socket under publicOnly, because it leads to this machine. */
export function enforceNetwork(policy: Policy, { url, plan }: Resolution, network: Socketed | undefined): void {
  if (!policy.publicOnly || !('port' in plan)) return
  // An LDAP URL without a host may have a socket for its server (defaults.ldapServer).
  const isSocket = 'socket' in plan && plan.socket !== null
  if (network?.socketPath === undefined && !isSocket) return
  const rule = `a Unix domain socket leads to this machine itself, and ${adviceText(publicOnly)} refuses it`
  throw refusal(url, `${rule}. Use one of the two.`, { advice: publicOnly })
}

/**
 * Throws `refused` for a proxy under publicOnly, because the addresses that it connects to cannot be checked here;
 * unless allowAddresses names all addresses of the proxy. The host of the URL is then judged as it is written.
 * `addresses` are those of the proxy; null: its name has not been looked up, and the caller only wants to know.
 */
export function enforceDirect(
  policy: Policy,
  { url, plan }: Resolution,
  proxy: ProxyServer | null,
  addresses: readonly string[] | null,
): void {
  if (!policy.publicOnly || proxy === null) return
  const exceptions = new AddressExceptions(policy.allowAddresses)
  const isNamed =
    addresses === null || (addresses[0] !== undefined && addresses.every((each) => exceptions.has(each, proxy.port)))
  if (policy.allowAddresses.length === 0 || !isNamed) {
    const rule = `${adviceText(publicOnly)} cannot check the addresses behind it`
    const remedy = 'Use one of the two, or allow the address of the proxy.'
    throw refusal(url, `The URL would be retrieved through the proxy ${proxy.url}, and ${rule}. ${remedy}`, {
      advice: publicOnly,
    })
  }
  const name = 'port' in plan && plan.host && isIP(plan.host) === 0 ? plan.host : null
  if (name !== null && isInward(name)) throw notPublic(url, name)
  enforceAddress(policy, { url, plan })
}

/** Throws `refused` for a URL whose host is written as an address that publicOnly does not allow. */
export function enforceAddress(policy: Policy, { url, plan }: Pick<Resolution, 'url' | 'plan'>): void {
  if (!policy.publicOnly || !('port' in plan) || plan.host === null || isIP(plan.host) === 0) return
  const isAllowed = isPublic(plan.host) || new AddressExceptions(policy.allowAddresses).has(plan.host, plan.port)
  if (!isAllowed) throw notPublic(url, plan.host)
}

function notPublic(url: string, host: string): RetrievalError {
  return refusal(url, `${host} is no public address, and ${adviceText(publicOnly)} allows no other.`, {
    advice: publicOnly,
  })
}

/**
 * The addresses of a proxy that enforceDirect() judges; none are looked up if the policy does not ask for them. Rejects
 * with `host-not-found`.
 */
export async function proxyAddresses(
  policy: Policy,
  proxy: ProxyServer,
  context: RetrievalContext,
): Promise<readonly string[]> {
  if (!policy.publicOnly || policy.allowAddresses.length === 0) return []
  return context.deadline.within('lookup', async () => {
    const found = await lookUp(proxy.host).catch((cause: unknown) => {
      throw connectError(context, { ...proxy, name: `the proxy ${proxy.url}` }, cause)
    })
    return found.map(({ address }) => address)
  })
}

/** The mechanisms whose servers may redirect, to URLs of the same mechanism. */
const redirecting: ReadonlySet<Mechanism> = new Set(['http', 'gemini', 'rtsp', 'nfs', 'prospero'])

/** The schemes to which a server of this mechanism may redirect, as a sentence begins with them. */
export function redirectedTo(mechanism: Mechanism): string {
  return mechanism !== 'http' && redirecting.has(mechanism) ? `only ${mechanism}` : 'only http and https'
}

/**
 * Enforces the rules for redirects (threats.md section 2): within http(s), or one of the others above, never from
 * https to http, never from elsewhere to this machine. Addresses enforces the last rule for names. A URL that the
 * caller gives may do more than a redirect.
 */
export function enforceRedirect(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean): void {
  const target = `The redirect of ${hostOf(from)} to ${to.scheme.name}://${hostOf(to)}`
  const { mechanism } = from.scheme
  if (!redirecting.has(mechanism) || to.scheme.mechanism !== mechanism || to.scheme.handoff === true) {
    throw refusal(
      from.url,
      `${target} was not followed: ${redirectedTo(mechanism)} may be redirected to. Retrieve it directly if you trust it.`,
    )
  }
  // It names an option that would follow the redirect, so it comes after the rule that no option lifts.
  enforceRedirectScheme(policy, from, to, target)
  enforceTarget(policy, from, to, isFromInside, target)
}

/** Enforces the rules for links on the access method that the caller wants followed, and `policy.redirectSchemes`. */
export function enforceAccess(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean): void {
  const target = `The access method of ${hostOf(from)}, ${to.scheme.name}://${hostOf(to)},`
  enforceRedirectScheme(policy, from, to, target)
  enforceLink(policy, from, to, isFromInside)
}

function enforceRedirectScheme(policy: Policy, from: Resolution, to: Resolution, target: string): void {
  if (policy.redirectSchemes?.includes(to.scheme.name) !== false) return
  const advice = { option: 'policy.redirectSchemes', value: to.scheme.name } as const
  throw refusal(from.url, `${target} was not followed: ${adviceText(advice)} would follow it.`, { advice })
}

/**
 * Enforces the same rules for a URL that a server has chosen, and a fetcher retrieves: nothing local unless the first
 * URL is local itself, never from TLS to a connection without, never from elsewhere to this machine.
 */
export function enforceLink(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean): void {
  const target = `The link from ${hostOf(from) || from.scheme.name} to ${to.scheme.name}:${hostOf(to) && `//${hostOf(to)}`}`
  if (isLocal(to.scheme) && !isLocal(from.scheme)) {
    throw refusal(from.url, `${target} was not followed: it leads to this machine itself, which no server may choose.`)
  }
  if ('port' in to.plan) enforceTarget(policy, from, to, isFromInside, target)
}

function enforceTarget(policy: Policy, from: Resolution, to: Resolution, isFromInside: boolean, target: string): void {
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
