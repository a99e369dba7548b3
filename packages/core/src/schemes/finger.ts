import type { LinePlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * draft-ietf-uri-url-finger-03: `finger://host:port/query`. The query is RFC 1288's `{Q1}` or `{Q2}`; `/W` before it
 * asks for more.
 */
export const finger: Scheme = {
  name: 'finger',
  title: 'Who is on a host',
  spec: 'RFC 1288',
  mechanism: 'finger',
  defaultPort: 79,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'urlPath'],
  sendsFirst: true,
  resolve: fingerPlan,
}

/** Makes the plan. It also reads a user before the host, since people write `finger://user@host` and mean the same. */
function fingerPlan({ user, password, urlPath }: Locator, place: Place): LinePlan<'finger'> {
  const { host, port } = place
  if (password !== null) place.fail('finger asks for a user by name alone; leave the password out', 'password')
  if (user && urlPath && decodeOctets(user) !== decodeOctets(urlPath)) {
    place.fail(
      'only one query is sent: write the user either before the host or behind it, as in finger://host/user',
      'user',
    )
  }
  const query = decodeOctets(urlPath || (user ?? ''))
  return { mechanism: 'finger', host, port, tls: 'none', query, wire: [`${query}\r\n`] }
}
