import { adviceText } from './advice.ts'
import { RetrievalError } from './errors.ts'
import type { Scheme } from './scheme.ts'
import { formatLocator, type Locator } from './url/locator.ts'
import { schemeOf } from './url/split.ts'

/**
 * Gateways by scheme, or by namespace of a URN: `{ wais: 'http://gateway.example/?url={url}', 'urn:isbn':
 * 'https://books.example/{name}' }`. A text is the template alone.
 */
export type Gateways = Readonly<Record<string, string | Gateway>>

/** A gateway, and the syntax of the URLs that it understands, if Retriever does not know their scheme (RFC 1738 4). */
export interface Gateway {
  /**
   * The template of the URL that is retrieved. Variables in braces (RFC 6570 3.2.2): `url`, `host`, `port`, `path`,
   * `query`, and of a URN its `name`. `{url}` is escaped; `{+url}` is put in as it is.
   */
  readonly url: string
  /** The port of URLs that name none. It implies the generic syntax. */
  readonly port?: number
  /** `generic`: `//host:port/path` follows the colon (RFC 1738 3.1); `opaque`: no host. Default: both are taken. */
  readonly syntax?: 'generic' | 'opaque'
}

/** The gateway of that name, perhaps only a template. */
function gatewayNamed(name: string, gateways: Gateways | undefined): Gateway | undefined {
  const found = gateways !== undefined && Object.hasOwn(gateways, name) ? gateways[name] : undefined
  return typeof found === 'string' ? { url: found } : found
}

/** A scheme that only the gateways know: any URL of RFC 3986 in the declared syntax, which the gateway understands. */
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
 * The URL at the gateway for a URL of its scheme (RFC 1738 4); undefined: it has none. The login and the fragment never
 * go along. Throws `invalid-option` for a template that no URL of a network scheme (`hasHost`) comes of, or that leads
 * to a gateway again.
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
  // A page may lead to the scheme, so its gateway is a server, and never this machine.
  if (isFilled && isUrl && hasHost(target) && !Object.hasOwn(gateways, target)) return url
  const advice = { option: 'gateways', value: key } as const
  const wanted = 'a URL with {url}, {host}, {port}, {path}, {query} or {name}, of a network scheme without a gateway'
  throw new RetrievalError('invalid-option', `The gateway in ${adviceText(advice)} needs ${wanted}.`, {
    phase: 'resolve',
    advice,
  })
}
