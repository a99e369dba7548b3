import type { WsPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import { authority } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'
import { requestTarget } from './http.ts'

/** RFC 6455 3. */
export const ws: Scheme = {
  name: 'ws',
  title: 'Messages of a WebSocket',
  spec: 'RFC 6455 3',
  mechanism: 'ws',
  defaultPort: 80,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: true,
  lineParts: [],
  resolve: (locator, place) => wsPlan(locator, place, 80),
}

export const wss: Scheme = {
  ...ws,
  name: 'wss',
  title: `${ws.title} over TLS`,
  defaultPort: 443,
  tls: 'implicit',
  resolve: (locator, place) => wsPlan(locator, place, 443),
}

function wsPlan(locator: Locator, place: Place, defaultPort: number): WsPlan {
  if (locator.fragment !== null) {
    place.fail('the URL of a WebSocket has no fragment; write a # of its path as %23', 'fragment')
  }
  const target = requestTarget(locator, place)
  return {
    mechanism: 'ws',
    host: place.host,
    port: place.port,
    tls: defaultPort === 443 ? 'implicit' : 'none',
    target,
    wire: [webSocketHandshake(target, authority(place, defaultPort), key, place.asked.headers), close],
    unknown: {
      [key]: 'drawn for each connection',
      [close]: 'the answer to the Close frame of the server, masked by chance',
    },
  }
}

const key = '<key>'
const close = '<close>'

/** Fields of the handshake, which a caller's header fields must not replace (RFC 6455 4.1). */
const own = /^(?:sec-websocket-(?:key|version|accept|extensions))$/i

/** The client's part of the opening handshake (RFC 6455 4.1), with the caller's header fields. */
export function webSocketHandshake(
  target: string,
  host: string,
  key: string,
  headers: Readonly<Record<string, string | null>> = {},
): string {
  const given = Object.entries(headers).filter(([name, value]) => value !== null && !own.test(name))
  const fields = [
    ['Host', host],
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Key', key],
    ['Sec-WebSocket-Version', '13'],
    ...given,
  ]
  return `GET ${target} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
