import { isIP } from 'node:net'
import { type AccessPlan, type Explanation, type Resolution, RetrievalError, redact } from '@retriever/core'
import {
  type Asked,
  authority,
  type Explained,
  explainBy,
  explainResolutionBy,
  type FindingOptions,
  type Refusal,
  resolveBy,
  utf8Octets,
} from '@retriever/core/internal'
import type { Protocol } from '../contract/about.ts'
import type { Fetcher, RequestOptions } from '../contract/fetcher.ts'
import type { CookieStore, Network, ProxyServer, TlsOptions } from '../contract/network.ts'
import { overlap, resumePoint } from '../kit/request-options.ts'
import type { ProxyChoice } from './network/proxy.ts'
import { tunnelIfMoved } from './network/route.ts'
import { rangeRefusal, saidOf } from './options/honoured.ts'
import type { KnownOptions } from './options/known.ts'
import { enforce, enforceAddress, enforceDirect, enforceNetwork, type Rules } from './policy.ts'

/** The settings of a client that decide what it would send. */
export interface ExplainSettings {
  readonly policy: Rules
  readonly resolving: FindingOptions
  readonly proxyFor: ProxyChoice
  readonly network: Network | undefined
  readonly tls: Pick<TlsOptions, 'alpn'>
  readonly cookies: CookieStore | undefined
  /** The caller's own fetchers. */
  readonly fetchers: readonly Pick<Fetcher, 'mechanism' | 'asked' | 'askedFor' | 'honours' | 'options' | 'title'>[]
  readonly protocols: readonly Pick<Protocol, 'mechanism' | 'askedFor' | 'honours' | 'options' | 'title'>[]
  readonly options: KnownOptions
}

/**
 * Explains a URL as a client would retrieve it with these options, and contacts nothing. A URL that the policy refuses
 * has `refused`; one that means nothing has `error`, and no exception is thrown for it.
 */
export async function explainFor(
  url: string,
  request: RequestOptions,
  settings: ExplainSettings,
): Promise<Explanation> {
  const resolution = resolved(url, settings.resolving)
  if (resolution === null) return explainBy(url, settings.resolving)
  const { mechanism } = resolution.plan
  const { own, known } = fetchersOf(mechanism, settings)
  const askedFor = own?.askedFor ?? known?.askedFor
  const http2 = settings.tls.alpn === false ? { http2: false } : {}
  const asked = { ...(await askedBy(request, resolution, settings, askedFor)), ...own?.asked, ...http2 }
  const resolving = { ...settings.resolving, asked }
  const again = resolveBy(url, resolving)
  const explained = explainResolutionBy(again, resolving)
  const { gateway } = again
  if (gateway === undefined) {
    const sent = await viaProxy(explained, again, asked, settings)
    return sent.refused === undefined ? refusedOr(sent, unsendable(request, again, settings)) : sent
  }
  const atGateway = resolved(gateway, { ...settings.resolving, gateways: {} })
  const refused =
    refusalOf(again, null, settings) ??
    (atGateway && (refusalOf(atGateway, null, settings) ?? unsendable(request, atGateway, settings)))
  return refusedOr(explained, refused)
}

/** The caller's own fetcher of a mechanism, and what is known of the client's. */
function fetchersOf(mechanism: AccessPlan['mechanism'], { fetchers, protocols }: ExplainSettings) {
  return {
    own: fetchers.find((fetcher) => fetcher.mechanism === mechanism),
    known: protocols.find((protocol) => protocol.mechanism === mechanism),
  }
}

/** Why the fetcher sends nothing for these options; null: it does. */
function unsendable(request: RequestOptions, { plan }: Resolution, settings: ExplainSettings): Refusal | null {
  const { own, known } = fetchersOf(plan.mechanism, settings)
  return rangeRefusal(request, plan, saidOf(own ?? { mechanism: plan.mechanism }, known))
}

/** Null: the URL means nothing. */
function resolved(url: string, options: FindingOptions): Resolution | null {
  try {
    return resolveBy(url, options)
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}

/** The options as core has them: the values that become fields, without secrets. */
async function askedBy(
  request: RequestOptions,
  resolution: Resolution,
  { cookies, options }: ExplainSettings,
  askedFor: Fetcher['askedFor'],
): Promise<Asked> {
  const { login, resumeFrom: _, form, headers, ...others } = request
  const same = Object.entries(others).filter(([name]) => !options.named.has(name))
  return {
    ...Object.fromEntries(same),
    ...(login !== undefined && { login: true, loginUser: utf8Octets(login.user) }),
    ...(form !== undefined && { form: true }),
    ...(headers !== undefined && { headers }),
    ...(askedFor === undefined ? restAsked(request) : await askedFor({ request, resolution, cookies })),
  }
}

/** The place from which the rest is asked for: protocols without validators compare the octets before it. */
function restAsked(request: RequestOptions): Pick<Asked, 'resumeFrom'> {
  const point = resumePoint(request)
  if (point === undefined || point.offset === 0) return {}
  return { resumeFrom: Math.max(0, point.offset - Math.min(overlap, point.tail?.length ?? 0)) }
}

/** The explanation with the proxy on the way, and what it is sent. */
async function viaProxy(
  explained: Explained,
  resolution: Resolution,
  asked: Asked,
  settings: ExplainSettings,
): Promise<Explained> {
  const { plan, scheme } = resolution
  const { network } = settings
  if (!('port' in plan) || plan.host === null || plan.host === '')
    return refusedOr(explained, refusalOf(resolution, null, settings))
  const { host, port } = plan
  const isSocket = network?.socketPath !== undefined
  const proxy = isSocket ? null : tunnelIfMoved(await settings.proxyFor({ scheme: scheme.name, host, port }), network)
  const target = await targetFor(network, host, port)
  const isMoved = target.host !== host || target.port !== port
  const place = network?.socketPath ?? (isMoved ? authority(target, null) : undefined)
  const placed = place === undefined ? explained : { ...explained, place }
  const sent =
    proxy === null ? placed : (await import('./network/explain-proxy.ts')).through(placed, proxy, asked, target)
  return refusedOr(sent, refusalOf(resolution, proxy, settings))
}

async function targetFor(network: Network | undefined, host: string, port: number) {
  if (network === undefined) return { host, port }
  const { targetOf } = await import('../wire/transport/ways.ts')
  return targetOf(network, host, port)
}

function refusedOr(sent: Explained, refused: Refusal | null): Explained {
  return refused === null ? sent : { ...sent, refused }
}

/** Why the policy lets nothing be sent; null: it does not. */
function refusalOf(
  resolution: Resolution,
  proxy: ProxyServer | null,
  { policy, network }: ExplainSettings,
): Refusal | null {
  try {
    enforce(policy, resolution)
    enforceNetwork(policy, resolution, network)
    const isDirect = proxy === null && resolution.gateway === undefined
    if (isDirect && (network?.connectTo ?? []).length === 0) enforceAddress(policy, resolution)
    enforceDirect(policy, resolution, proxy, proxy === null || isIP(proxy.host) === 0 ? null : [proxy.host])
    return null
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const { code, message, advice } = error
    return { code, message: redact(message.replace(/^Refused: /, '')), ...(advice && { advice }) }
  }
}
