import { adviceText, isInward, type Resolution, RetrievalError } from '@retriever/core'
import type { Client, RetrieveOptions } from '@retriever/fetchers'
import type { Config } from '../config.ts'
import { proxyOf } from '../options/connection/proxies.ts'
import { hostOf, type Link } from './sources.ts'

/** The options by which a link of a server's page leads neither to files nor, from elsewhere, to this network. */
export function rulesFor({ url, linkedFrom }: Link, client: Client, config: Config): RetrieveOptions {
  if (linkedFrom === null) return {}
  const allowsInward = config.client.policy?.allowInward === true
  const isForeign = !isInward(hostOf(client.resolve(linkedFrom)))
  return {
    linkedFrom: linkingPage(client.resolve(linkedFrom), url),
    ...(isForeign && !allowsInward && !isProxied(url, client, config) && { policy: { publicOnly: true } }),
  }
}

/** A check sends nothing secret, so that a link from a page within TLS to a connection without it does no harm. */
function linkingPage({ url, scheme }: Resolution, link: string): string {
  const isWithinTls = scheme.tls === 'implicit' && !/^https:/i.test(link)
  return isWithinTls ? url.replace(/^[^:]*:/, 'http:') : url
}

/** Whether a proxy, which looks up names by its own rules, is asked for a host that is not this network by its name. */
function isProxied(url: string, client: Client, { proxyFor }: Config): boolean {
  try {
    const resolution = client.resolve(url)
    return proxyOf(resolution, proxyFor) !== null && !isInward(hostOf(resolution))
  } catch {
    return false
  }
}

/** The error of a link. If the rule for pages elsewhere refused it, the error names the option that allows it. */
export function asLinkError(error: unknown, { linkedFrom, url }: Link, { client }: Config): unknown {
  const isOurRule = linkedFrom !== null && client.policy?.publicOnly !== true
  if (!isOurRule || !RetrievalError.is(error) || error.advice?.option !== 'policy.publicOnly') return error
  const advice = { option: 'policy.allowInward' } as const
  const message = `Refused: it leads to this network, and a page elsewhere names it. ${adviceText(advice)} checks it.`
  return new RetrievalError('refused', message, { phase: 'policy', url, advice, cause: error })
}
