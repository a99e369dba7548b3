import {
  type AccessPlan,
  type Advice,
  adviceText,
  authority,
  encodeOctets,
  type FtpPlan,
  type HttpPlan,
  isAnonymous,
} from '@retriever/core'
import type { ProxyServer } from '../plugin/network.ts'

/**
 * What is done in place of a plan where an HTTP proxy is on the way: a URL that is not protected by TLS is asked of the
 * proxy itself (RFC 9112 3.2.2), ftp too. All else goes through a tunnel, of which only wire/ knows.
 */
export function route(plan: AccessPlan, proxy: ProxyServer | null): AccessPlan {
  if (proxy === null || proxy.tunnel || (proxy.kind !== 'http' && proxy.kind !== 'https')) return plan
  if (plan.mechanism === 'http' && plan.tls === 'none') {
    return { ...plan, target: `http://${authority(plan, 80)}${plan.target}` }
  }
  if (plan.mechanism === 'ftp' && plan.tls === 'none') return ftpByHttp(plan)
  return plan
}

/** What a person should know of the result of such a plan: there are no entries. */
export function remarkOf(
  plan: AccessPlan,
  routed: AccessPlan,
  proxy: ProxyServer | null,
): { readonly message: string; readonly advice: Advice } | null {
  if (plan.mechanism !== 'ftp' || routed.mechanism === 'ftp' || !isListing(plan)) return null
  const advice = { option: 'proxyTunnel' } as const
  const remedy = `For the server's own listing, go through a tunnel: ${adviceText(advice)}.`
  return { message: `The proxy ${proxy?.url} made a page of the directory. ${remedy}`, advice }
}

/**
 * RFC 1738's URL again, with the type that is meant, since squid would take names like `x.txt` for text. The user
 * stands in it, for the proxy to log in by, and the password does not: it goes in Authorization, which proxies keep out
 * of their logs, and which squid and Apache read. Anonymous is what proxies are by themselves.
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
