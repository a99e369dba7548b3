import type { WaisPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * RFC 4156 (RFC 1738 3.9): `wais://host/database`, `wais://host/database?search`, `wais://host/database/wtype/wpath`.
 */
export const wais: Scheme = {
  name: 'wais',
  title: 'Wide Area Information Servers',
  spec: 'RFC 4156',
  mechanism: 'wais',
  defaultPort: 210,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: true,
  // Lengths frame everything, but the URL decides octets that a server of another protocol would read as lines.
  lineParts: ['urlPath', 'query'],
  sendsFirst: true,
  hint: 'The successor of the protocol is Z39.50.',
  deprecated: 'wais is historic (RFC 4156).',
  resolve: waisPlan,
}

function waisPlan({ urlPath, query }: Locator, place: Place): WaisPlan {
  const [database = '', wtype, ...rest] = (urlPath ?? '').split('/')
  if (database === '') place.fail('a database must follow the host, as in wais://host/database', 'urlPath')
  // The document-id is opaque: its slashes stay (RFC 1738 3.9).
  const wpath = rest.length === 0 ? null : rest.join('/')
  if (wtype !== undefined && (wtype === '' || wpath === null || wpath === '')) {
    place.fail('a type and a document-id belong together, as in wais://host/database/TEXT/id', 'urlPath')
  }
  if (wtype !== undefined && query !== null) place.fail('a document has no search; write a literal ? as %3F', 'query')
  return {
    mechanism: 'wais',
    host: place.host,
    port: place.port,
    tls: 'none',
    database: decodeOctets(database),
    // Old clients wrote blanks as +, so these are replaced before decoding.
    search: query === null ? null : decodeOctets(query.replaceAll('+', ' ')),
    wtype: wtype === undefined ? null : decodeOctets(wtype),
    wpath: wpath === null ? null : decodeOctets(wpath),
    wire: [],
  }
}
