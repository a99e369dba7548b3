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
    wire: [`GET ${target} HTTP/1.1\r\nHost: ${authority(place, defaultPort)}\r\nUpgrade: websocket\r\n\r\n`],
  }
}
