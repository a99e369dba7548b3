import { adviceText } from './advice.ts'
import { RetrievalError } from './errors.ts'
import type { Scheme } from './scheme.ts'
import { formatLocator, type Locator } from './url/locator.ts'
import { schemeOf } from './url/split.ts'

/**
 * Templates of URLs by scheme, or by namespace of a URN: `{ wais: 'http://gateway.example/?url={url}', 'urn:isbn':
 * 'https://books.example/{name}' }`. Variables in braces (RFC 6570 3.2.2): `url`, `host`, `port`, `path`, `query`, and
 * of a URN its `name`. `{url}` is escaped; `{+url}` is put in as it is.
 */
export type Gateways = Readonly<Record<string, string>>

/** A scheme that only the gateways know (RFC 1738 4): any URL of RFC 3986, which the gateway understands. */
export function gatewayScheme(name: string, gateways: Gateways | undefined): Scheme | undefined {
  if (gateways === undefined || !Object.hasOwn(gateways, name)) return undefined
  return {
    name,
    title: 'Scheme of a gateway',
    spec: 'RFC 1738 4',
    mechanism: 'urn',
    defaultPort: null,
    anyPort: true,
    tls: 'none',
    host: 'optional',
    userinfo: 'allowed',
    query: true,
    lineParts: [],
    resolve: ({ urlPath }) => ({
      mechanism: 'urn',
      ...{ nid: name, nss: urlPath ?? '', rComponent: null, qComponent: null, locatedAt: null },
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
  const template = key === undefined ? undefined : gateways[key]
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
