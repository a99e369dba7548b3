import type { WsPlan } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import { authority } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'
import { requestTarget } from './http/index.ts'
import { type HttpField, shownValue } from './http/request.ts'

/** RFC 6455 3. The user follows RFC 3986, and becomes Basic authentication, as in http (RFC 6455 4.1 step 12). */
export const ws: Scheme = {
  name: 'ws',
  title: 'Messages of a WebSocket',
  spec: 'RFC 6455 3',
  mechanism: 'ws',
  defaultPort: 80,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password'],
  sendsPassword: true,
  resolve: (locator, place) => wsPlan(locator, place, 80),
}

export const wss: Scheme = /* @__PURE__ */ variant(ws, {
  name: 'wss',
  title: `${ws.title} over TLS`,
  defaultPort: 443,
  tls: 'implicit',
  resolve: (locator, place) => wsPlan(locator, place, 443),
})

function wsPlan(locator: Locator, place: Place, defaultPort: number): WsPlan {
  if (locator.fragment !== null) {
    place.fail('the URL of a WebSocket has no fragment; write a # of its path as %23', 'fragment')
  }
  const target = requestTarget(locator, place)
  const { user, password } = locator
  const { headers, digest, login = user !== null && password !== null } = place.asked
  const authorization = login && digest !== true ? 'Basic <password>' : null
  const host = authority(place, defaultPort)
  return {
    mechanism: 'ws',
    host: place.host,
    port: place.port,
    tls: defaultPort === 443 ? 'implicit' : 'none',
    target,
    user: user === null ? null : decodeOctets(user),
    password: password === null ? null : decodeOctets(password),
    wire: [webSocketHandshake({ target, host, key, authorization, headers }).shown, close],
    unknown: {
      [key]: 'drawn for each connection',
      [close]: 'the answer to the Close frame of the server, masked by chance',
    },
  }
}

const key = '<key>'
const close = '<close>'

/** Fields that the handshake itself sets, so that a caller's header fields must not replace them (RFC 6455 4.1). */
const own = /^(?:sec-websocket-(?:key|version|accept|extensions))$/i

/** The request of a handshake. */
interface Handshake {
  readonly target: string
  /** The value of Host. */
  readonly host: string
  readonly key: string
  /** The value of Authorization, which a field of the caller replaces; null if there is no login. */
  readonly authorization: string | null
  readonly headers?: Readonly<Record<string, string | null>> | undefined
}

/**
 * The client's opening handshake (RFC 6455 4.1): `sent` is what goes to the server; `shown` has `<password>` in place
 * of what may be secret.
 */
export function webSocketHandshake({ target, host, key, authorization, headers = {} }: Handshake): {
  readonly sent: string
  readonly shown: string
} {
  const isReplaced = Object.keys(headers).some((name) => /^authorization$/i.test(name))
  const given = Object.entries(headers).filter((field): field is [string, string] => field[1] !== null)
  const fields: HttpField[] = [
    ['Host', host],
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Key', key],
    ['Sec-WebSocket-Version', '13'],
  ]
  if (authorization !== null && !isReplaced) fields.push(['Authorization', authorization])
  fields.push(...given.filter(([name]) => !own.test(name)))
  // Each connection draws a new key, so it is no secret.
  const shown = fields.map(([name, value]) => [name, own.test(name) ? value : shownValue(name, value)] as const)
  return { sent: request(target, fields), shown: request(target, shown) }
}

function request(target: string, fields: readonly HttpField[]): string {
  return `GET ${target} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
