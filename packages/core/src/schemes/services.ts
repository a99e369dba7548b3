import type { AfsPlan, IrcPlan, MailserverPlan, Tn3270Plan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'
import { telnet } from './telnet.ts'

/** RFC 6270: an interactive service on an IBM mainframe. */
export const tn3270: Scheme = {
  ...telnet,
  name: 'tn3270',
  title: 'Interactive session over TN3270',
  spec: 'RFC 6270',
  mechanism: 'tn3270',
  session: false,
  hint: 'Use c3270 or x3270.',
  resolve: tn3270Plan,
}

function tn3270Plan(locator: Locator, place: Place): Tn3270Plan {
  if (locator.urlPath) place.fail('tn3270 URLs end after the host and an optional /', 'urlPath')
  if (locator.query !== null) place.fail('tn3270 URLs have no query', 'query')
  const user = locator.user === null ? null : decodeOctets(locator.user)
  return { mechanism: 'tn3270', service: 'tn3270', host: place.host, port: place.port, tls: 'none', user, wire: [] }
}

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

export const ircs: Scheme = {
  ...irc,
  name: 'ircs',
  title: 'Internet Relay Chat over TLS',
  defaultPort: 6697,
  ownPorts: [994, 6679],
  tls: 'implicit',
  resolve: (locator, place) => ircPlan(locator, place, 'implicit'),
}

/**
 * The plan. A channel without its # gets one; `isnick` says that a person is meant, `needkey` that the client must ask
 * for a key.
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

/** Reserved by RFC 1738 and never specified; by convention a path below /afs, the mount point of the file system. */
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
  hint: 'Where AFS is mounted, the file URL of the same path opens it.',
  deprecated: 'afs was reserved and never specified.',
  resolve: afsPlan,
}

function afsPlan({ host, urlPath }: Locator, place: Place): AfsPlan {
  const path = decodeOctets(urlPath ?? '').replace(/^\/?(?:afs\/)?/, '')
  if (path.includes('\0')) place.fail('a path cannot hold an encoded NUL', 'urlPath')
  if (path.split('/').includes('..')) place.fail('a .. would lead out of /afs', 'urlPath')
  const name = host === null ? path : [place.host, path].filter(Boolean).join('/')
  return { mechanism: 'afs', path: `/afs/${name}`, wire: [] }
}

/** Reserved by RFC 1738, never specified, made historic by RFC 6196. */
export const mailserver: Scheme = {
  name: 'mailserver',
  title: 'Data from a mail server, by mail',
  spec: 'RFC 6196',
  mechanism: 'mailserver',
  defaultPort: null,
  tls: 'none',
  host: 'optional',
  userinfo: 'allowed',
  query: true,
  lineParts: ['user', 'password', 'urlPath', 'query'],
  hint: 'Use mailto, or an imap URL (RFC 5092) for mail that is on a server.',
  deprecated: 'mailserver was never specified and is historic (RFC 6196).',
  resolve: ({ urlPath }): MailserverPlan => ({
    mechanism: 'mailserver',
    service: 'mailserver',
    text: decodeOctets(urlPath ?? ''),
    wire: [],
  }),
}
