import type { AccessPlan } from '@retriever/core'
import { type Asked, authority, type Explained, httpWire } from '@retriever/core/internal'
import type { ProxyServer } from '../../contract/network.ts'
import { connectRequest } from '../../wire/proxy/connect-request.ts'
import { route } from './route.ts'

/** The place to which a tunnel leads. */
interface Target {
  readonly host: string
  readonly port: number
}

/** The explanation of a URL that is retrieved through a proxy: what the proxy is sent stands before the rest. */
export function through(explained: Explained, proxy: ProxyServer, asked: Asked, target: Target): Explained {
  const { plan } = explained
  // The plan of an explanation has the fields of the plan, without secrets.
  const routed = route(plan as unknown as AccessPlan, proxy)
  const shown = { ...explained, proxy: proxy.url }
  const hasLogin = proxy.user !== null && !proxy.isDigestOnly
  if (routed.mechanism === 'http' && routed !== (plan as unknown)) {
    const { target, host, port } = routed
    const isFtp = plan.mechanism === 'ftp'
    const name = authority({ host, port }, isFtp ? 21 : 80)
    const withLogin = routed.user !== null && routed.password !== null
    const fields = { ...asked, headers: { ...asked.headers, ...proxy.headers }, proxyLogin: hasLogin }
    return { ...shown, plan: { ...plan, wire: [httpWire(target, name, withLogin, fields)] } }
  }
  const wire = plan.wire as readonly string[]
  if (proxy.kind === 'http' || proxy.kind === 'https') {
    const place = authority(target, null)
    const values = Object.keys(proxy.headers ?? {}).map((name) => [name, '<value>'] as const)
    const lines = connectRequest(place, hasLogin ? 'Basic <password>' : null, values)
    return { ...shown, plan: { ...plan, wire: [`${lines.join('\r\n')}\r\n`, ...wire] } }
  }
  const unknown = {
    ...Object(plan.unknown),
    [socks]: 'the dialogue of SOCKS, in octets, and the addresses of the host',
  }
  return { ...shown, plan: { ...plan, wire: [socks, ...wire], unknown } }
}

const socks = '<socks>'
