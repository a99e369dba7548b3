import { adviceText } from './advice.ts'
import { RetrievalError } from './errors.ts'
import type { Scheme } from './scheme.ts'
import { formatLocator, type Locator } from './url/locator.ts'
import { schemeOf } from './url/split.ts'

/**
 * Gateways by scheme, or by namespace of a URN: `{ wais: 'http://gateway.example/?url={url}', 'urn:isbn':
 * 'https://books.example/{name}' }`. A string is a template.
 */
export type Gateways = Readonly<Record<string, string | Gateway>>

/** A gateway. If Retriever does not know the scheme, it says which syntax its URLs have (RFC 1738 4). */
export interface Gateway {
  /**
   * The template of the URL to retrieve. Its variables stand in braces (RFC 6570 3.2.2): `url`, `host`, `port`, `path`,
   * `query`, and `name` for a URN. `{url}` is escaped; `{+url}` is not.
   */
  readonly url: string
  /** The port of URLs that name none. A gateway with a port takes URLs of the generic syntax. */
  readonly port?: number
  /** `generic`: `//host:port/path` follows the colon (RFC 1738 3.1); `opaque`: URLs have no host. Default: both. */
  readonly syntax?: 'generic' | 'opaque'
}

/** The gateway of that name; a template becomes a gateway. */
function gatewayNamed(name: string, gateways: Gateways | undefined): Gateway | undefined {
  const found = gateways !== undefined && Object.hasOwn(gateways, name) ? gateways[name] : undefined
  return typeof found === 'string' ? { url: found } : found
}

/**
 * A scheme that only the gateways know. It takes any URL of RFC 3986 in the declared syntax; the gateway understands
 * it.
 */
export function gatewayScheme(name: string, gateways: Gateways | undefined): Scheme | undefined {
  const gateway = gatewayNamed(name, gateways)
  if (gateway === undefined) return undefined
  const { port, syntax = port === undefined ? undefined : 'generic' } = gateway
  return {
    name,
    title: 'Scheme of a gateway',
    spec: 'RFC 1738 4',
    mechanism: 'gateway',
    defaultPort: port ?? null,
    anyPort: true,
    tls: 'none',
    host: syntax === 'generic' ? 'required' : syntax === 'opaque' ? 'none' : 'optional',
    userinfo: 'allowed',
    query: true,
    lineParts: [],
    resolve: ({ host, urlPath, query }, place) => ({
      mechanism: 'gateway',
      ...(host === null ? { host, port: 0 } : { host: place.host, port: place.port }),
      ...(host === null ? { path: null, opaque: urlPath } : { path: urlPath, opaque: null }),
      query,
      wire: [],
    }),
  }
}

/**
 * The gateway's URL for a URL of its scheme (RFC 1738 4); undefined if the scheme has no gateway. Login and fragment
 * never go to a gateway. Throws `invalid-option` if the template gives no URL of a network scheme (`hasHost`), or one
 * that leads to a gateway again.
 */
export function gatewayUrl(
  locator: Locator,
  port: number,
  gateways: Gateways,
  hasHost: (scheme: string) => boolean,
): string | undefined {
  const { scheme, host, urlPath, query } = locator
  const [, namespace = '', name = ''] = scheme === 'urn' ? (/^([^:]*):(.*)$/s.exec(urlPath ?? '') ?? []) : []
  const key = [`urn:${namespace.toLowerCase()}`, scheme].find((each) => Object.hasOwn(gateways, each))
  const template = key === undefined ? undefined : gatewayNamed(key, gateways)?.url
  if (key === undefined || template === undefined) return undefined
  const values: Readonly<Record<string, string>> = {
    url: formatLocator({ ...locator, user: null, password: null, fragment: null }),
    ...{ host: host ?? '', port: port === 0 ? '' : String(port), path: urlPath ?? '', query: query ?? '', name },
  }
  let isFilled = false
  const url = template.replace(/\{(\+?)([a-z]+)\}/g, (text, plus: string, variable: string) => {
    const value = Object.hasOwn(values, variable) ? values[variable] : undefined
    if (value === undefined) return text
    isFilled = true
    return plus === '' ? encodeURIComponent(value) : value
  })
  const target = schemeOf(url)
  const isUrl = target !== undefined && url.startsWith('://', target.length) && !/[{}]/.test(url)
  // A page can link to a URL of the scheme, so its gateway must be a server, and never this machine.
  if (isFilled && isUrl && hasHost(target) && !Object.hasOwn(gateways, target)) return url
  const advice = { option: 'gateways', value: key } as const
  const wanted = 'a URL with {url}, {host}, {port}, {path}, {query} or {name}, of a network scheme without a gateway'
  throw new RetrievalError('invalid-option', `The gateway in ${adviceText(advice)} needs ${wanted}.`, {
    phase: 'resolve',
    advice,
  })
}
