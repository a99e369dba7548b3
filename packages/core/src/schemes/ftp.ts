import type { Finding } from '../findings.ts'
import type { Locator } from '../locator.ts'
import { decodeOctets } from '../percent.ts'
import type { FtpPlan, TlsMode } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'

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
  resolve: (locator, place) => ftpPlan(locator, place, 'none'),
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

function ftpPlan(locator: Locator, place: Place, tls: TlsMode): FtpPlan {
  const { path, typecode } = splitTypecode(locator, place)
  const segments = path.split('/').map(decodeOctets)
  const name = segments.pop() ?? ''
  const login = ftpLogin(locator, place)
  const plan = {
    mechanism: 'ftp' as const,
    host: place.host,
    port: place.port,
    tls,
    ...login,
    cwd: segments,
    name,
    typecode,
  }
  return { ...plan, wire: ftpWire(plan) }
}

/** `;type=` counts only as the raw end of the last segment, in any case; an encoded one is part of a name. RFC 1738 3.2.2. */
function splitTypecode(locator: Locator, place: Place): { path: string; typecode: FtpPlan['typecode'] } {
  const path = locator.urlPath ?? ''
  const match = /;type=([^/;]*)$/i.exec(path)
  if (match === null) return { path, typecode: null }
  const code = match[1]?.toLowerCase()
  if (code !== 'a' && code !== 'i' && code !== 'd') {
    return place.fail('the type code must be a, i or d; write a literal ; as %3B', 'urlPath')
  }
  return { path: path.slice(0, match.index), typecode: code }
}

/** No user: anonymous (RFC 1738 3.2.1), with a password that names nobody (RFC 1635 asks for an e-mail address). */
function ftpLogin({ user, password }: Locator, { defaults }: Place): Pick<FtpPlan, 'user' | 'password'> {
  const name = user === null ? 'anonymous' : decodeOctets(user)
  if (password !== null) return { user: name, password: decodeOctets(password) }
  return { user: name, password: isAnonymous(name) ? (defaults.anonymousPassword ?? 'anonymous@') : null }
}

function isAnonymous(user: string): boolean {
  return /^(anonymous|ftp)$/i.test(user)
}

function ftpWire(plan: Omit<FtpPlan, 'wire'>): string[] {
  const open = isAnonymous(plan.user) || plan.password === ''
  return [
    // RFC 4217 9: an implicit connection asks for protected data connections too.
    ...(plan.tls === 'implicit' ? ['PBSZ 0', 'PROT P'] : []),
    `USER ${plan.user}`,
    `PASS ${open ? plan.password : '<password>'}`,
    ...plan.cwd.map((segment) => `CWD ${segment}`),
    ...transfer(plan),
    // The control connection is a Telnet NVT: an octet FF is doubled (RFC 959 3.1.1.5.2, RFC 854).
  ].map((command) => `${command.replaceAll('\xFF', '\xFF\xFF')}\r\n`)
}

function transfer({ name, typecode }: Omit<FtpPlan, 'wire'>): string[] {
  if (typecode === 'd') return ['TYPE A', 'EPSV', name === '' ? 'NLST' : `NLST ${notAnOption(name)}`]
  // No server retrieves an empty name: the URL means the directory (protocols.md 2.1).
  if (name === '') return ['TYPE A', 'EPSV', 'MLSD']
  return [typecode === 'a' ? 'TYPE A' : 'TYPE I', 'EPSV', `RETR ${name}`]
}

/** Most servers hand the argument of NLST to ls, which would read `-la` as options. */
function notAnOption(name: string): string {
  return name.startsWith('-') ? `./${name}` : name
}

/** A raw `;` is reserved in ftp (RFC 1738 3.2.2); taken as part of the name, since VMS versions (`A.TXT;1`) are written so. */
function rawSemicolon({ written, span }: Inspection): Finding[] {
  const path = written('urlPath').replace(/;type=[^/;]*$/i, '')
  const at = path.indexOf(';')
  if (at === -1) return []
  const [start] = span('urlPath')
  const message = 'A raw ; is reserved in ftp URLs; it was taken as part of the name. Write %3B.'
  const place = [start + at, start + at + 1] as const
  return [{ code: 'unsafe-character', severity: 'notice', message, span: place, rule: 'RFC 1738 3.2.2' }]
}
