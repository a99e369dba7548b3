import { type Finding, finding } from '../finding.ts'
import type { FtpPlan, TlsMode } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 1738 3.2: `ftp://user:password@host:port/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>`. */
export const ftp: Scheme = {
  name: 'ftp',
  title: 'File Transfer Protocol',
  spec: 'RFC 1738 3.2',
  mechanism: 'ftp',
  defaultPort: 21,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'password', 'urlPath'],
  sendsPassword: true,
  resolve: (locator, place) => ftpPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
  inspect: rawSemicolon,
}

/** FTP with TLS from the first octet. Never registered, but port 990 is (RFC 4217 2 argues against it). */
export const ftps: Scheme = {
  ...ftp,
  name: 'ftps',
  title: 'File Transfer Protocol, implicit TLS',
  spec: 'RFC 4217',
  defaultPort: 990,
  ownPorts: [989],
  tls: 'implicit',
  resolve: (locator, place) => ftpPlan(locator, place, 'implicit'),
}

/** FTP with TLS by the command AUTH, on the port of FTP itself (RFC 4217 16). Never registered; FileZilla's name for it. */
export const ftpes: Scheme = {
  ...ftp,
  name: 'ftpes',
  title: 'File Transfer Protocol, explicit TLS',
  spec: 'RFC 4217',
  tls: 'explicit',
  resolve: (locator, place) => ftpPlan(locator, place, 'explicit'),
}

function ftpPlan(locator: Locator, place: Place, tls: TlsMode): FtpPlan {
  const path = locator.urlPath ?? ''
  const typecode = readTypecode(path, place)
  const cwd = segments(typecode === null ? path : path.slice(0, path.lastIndexOf(';')))
  const name = cwd.pop() ?? ''
  const { user, password } = ftpLogin(locator, place)
  // An empty password is no secret, and neither is the one that we made up.
  const secret = locator.password !== '' && (locator.password !== null || password === null)
  const wire = ftpWire(tls, user, secret ? '<password>' : (password ?? ''), cwd, name, typecode)
  return { mechanism: 'ftp', host: place.host, port: place.port, tls, user, password, cwd, name, typecode, wire }
}

/** Split at raw slashes, then decoded: `%2F` is a slash within a segment. By hand, since split() is slow on so few pieces. */
function segments(path: string): string[] {
  const decoded: string[] = []
  let start = 0
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', start)) {
    decoded.push(decodeOctets(path.slice(start, slash)))
    start = slash + 1
  }
  decoded.push(decodeOctets(path.slice(start)))
  return decoded
}

/** `;type=` counts only as the raw end of the last segment, in any case; an encoded one is part of a name. RFC 1738 3.2.2. */
function readTypecode(path: string, place: Place): FtpPlan['typecode'] {
  const semicolon = path.lastIndexOf(';')
  if (semicolon === -1) return null
  const [, code] = /^;type=([^/]*)$/i.exec(path.slice(semicolon)) ?? []
  if (code === undefined) return null
  const typecode = code.toLowerCase()
  if (typecode === 'a' || typecode === 'i' || typecode === 'd') return typecode
  return place.fail('the type code must be a, i or d; write a literal ; as %3B', 'urlPath')
}

/** No user: anonymous (RFC 1738 3.2.1), with a password that names nobody (RFC 1635 asks for an e-mail address). */
function ftpLogin({ user, password }: Locator, { defaults }: Place): Pick<FtpPlan, 'user' | 'password'> {
  const name = user === null ? 'anonymous' : decodeOctets(user)
  if (password !== null) return { user: name, password: decodeOctets(password) }
  return { user: name, password: isAnonymous(name) ? (defaults.anonymousPassword ?? 'anonymous@') : null }
}

/** RFC 1635: the two names by which guests log in. */
export function isAnonymous(user: string): boolean {
  return user === 'anonymous' || /^(anonymous|ftp)$/i.test(user)
}

function ftpWire(
  tls: TlsMode,
  user: string,
  shown: string,
  cwd: readonly string[],
  name: string,
  typecode: FtpPlan['typecode'],
): string[] {
  // RFC 4217 12.1: before the login, which so has TLS around it.
  const wire = tls === 'explicit' ? ['AUTH TLS\r\n'] : []
  // RFC 4217 9: an implicit connection asks for protected data connections too.
  if (tls !== 'none') wire.push('PBSZ 0\r\n', 'PROT P\r\n')
  wire.push(line('USER ', user), line('PASS ', shown))
  for (const segment of cwd) wire.push(line('CWD ', segment))
  if (typecode === 'd') wire.push('TYPE A\r\n', 'EPSV\r\n', name === '' ? 'NLST\r\n' : line('NLST ', notAnOption(name)))
  // No server retrieves an empty name: the URL means the directory.
  else if (name === '') wire.push('TYPE A\r\n', 'EPSV\r\n', 'MLSD\r\n')
  else wire.push(typecode === 'a' ? 'TYPE A\r\n' : 'TYPE I\r\n', 'EPSV\r\n', line('RETR ', name))
  return wire
}

/** The control connection is a Telnet NVT: an octet FF is doubled (RFC 959 3.1.1.5.2, RFC 854). */
function line(command: string, argument: string): string {
  return `${command}${argument.includes('\xFF') ? argument.replaceAll('\xFF', '\xFF\xFF') : argument}\r\n`
}

/** Most servers hand the argument of NLST to ls, which would read `-la` as options. */
function notAnOption(name: string): string {
  return name.startsWith('-') ? `./${name}` : name
}

/** A raw `;` is reserved in ftp (RFC 1738 3.2.2); taken as part of the name, since VMS versions (`A.TXT;1`) are written so. */
function rawSemicolon({ locator, written, span }: Inspection): Finding[] {
  if (!locator.urlPath?.includes(';')) return []
  const path = written('urlPath').replace(/;type=[^/;]*$/i, '')
  const at = path.indexOf(';')
  if (at === -1) return []
  const [start] = span('urlPath')
  const message = 'A raw ; is reserved in ftp URLs; it was taken as part of the name.'
  return [finding('unsafe-character', message, [start + at, start + at + 1], 'RFC 1738 3.2.2')]
}
