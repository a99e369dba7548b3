import type { RtspPlan } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import { authority } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2326 3.2: the description of a presentation that a server streams. */
export const rtsp: Scheme = {
  name: 'rtsp',
  title: 'Real Time Streaming Protocol',
  spec: 'RFC 2326 3.2',
  mechanism: 'rtsp',
  defaultPort: 554,
  ownPorts: [8554],
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password'],
  sendsPassword: true,
  program: true,
  resolve: (locator, place) => rtspPlan('rtsp', locator, place),
}

/** RFC 7826 4.2: RTSP within TLS. Servers use it with version 1.0 as well. */
export const rtsps: Scheme = /* @__PURE__ */ variant(rtsp, {
  name: 'rtsps',
  title: 'Real Time Streaming Protocol over TLS',
  spec: 'RFC 7826 4.2',
  defaultPort: 322,
  ownPorts: [],
  tls: 'implicit',
  sendsPassword: false,
  resolve: (locator, place) => rtspPlan('rtsps', locator, place),
})

/** RFC 2326 3.2: RTSP over UDP, which RFC 7826 dropped. Retriever leaves it to a player. */
export const rtspu: Scheme = /* @__PURE__ */ variant(rtsp, {
  name: 'rtspu',
  title: 'Real Time Streaming Protocol over UDP',
  handoff: true,
  resolve: (locator, place) => rtspPlan('rtspu', locator, place),
})

/** Makes the plan. The request names the whole URL without its login. */
function rtspPlan(scheme: 'rtsp' | 'rtsps' | 'rtspu', locator: Locator, { host, port }: Place): RtspPlan {
  const { urlPath, query, user, password } = locator
  const path = `${urlPath === null ? '' : `/${urlPath}`}${query === null ? '' : `?${query}`}`
  const target = `${scheme}://${authority({ host, port }, scheme === 'rtsps' ? 322 : 554)}${path}`
  return {
    mechanism: 'rtsp',
    host,
    port,
    tls: scheme === 'rtsps' ? 'implicit' : 'none',
    target,
    transport: scheme === 'rtspu' ? 'udp' : 'tcp',
    user: user === null ? null : decodeOctets(user),
    password: password === null ? null : decodeOctets(password),
    wire: [`DESCRIBE ${target} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n`],
  }
}
