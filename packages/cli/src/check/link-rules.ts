import { type Resolution, RetrievalError } from '@retriever/core'
import { adviceText, isInward } from '@retriever/core/internal'
import type { Client, RetrieveOptions } from '@retriever/fetchers'
import type { Config } from '../config.ts'
import { proxyOf } from '../options/connection/proxies.ts'
import { hostOf, type Link } from './sources.ts'

/**
 * The options for a link on a server's page: it must not lead to files, and a page from elsewhere must not lead into
 * this network.
 */
export function rulesFor({ url, linkedFrom }: Link, client: Client, config: Config): RetrieveOptions {
  if (linkedFrom === null) return {}
  const allowsInward = config.client.policy?.allowInward === true
  const isForeign = !isInward(hostOf(client.resolve(linkedFrom)))
  return {
    linkedFrom: linkingPage(client.resolve(linkedFrom), url),
    ...(isForeign && !allowsInward && !isProxied(url, client, config) && { policy: { publicOnly: true } }),
  }
}

/**
 * The page that counts as the source of a link. A check sends no secret, so a page within TLS may link to a URL without
 * TLS.
 */
function linkingPage({ url, scheme }: Resolution, link: string): string {
  const isWithinTls = scheme.tls === 'implicit' && !/^https:/i.test(link)
  return isWithinTls ? url.replace(/^[^:]*:/, 'http:') : url
}

/**
 * Whether a proxy is asked for a host whose name is not one of this network. The proxy looks names up by its own rules.
 */
function isProxied(url: string, client: Client, { proxyFor }: Config): boolean {
  try {
    const resolution = client.resolve(url)
    return proxyOf(resolution, proxyFor) !== null && !isInward(hostOf(resolution))
  } catch {
    return false
  }
}

/**
 * The error of a link. If the rule for pages from elsewhere refused the link, the error names the option that allows
 * it.
 */
export function asLinkError(error: unknown, { linkedFrom, url }: Link, { client }: Config): unknown {
  const isOurRule = linkedFrom !== null && client.policy?.publicOnly !== true
  if (!isOurRule || !RetrievalError.is(error) || error.advice?.option !== 'policy.publicOnly') return error
  const advice = { option: 'policy.allowInward' } as const
  const message = `Refused: a page elsewhere links to this network. ${adviceText(advice)} checks such links.`
  return new RetrievalError('refused', message, { phase: 'policy', url, advice, cause: error })
}
