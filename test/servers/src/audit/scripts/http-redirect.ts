import { mustFail, type Script, type Stage } from '../script.ts'
import { type HttpRow, httpRows, type Reply, whole } from './http.ts'

const moved = (location: string, status = 302): string =>
  `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`

const addressOf = ({ victim }: Stage): string => `${victim.host}:${victim.port}`

/** Every request is sent on, to what is made of the victim's address. */
const to =
  (location: (address: string, stage: Stage) => string): Reply =>
  (_asked, stage) =>
    moved(location(addressOf(stage), stage))

/**
 * The schemes that no redirect of HTTP may lead to: each would let a web server speak to other servers. Ftp is none of
 * them, since clients that go there do so on purpose.
 */
const schemes = [
  ...['gopher', 'gophers', 'sftp', 'scp', 'ldap', 'ldaps', 'telnet', 'nntp', 'dict', 'finger', 'wais'],
  ...['tftp', 'imap', 'pop3', 'smtp', 'smb', 'rtsp', 'rtmp', 'mqtt', 'ws', 'gemini', 'nfs', 'irc', 'redis', 'ssh'],
]

const row: HttpRow = { outcome: mustFail, victim: 'untouched' }

/** Places that are no URL of a web server. None has a host that a client would look up. */
const nowhere: Readonly<Record<string, Reply>> = {
  'to a local file': to((_address, { outside }) => `file://${outside}`),
  'to a local file, in capitals': to((_address, { outside }) => `FILE://${outside}`),
  'to a local file of localhost': to((_address, { outside }) => `file://localhost${outside}`),
  'to a path of this machine with three slashes': to((_address, { outside }) => `file:${outside}`),
  'to data': moved('data:text/plain,evil'),
  'to a script': moved('javascript:alert(1)'),
  'to a manual page': moved('man:ls'),
  'to a mail': moved('mailto:evil@127.0.0.1'),
  'to a wrapped URL': to((address) => `view-source:http://${address}/`),
  'to a marked URL': to((address) => `URL:http://${address}/`),
  'to a made-up scheme': to((address) => `http+evil://${address}/`),
  'to port 0': moved('http://127.0.0.1:0/'),
  'to port 65536 and more': to(({ length: _ }, { victim }) => `http://${victim.host}:${65_536 + victim.port}/`),
  'to a port below zero': moved('http://127.0.0.1:-80/'),
  'to a port that is a word': moved('http://127.0.0.1:http/'),
  'to an address within brackets that is none of IPv6': to(
    (_address, { victim }) => `http://[${victim.host}]:${victim.port}/`,
  ),
  'to an empty URL': moved(''),
  'to itself': ({ target }) => moved(target),
  'to itself by 301': ({ target }) => moved(target, 301),
  'to itself by 307': ({ target }) => moved(target, 307),
  'round and round': ({ target }) => moved(target === '/a' ? '/b' : '/a'),
  'to a host with an escaped slash': to((address) => `http://127.0.0.1%2f@${address.replace(':', '%3a')}/`),
}

/** Places where clients may go or not: nothing of the Location may become a request of its own. */
const injections: Readonly<Record<string, Reply>> = {
  'with an escaped CRLF in the path': to((address) => `http://${address}/a%0d%0aX-Evil:%20yes`),
  'with an escaped LF in the path': to((address) => `http://${address}/a%0aX-Evil:%20yes`),
  'with an escaped CRLF in the query': to((address) => `http://${address}/?a=%0d%0aX-Evil:%20yes`),
  'with a CRLF in the login': to((address) => `http://a%0d%0aX-Evil:%20yes@${address}/`),
  'with a bare CR in the path': to((address) => `http://${address}/a\rX-Evil: yes`),
  'with a bare CR and LF in the fragment': to((address) => `http://${address}/#a%0d%0aX-Evil: yes`),
  'with letters whose last octet is CR and LF': to((address) => `http://${address}/\xc4\x8d\xc4\x8aX-Evil:\xc4\xa0yes`),
  'with a blank and a version in the path': to((address) => `http://${address}/a HTTP/1.1\tX-Evil: yes`),
  'with a NUL in the path': to((address) => `http://${address}/a\0X-Evil: yes`),
}

/** What leads to the victim only if the authority is read wrongly. Nobody listens at port 1. */
const confusions: Readonly<Record<string, Reply>> = {
  'with a # before the @': to((address) => `http://127.0.0.1:1#@${address}/`),
  'with a ? before the @': to((address) => `http://127.0.0.1:1?@${address}/`),
}

export const httpRedirect: readonly Script[] = [
  ...httpRows(
    'redirect',
    row,
    named('to ', Object.fromEntries(schemes.map((scheme) => [scheme, to((address) => `${scheme}://${address}/x`)]))),
  ),
  ...httpRows('redirect', row, named('', nowhere)),
  ...httpRows('redirect', { victim: { never: '\nX-Evil' } }, named('', injections)),
  ...httpRows('redirect', { victim: 'untouched' }, named('', confusions)),
  ...httpRows(
    'redirect',
    { victim: 'untouched' },
    {
      'Refresh to another server': (_asked, stage) =>
        whole.replace('\r\n', `\r\nRefresh: 0; url=http://${addressOf(stage)}/\r\n`),
      'Content-Location of another server': (_asked, stage) =>
        whole.replace('\r\n', `\r\nContent-Location: http://${addressOf(stage)}/\r\n`),
      'a link of a mirror on another server': (_asked, stage) =>
        whole.replace('\r\n', `\r\nLink: <http://${addressOf(stage)}/>; rel=preload; as=script\r\n`),
      'Location beside 200': (_asked, stage) => whole.replace('\r\n', `\r\nLocation: http://${addressOf(stage)}/\r\n`),
      'Location beside 404': (_asked, stage) => moved(`http://${addressOf(stage)}/`, 404),
      'Alt-Svc of another server': (_asked, stage) =>
        whole.replace('\r\n', `\r\nAlt-Svc: http/1.1="${addressOf(stage)}"\r\n`),
    },
  ),
]

function named(prefix: string, rows: Readonly<Record<string, Reply>>): Record<string, Reply> {
  return Object.fromEntries(Object.entries(rows).map(([name, reply]) => [`a redirect ${prefix}${name}`, reply]))
}
