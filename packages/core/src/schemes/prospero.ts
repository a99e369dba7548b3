import type { ProsperoPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 4157 (RFC 1738 3.11): `prospero://host:port/<hsoname>;<field>=<value>`. */
export const prospero: Scheme = {
  name: 'prospero',
  title: 'Prospero Directory Service',
  spec: 'RFC 4157',
  mechanism: 'prospero',
  defaultPort: 1525,
  ownPorts: [191],
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  lineParts: ['urlPath'],
  sendsFirst: true,
  hint: 'The directory mostly led to ftp, so the same host may answer ftp.',
  deprecated: 'prospero is historic (RFC 4157).',
  resolve: prosperoPlan,
}

/**
 * The plan. The hsoname is everything behind the / after the host, slashes included: `//pros/name` names `/pros/name`.
 */
function prosperoPlan({ urlPath }: Locator, place: Place): ProsperoPlan {
  const [name = '', ...fields] = (urlPath ?? '').split(';')
  const attributes = fields.map((attribute) => {
    const equals = attribute.indexOf('=')
    if (equals < 1) place.fail('a field has the form ;field=value; write a literal ; as %3B', 'urlPath')
    return { field: decodeOctets(attribute.slice(0, equals)), value: decodeOctets(attribute.slice(equals + 1)) }
  })
  const { host, port } = place
  return {
    mechanism: 'prospero',
    host,
    port,
    tls: 'none',
    transport: 'udp',
    hsoname: decodeOctets(name),
    attributes,
    wire: [],
  }
}
