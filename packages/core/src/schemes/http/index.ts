import type { HttpPlan } from '../../plan.ts'
import { type Place, type Scheme, variant } from '../../scheme.ts'
import { authority } from '../../url/host.ts'
import type { Locator } from '../../url/locator.ts'
import { decodeOctets } from '../../url/percent.ts'
import { removeDotSegments } from '../../url/reference.ts'
import { httpSent } from './request.ts'

/** RFC 9110 4.2.1. The user follows RFC 3986, though RFC 9110 4.2.4 deprecates it, and becomes Basic authentication. */
export const http: Scheme = {
  name: 'http',
  title: 'Hypertext Transfer Protocol',
  spec: 'RFC 9110 4.2.1',
  mechanism: 'http',
  defaultPort: 80,
  ownPorts: [591, 631],
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  dotSegments: true,
  lineParts: ['user', 'password'],
  sendsPassword: true,
  resolve: (locator, place) => httpPlan(locator, place, 80),
}

export const https: Scheme = /* @__PURE__ */ variant(http, {
  name: 'https',
  title: 'Hypertext Transfer Protocol over TLS',
  spec: 'RFC 9110 4.2.2',
  defaultPort: 443,
  ownPorts: [631],
  tls: 'implicit',
  resolve: (locator, place) => httpPlan(locator, place, 443),
})

/**
 * The target of a request: path and query as written, neither decoded nor encoded. Dot-segments of the path are removed
 * (RFC 3986 5.2.4), unless pathAsIs keeps them.
 */
export function requestTarget({ urlPath, query }: Locator, { defaults }: Place): string {
  const written = `/${urlPath ?? ''}`
  const path = written.includes('/.') && defaults.pathAsIs !== true ? removeDotSegments(written) : written
  return query === null ? path : `${path}?${query}`
}

function httpPlan(locator: Locator, place: Place, defaultPort: number): HttpPlan {
  const target = requestTarget(locator, place)
  const { host, port } = place
  const { user, password } = locator
  const hasLogin = user !== null && password !== null
  const isTls = defaultPort === 443
  return {
    mechanism: 'http',
    host,
    port,
    tls: isTls ? 'implicit' : 'none',
    target,
    user: user === null ? null : decodeOctets(user),
    password: password === null ? null : decodeOctets(password),
    ...httpSent(target, authority(place, defaultPort), hasLogin, isTls, place.asked),
  }
}
