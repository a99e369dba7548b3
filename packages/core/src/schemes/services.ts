import type { AfsPlan, IrcPlan } from '../plan.ts'
import { type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** draft-butcher-irc-url-04 (never an RFC): `irc://host:port/target,flags?key=value`. */
export const irc: Scheme = {
  name: 'irc',
  title: 'Internet Relay Chat',
  spec: 'draft-butcher-irc-url-04',
  mechanism: 'irc',
  // Port 194 is registered, but servers use 6667.
  defaultPort: 6667,
  ownPorts: [194, 6665, 6666, 6668, 6669],
  tls: 'none',
  host: 'optional',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password', 'urlPath', 'query'],
  handoff: true,
  hint: 'Use weechat or another IRC client.',
  resolve: (locator, place) => ircPlan(locator, place, 'none'),
}

export const ircs: Scheme = /* @__PURE__ */ variant(irc, {
  name: 'ircs',
  title: 'Internet Relay Chat over TLS',
  defaultPort: 6697,
  ownPorts: [994, 6679],
  tls: 'implicit',
  resolve: (locator, place) => ircPlan(locator, place, 'implicit'),
})

/**
 * Makes the plan. A channel without its # gets one. `isnick` says that the URL names a person, `needkey` that the
 * client must ask for a key.
 */
function ircPlan({ urlPath, query }: Locator, { host, port }: Place, tls: 'none' | 'implicit'): IrcPlan {
  const [name = '', ...flags] = (urlPath ?? '').split(',').map(decodeOctets)
  const nick = flags.includes('isnick') || flags.includes('isuser')
  const target = name === '' ? null : nick || /^[#&+!]/.test(name) ? name : `#${name}`
  const key = /(?:^|&)key=([^&]*)/.exec(query ?? '')?.[1]
  return {
    mechanism: 'irc',
    service: 'irc',
    host,
    port,
    tls,
    target,
    flags,
    key: key === undefined ? null : decodeOctets(key),
    wire: [],
  }
}

/**
 * RFC 1738 reserved the scheme and nobody specified it. By convention the path is below /afs, the mount point of the
 * file system.
 */
export const afs: Scheme = {
  name: 'afs',
  title: 'Andrew File System, global names',
  spec: 'RFC 1738 5 (reserved)',
  mechanism: 'afs',
  defaultPort: null,
  tls: 'none',
  host: 'optional',
  userinfo: 'forbidden',
  query: false,
  lineParts: [],
  deprecated: 'afs was reserved and never specified.',
  resolve: afsPlan,
}

function afsPlan({ host, urlPath }: Locator, place: Place): AfsPlan {
  const written = urlPath ?? ''
  // As in file URLs, a name cannot contain these octets, and a decoded / would name another file.
  if (/%(?:2F|00)/i.test(written)) place.fail('%2F and %00 cannot stand in the name of a file', 'urlPath')
  const path = decodeOctets(written).replace(/^\/?(?:afs\/)?/, '')
  const name = host === null ? path : [place.host, path].filter(Boolean).join('/')
  if (name.split('/').includes('..')) place.fail('a .. would lead out of /afs', 'urlPath')
  return { mechanism: 'afs', path: `/afs/${name}`, wire: [] }
}
