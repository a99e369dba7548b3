import { type AccessPlan, type Advice, encodeOctets } from '@retriever/core'
import { adviceText, authority, type FtpPlan, type HttpPlan, isAnonymous } from '@retriever/core/internal'
import type { Network, ProxyServer } from '../../contract/network.ts'

/**
 * The plan to carry out with the proxy. An http or ftp URL without TLS is sent to an HTTP proxy as a whole (RFC 9112
 * 3.2.2). All other connections go through a tunnel, which wire/ makes.
 */
export function route(plan: AccessPlan, proxy: ProxyServer | null): AccessPlan {
  if (proxy === null || proxy.tunnel || (proxy.kind !== 'http' && proxy.kind !== 'https')) return plan
  if (plan.mechanism === 'http' && plan.tls === 'none') {
    return { ...plan, target: `http://${authority(plan, 80)}${plan.target}` }
  }
  if (plan.mechanism === 'ftp' && plan.tls === 'none') return ftpByHttp(plan)
  return plan
}

/** The proxy for a URL: only its tunnel leads to another place than the URL names (network.connectTo). */
export function tunnelIfMoved(proxy: ProxyServer | null, network: Network | undefined): ProxyServer | null {
  const isMoved = proxy !== null && network !== undefined && network.connectTo.length > 0
  return isMoved && !proxy.tunnel ? { ...proxy, tunnel: true, key: `${proxy.key} tunnel` } : proxy
}

/** A remark for people about the result of such a plan: a directory without entries. */
export function remarkOf(
  plan: AccessPlan,
  routed: AccessPlan,
  proxy: ProxyServer | null,
): { readonly message: string; readonly advice: Advice } | null {
  if (plan.mechanism !== 'ftp' || routed.mechanism === 'ftp' || !isListing(plan)) return null
  const advice = { option: 'proxyTunnel' } as const
  const remedy = `For the server's own listing, go through a tunnel: ${adviceText(advice)}.`
  return { message: `The proxy ${proxy?.url} turned the directory into a page. ${remedy}`, advice }
}

/**
 * The HTTP request for an FTP URL. The URL (RFC 1738) names its type, since squid would take names like `x.txt` for
 * text. It names the user, by whom the proxy logs in, but not the password: that goes in Authorization, which proxies
 * keep out of their logs, and which squid and Apache read. Without a user, proxies log in anonymously by themselves.
 */
function ftpByHttp(plan: FtpPlan): HttpPlan {
  const { host, port, typecode, password } = plan
  const user = isAnonymous(plan.user) ? null : plan.user
  const path = [...plan.cwd, plan.name].map((segment) => encodeOctets(segment)).join('/')
  const type = typecode === null ? (plan.name === '' ? '' : ';type=i') : `;type=${typecode}`
  const login = user === null ? '' : `${encodeOctets(user)}@`
  const target = `ftp://${login}${authority(plan, 21)}/${path}${type}`
  return {
    mechanism: 'http',
    host,
    port,
    tls: 'none',
    target,
    user,
    password: user === null ? null : password,
    wire: [`GET ${target} HTTP/1.1\r\nHost: ${authority(plan, 21)}\r\n\r\n`],
  }
}

function isListing({ name, typecode }: FtpPlan): boolean {
  return name === '' || typecode === 'd'
}
