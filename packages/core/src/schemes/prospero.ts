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
  opaquePath: true,
  lineParts: ['urlPath'],
  sendsFirst: true,
  deprecated: 'prospero is historic (RFC 4157).',
  resolve: prosperoPlan,
  reading: readPackets,
}

/**
 * The attributes that the client asks for. A real server gives them for plain files as well, but only if SIZE is among
 * them.
 */
const asked = ['ACCESS-METHOD', 'BASE-TYPE', 'SIZE', 'LAST-MODIFIED']

/** The most octets of a request in one packet; the server of ISI uses the same limit. */
const packetSize = 1250

/**
 * Makes the plan. The hsoname is everything behind the / after the host, slashes included, so `//pros/name` names
 * `/pros/name`.
 */
function prosperoPlan({ urlPath }: Locator, place: Place): ProsperoPlan {
  const [name = '', ...fields] = (urlPath ?? '').split(';')
  const attributes = fields.map((attribute) => {
    const equals = attribute.indexOf('=')
    if (equals < 1) place.fail('a field has the form ;field=value; write a literal ; as %3B', 'urlPath')
    return { field: decodeOctets(attribute.slice(0, equals)), value: decodeOctets(attribute.slice(equals + 1)) }
  })
  const [version = '0'] = attributes.filter(isVersion).map(({ value }) => value)
  if (!/^\d{1,10}$/.test(version)) place.fail('OBJECT-VERSION is a number, 0 for the newest version', 'urlPath')
  const hsoname = decodeOctets(name)
  const others = attributes.filter((attribute) => !isVersion(attribute)).map(({ field }) => field.toUpperCase())
  const wanted = prosperoToken([...new Set([...asked, ...others])].join('+'))
  const { host, port } = place
  return {
    mechanism: 'prospero',
    host,
    port,
    tls: 'none',
    transport: 'udp',
    hsoname,
    attributes,
    wire: [...prosperoPackets(`GET-OBJECT-INFO ${wanted} ASCII ${prosperoToken(hsoname)} ${version}\n`), packets],
    unknown: {
      [anyId]: 'drawn for each request',
      [packets]: 'acknowledgements, and a request for what the answer names',
    },
  }
}

/** Whether a field of the URL is the version of the object, which belongs into the request. */
function isVersion({ field }: { readonly field: string }): boolean {
  return field.toUpperCase() === 'OBJECT-VERSION'
}

/** A token of a command, in quotes if it needs them; a quote within is doubled (Prospero protocol 5, 2.1). */
export function prosperoToken(text: string): string {
  return text !== '' && !/[\t\n\r ']/.test(text) ? text : `'${text.replaceAll("'", "''")}'`
}

const anyId = '<id>'
const packets = '<packets>'

/** The lines before the commands name the client's software, and a user without any proof. */
const identity = "VERSION 5 Retriever\nAUTHENTICATE '' UNAUTHENTICATED guest\n"

/**
 * The packets of a request, each behind a header of ARDP (Prospero protocol 5, appendix B) of 9 octets: connection id,
 * number of the packet, number of packets, received through. `id` is the two random octets of the connection id; `<id>`
 * stands for them in a plan.
 */
export function prosperoPackets(commands: string, id: string = anyId, head: string = identity): string[] {
  const text = head + commands
  const total = Math.ceil(text.length / packetSize)
  return Array.from({ length: total }, (_, at) => {
    const header = `\x09${id}${uint16(at + 1)}${uint16(total)}${uint16(0)}`
    return header + text.slice(at * packetSize, (at + 1) * packetSize)
  })
}

function uint16(value: number): string {
  return String.fromCharCode((value >> 8) & 255, value & 255)
}

function readPackets({ length }: readonly string[]): string[] {
  return Array.from({ length }, (_, at) => {
    return `09 (octets of the header), <id> (connection id, random), packet ${at + 1} of ${length}, received through 0`
  })
}
