import { isIP } from 'node:net'
import {
  type AccessPlan,
  type Asked,
  authority,
  type Explained,
  type Explanation,
  explain,
  explainResolution,
  type Refusal,
  type Resolution,
  type ResolveOptions,
  RetrievalError,
  redact,
  resolve,
  utf8Octets,
} from '@retriever/core'
import type { Fetcher, RequestOptions } from '../contract/fetcher.ts'
import type { CookieStore, Network, ProxyServer, TlsOptions } from '../contract/network.ts'
import { overlap, ownField, resumePoint } from '../kit/request-options.ts'
import { connectionsFor, segmentSize } from '../protocols/http/range/segments.ts'
import { builtinProtocols } from '../protocols/index.ts'
import { rangeRefusal } from './honoured.ts'
import type { ProxyChoice } from './network/proxy.ts'
import { tunnelIfMoved } from './network/route.ts'
import { enforce, enforceAddress, enforceDirect, enforceNetwork, type Rules } from './policy.ts'

/** The settings of a client that decide what it would send. */
export interface ExplainSettings {
  readonly policy: Rules
  readonly resolving: ResolveOptions
  readonly proxyFor: ProxyChoice
  readonly network: Network | undefined
  readonly tls: Pick<TlsOptions, 'alpn'>
  readonly cookies: CookieStore | undefined
  /** The caller's own fetchers. */
  readonly fetchers: readonly Pick<Fetcher, 'mechanism' | 'asked' | 'honours' | 'title'>[]
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
  if (resolution === null) return explain(url, settings.resolving)
  const { mechanism } = resolution.plan
  const own = ownFetcher(mechanism, settings)?.asked
  const http2 = settings.tls.alpn === false ? { http2: false } : {}
  const asked = { ...(await askedBy(request, resolution, settings)), ...own, ...http2 }
  const resolving = { ...settings.resolving, asked }
  const again = resolve(url, resolving)
  const explained = explainResolution(again, resolving)
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

function ownFetcher(mechanism: AccessPlan['mechanism'], { fetchers }: ExplainSettings) {
  return fetchers.find((fetcher) => fetcher.mechanism === mechanism)
}

/** Why the fetcher sends nothing for these options; null: it does. */
function unsendable(request: RequestOptions, { plan }: Resolution, settings: ExplainSettings): Refusal | null {
  const own = ownFetcher(plan.mechanism, settings)
  const known = builtinProtocols({ localHosts: [] }).find(({ mechanism }) => mechanism === plan.mechanism)
  return rangeRefusal(request, plan, { title: own?.title ?? known?.title, honours: own?.honours ?? known?.honours })
}

/** Null: the URL means nothing. */
function resolved(url: string, options: ResolveOptions): Resolution | null {
  try {
    return resolve(url, options)
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}

/** The options as core has them: the values that become fields, without secrets. */
async function askedBy(request: RequestOptions, resolution: Resolution, settings: ExplainSettings): Promise<Asked> {
  const { login, resumeFrom: _, relevantTo, form, compressed, headers, ...same } = request
  const isHttp = resolution.plan.mechanism === 'http'
  const cookie = isHttp ? await cookieField(request, resolution, settings) : null
  const asked: Asked = {
    ...same,
    ...(login !== undefined && { login: true, loginUser: utf8Octets(login.user) }),
    ...(form !== undefined && { form: true }),
    ...(compressed === true && isHttp && { acceptEncoding: await codings(request) }),
    ...(relevantTo !== undefined && { relevantTo: relevantTo.flatMap((url) => documentOf(url, settings.resolving)) }),
    ...(headers !== undefined && { headers }),
    ...(cookie !== null && { headers: { ...withoutCookie(headers), Cookie: cookie } }),
    ...(isHttp && connectionsFor(request) > 1 && { segment: segmentSize }),
    ...(await restAsked(request, isHttp)),
  }
  return asked
}

/** The place from which the rest is asked for: mechanisms without validators compare the octets before it. */
async function restAsked(request: RequestOptions, isHttp: boolean): Promise<Pick<Asked, 'resumeFrom' | 'ifRange'>> {
  const point = resumePoint(request)
  if (point === undefined || point.offset === 0) return {}
  if (!isHttp) return { resumeFrom: Math.max(0, point.offset - Math.min(overlap, point.tail?.length ?? 0)) }
  const { restRequest } = await import('../protocols/http/range/rest-request.ts')
  const rest = restRequest(point)
  return rest === null ? {} : { resumeFrom: rest.range[0], ifRange: rest.ifRange }
}

async function codings(request: RequestOptions): Promise<string> {
  const { acceptEncoding } = await import('../protocols/http/coding/coding.ts')
  return acceptEncoding(request)
}

function documentOf(url: string, resolving: ResolveOptions): { readonly docid: string; readonly wtype: string }[] {
  const plan: AccessPlan | undefined = resolved(url, resolving)?.plan
  if (plan?.mechanism !== 'wais' || plan.docid === null || plan.wtype === null) return []
  return [{ docid: plan.docid, wtype: plan.wtype }]
}

/** The cookies for the request, before those of the caller's own field; null: none beside these. */
async function cookieField(
  request: RequestOptions,
  { url, locator }: Resolution,
  { cookies }: ExplainSettings,
): Promise<string | null> {
  const own = ownField(request, 'cookie')
  if (cookies === undefined || own === null) return null
  const stored = await cookies.cookiesFor(locator.user === null ? url : url.replace(/\/\/[^/?#]*@/, '//'))
  if (stored === null || stored === '') return null
  return own === undefined ? stored : `${stored}; ${own}`
}

function withoutCookie(headers: RequestOptions['headers'] = {}): Record<string, string | null> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^cookie$/i.test(name)))
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
