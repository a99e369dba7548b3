import type { UrnPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import { lowerAscii } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'

/** RFC 8141: `urn:<NID>:<NSS>[?+<r>][?=<q>][#<f>]`. It is a name, and no common protocol retrieves it. */
export const urn: Scheme = {
  name: 'urn',
  title: 'A lasting name, independent of its location',
  spec: 'RFC 8141',
  mechanism: 'urn',
  defaultPort: null,
  tls: 'none',
  host: 'none',
  userinfo: 'forbidden',
  query: true,
  lineParts: [],
  // RFC 8141 3.1: upper and lower case are the same in the namespace and in escapes, and escapes are not decoded.
  normalizePath: (urlPath) =>
    urlPath.replace(/^[^:]*:/, lowerAscii).replace(/%[0-9A-Fa-f]{2}/g, (octet) => octet.toUpperCase()),
  resolve: urnPlan,
}

function urnPlan({ urlPath, query }: Locator, place: Place): UrnPlan {
  const [, nid = '', nss = ''] = /^([^:]*):(.*)$/s.exec(urlPath ?? '') ?? []
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]$/.test(nid) || /^(urn|urn-)$/i.test(nid)) {
    place.fail('a namespace of 2 to 32 letters, digits and hyphens must follow, as in urn:ietf:rfc:8141', 'urlPath')
  }
  if (nss === '' || nss.startsWith('/')) place.fail('a name must follow the namespace', 'urlPath')
  const [, rComponent = null, qComponent = null] = /^(?:\+(.+?))?(?:(?:^|\?)=(.+))?$/s.exec(query ?? '') ?? []
  if (query !== null && rComponent === null && qComponent === null) {
    place.fail('only ?+ and ?= may follow a name (RFC 8141 2.3)', 'query')
  }
  const plan = { nid: nid.toLowerCase(), nss, rComponent, qComponent }
  return { mechanism: 'urn', ...plan, locatedAt: locate(plan.nid, nss), wire: [] }
}

/** The URL at which the publisher of a namespace keeps the named thing. */
function locate(nid: string, nss: string): string | null {
  const rfc = nid === 'ietf' ? /^(rfc|bcp|std|fyi):(\d+)$/i.exec(nss) : null
  return rfc === null ? null : `https://www.rfc-editor.org/info/${rfc[1]?.toLowerCase()}${rfc[2]}`
}
