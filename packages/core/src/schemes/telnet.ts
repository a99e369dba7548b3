import type { TelnetPlan } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * RFC 4248: `telnet://user:password@host:port/`. The URL names an interactive service, and tells the person which user
 * and password to type.
 */
export const telnet: Scheme = {
  name: 'telnet',
  title: 'Interactive session over TELNET',
  spec: 'RFC 4248',
  mechanism: 'telnet',
  defaultPort: 23,
  anyPort: true,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password'],
  handoff: true,
  session: true,
  resolve: (locator, place) => telnetPlan(locator, place, 'none'),
}

/** The scheme was never registered, but port 992 is. TLS begins with the first octet. */
export const telnets: Scheme = /* @__PURE__ */ variant(telnet, {
  name: 'telnets',
  title: 'Interactive session over TELNET with TLS',
  defaultPort: 992,
  tls: 'implicit',
  resolve: (locator, place) => telnetPlan(locator, place, 'implicit'),
})

function telnetPlan(locator: Locator, place: Place, tls: 'none' | 'implicit'): TelnetPlan {
  if (locator.urlPath) place.fail('telnet URLs end after the host and an optional /', 'urlPath')
  if (locator.query !== null) place.fail('telnet URLs have no query', 'query')
  return {
    mechanism: 'telnet',
    host: place.host,
    port: place.port,
    tls,
    user: locator.user === null ? null : decodeOctets(locator.user),
    password: locator.password === null ? null : decodeOctets(locator.password),
    // The client begins only by answering options; it never sends any part of the URL.
    wire: [],
  }
}
