import type { Tn3270Plan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * RFC 6270: `tn3270://user@host:port/`, a service on an IBM mainframe, whose first screen Retriever can read. It tells
 * the person which user to type.
 */
export const tn3270: Scheme = {
  name: 'tn3270',
  title: 'First screen of a service over TN3270',
  spec: 'RFC 6270',
  mechanism: 'tn3270',
  defaultPort: 23,
  anyPort: true,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password'],
  program: true,
  session: false,
  resolve: tn3270Plan,
}

function tn3270Plan(locator: Locator, place: Place): Tn3270Plan {
  if (locator.urlPath) place.fail('tn3270 URLs end after the host and an optional /', 'urlPath')
  if (locator.query !== null) place.fail('tn3270 URLs have no query', 'query')
  const user = locator.user === null ? null : decodeOctets(locator.user)
  // The client only answers the server's negotiation (RFC 1576 3), and sends no part of the URL.
  return {
    mechanism: 'tn3270',
    service: 'tn3270',
    host: place.host,
    port: place.port,
    tls: 'none',
    user,
    wire: [answers],
    unknown,
  }
}

const answers = '<answers>'
const unknown = { [answers]: 'the answers to what the server negotiates; it speaks first' }
