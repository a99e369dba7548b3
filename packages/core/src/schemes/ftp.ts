import type { Asked } from '../asked.ts'
import { type Finding, finding } from '../finding.ts'
import type { FtpPlan, TlsMode } from '../plan.ts'
import { type Inspection, type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets, octetsToText, utf8Octets } from '../url/percent.ts'

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

/**
 * FTP with TLS from the first octet. The scheme was never registered, but port 990 is; RFC 4217 2 argues against it.
 */
export const ftps: Scheme = /* @__PURE__ */ variant(ftp, {
  name: 'ftps',
  title: 'File Transfer Protocol, implicit TLS',
  spec: 'RFC 4217',
  defaultPort: 990,
  ownPorts: [989],
  tls: 'implicit',
  resolve: (locator, place) => ftpPlan(locator, place, 'implicit'),
})

/**
 * FTP with TLS by the command AUTH, on the port of FTP itself (RFC 4217 16). The name comes from FileZilla, and was
 * never registered.
 */
export const ftpes: Scheme = /* @__PURE__ */ variant(ftp, {
  name: 'ftpes',
  title: 'File Transfer Protocol, explicit TLS',
  spec: 'RFC 4217',
  tls: 'explicit',
  resolve: (locator, place) => ftpPlan(locator, place, 'explicit'),
})

function ftpPlan(locator: Locator, place: Place, tls: TlsMode): FtpPlan {
  const path = locator.urlPath ?? ''
  const typecode = readTypecode(path, place)
  const cwd = segments(typecode === null ? path : path.slice(0, path.lastIndexOf(';')))
  const name = cwd.pop() ?? ''
  const { user, password } = ftpLogin(locator, place)
  const guessed = place.defaults.guessType && textName.test(name) ? 'a' : null
  // Neither an empty password nor the made-up password of an anonymous login is secret.
  const isSecret = locator.password !== '' && (locator.password !== null || password === null)
  const plan = {
    mechanism: 'ftp',
    host: place.host,
    port: place.port,
    tls,
    user,
    password,
    cwd,
    name,
    typecode: typecode ?? guessed,
  } as const
  return { ...plan, ...ftpSent(isSecret ? { ...plan, password: '<password>' } : plan, place.asked) }
}

/** Names of texts, for Defaults.guessType. */
const textName =
  /(?:\.(?:txt|text|asc|me|md|html?|xml|csv|tex|c|h|sh|pl|py|el|1st|diff|patch)|^(?:readme|index|license|copying|changelog|news|todo|install))$/i

/**
 * Splits at raw slashes, then decodes, so that `%2F` is a slash within a segment. A loop is faster than split() for so
 * few pieces.
 */
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

/**
 * Reads `;type=`. It counts in any case, but only if it ends the last segment and is not encoded; an encoded one is
 * part of a name (RFC 1738 3.2.2).
 */
function readTypecode(path: string, place: Place): FtpPlan['typecode'] {
  const semicolon = path.lastIndexOf(';')
  if (semicolon === -1) return null
  const [, code] = /^;type=([^/]*)$/i.exec(path.slice(semicolon)) ?? []
  if (code === undefined) return null
  const typecode = code.toLowerCase()
  if (typecode === 'a' || typecode === 'i' || typecode === 'd') return typecode
  return place.fail('the type code must be a, i or d; write a literal ; as %3B', 'urlPath')
}

/**
 * The login. A URL without a user means an anonymous login (RFC 1738 3.2.1). Its password names no person, although RFC
 * 1635 asks for an e-mail address.
 */
function ftpLogin({ user, password }: Locator, { defaults }: Place): Pick<FtpPlan, 'user' | 'password'> {
  const name = user === null ? 'anonymous' : decodeOctets(user)
  if (password !== null) return { user: name, password: decodeOctets(password) }
  return { user: name, password: isAnonymous(name) ? (defaults.anonymousPassword ?? 'anonymous@') : null }
}

/** Whether the user is one of the two names with which guests log in (RFC 1635). */
export function isAnonymous(user: string): boolean {
  return user === 'anonymous' || /^(anonymous|ftp)$/i.test(user)
}

/** The commands of a plan, without their line ends. */
export interface FtpCommands {
  /** PBSZ and PROT; empty without TLS. */
  readonly protection: readonly string[]
  readonly user: string
  /** PASS; it has no argument if the password is not known. */
  readonly pass: string
  /** One CWD for each segment. */
  readonly directories: readonly string[]
  readonly type: 'TYPE A' | 'TYPE I'
  readonly transfer: string
}

type Commanded = Pick<FtpPlan, 'tls' | 'user' | 'password' | 'cwd' | 'name' | 'typecode'>

/** The commands that the fetcher sends, unless the server or the session needs others. */
export function ftpCommands({ tls, user, password, cwd, name, typecode }: Commanded): FtpCommands {
  return {
    // RFC 4217 9: even an implicit connection must ask for protected data connections.
    protection: tls === 'none' ? [] : ['PBSZ 0', 'PROT P'],
    user: `USER ${user}`,
    pass: `PASS ${password ?? ''}`,
    directories: cwd.map((segment) => `CWD ${segment}`),
    type: typecode === 'a' || typecode === 'd' || name === '' ? 'TYPE A' : 'TYPE I',
    transfer: transferCommand(name, typecode),
  }
}

/** The command AUTH goes before the login, so that TLS protects it (RFC 4217 12.1). */
export const authTls = 'AUTH TLS'

/** The transfer command. A URL with an empty name means the directory, since no server retrieves an empty name. */
function transferCommand(name: string, typecode: FtpPlan['typecode']): string {
  if (typecode === 'd') return name === '' ? 'NLST' : `NLST ${notAnOption(name)}`
  return name === '' ? 'MLSD' : `RETR ${name}`
}

/** The commands of a new session, in order, and which of them are unknown. */
function ftpSent(plan: Commanded, asked: Asked): Pick<FtpPlan, 'wire' | 'unknown'> {
  const { protection, user, pass, directories } = ftpCommands(plan)
  const before = plan.tls === 'explicit' ? [authTls, ...protection] : protection
  const isUtf8 = hasUtf8Names(plan)
  const isListing = plan.name === '' || plan.typecode === 'd'
  const { commands, unknown } = isListing ? listingCommands(plan, asked) : fileCommands(plan, asked)
  const all = [...before, user, pass, ...(isUtf8 ? ['FEAT'] : []), ...directories, ...commands]
  const wire = all.map(ftpLine)
  if (isUtf8) wire.splice(all.indexOf('FEAT') + 1, 0, utf8)
  const reasons = {
    ...unknown,
    ...(isUtf8 && { [utf8]: 'OPTS UTF8 ON if the answer to FEAT lists UTF8, else nothing' }),
  }
  return Object.keys(reasons).length === 0 ? { wire } : { wire, unknown: reasons }
}

const utf8 = '<utf8>'

type Sent = { readonly commands: readonly string[]; readonly unknown?: Readonly<Record<string, string>> }

function listingCommands(plan: Commanded, { head, epsv }: Asked): Sent {
  const { type, transfer } = ftpCommands(plan)
  // A caller who wants only metadata learns from CWD whether the directory exists.
  if (head === true) return { commands: plan.name === '' ? [] : [`CWD ${plan.name}`] }
  return { commands: [type, passive(epsv), transfer] }
}

function fileCommands(plan: Commanded, { head, range, resumeFrom = 0, epsv, pipelining, ...asked }: Asked): Sent {
  const { type, transfer } = ftpCommands(plan)
  // SIZE is useless in TYPE A: servers count octets before or after the conversion, or refuse.
  const questions = plan.typecode === 'a' ? [`MDTM ${plan.name}`] : [`SIZE ${plan.name}`, `MDTM ${plan.name}`]
  if (head === true) return { commands: plan.typecode === 'a' ? questions : [type, ...questions] }
  // The server converts text, so offsets mean nothing; all of the text is retrieved.
  const from = plan.typecode === 'a' ? 0 : resumeFrom
  const [first = 0] = range === undefined ? [from] : typeof range[0] === 'number' ? [range[0]] : range[0]
  const isNeeded =
    range !== undefined || resumeFrom > 0 || (asked.ifChangedSince ?? asked.ifUnchangedSince) !== undefined
  // Without pipelining, both questions would cost a round trip each.
  const attributes = isNeeded || pipelining !== false ? questions : []
  const restart = first === 0 ? [] : [`REST ${first < 0 ? fromEnd : first}`]
  const commands = [type, ...attributes, passive(epsv), ...restart, transfer]
  return first < 0 ? { commands, unknown: { [fromEnd]: `the answer to SIZE, less ${-first}` } } : { commands }
}

const fromEnd = '<offset>'

function passive(epsv = true): 'EPSV' | 'PASV' {
  return epsv ? 'EPSV' : 'PASV'
}

/** Whether the path has names in UTF-8 beyond ASCII, which some servers accept only after OPTS UTF8 ON. */
export function hasUtf8Names({ cwd, name }: Pick<FtpPlan, 'cwd' | 'name'>): boolean {
  const path = [...cwd, name].join('/')
  return /[\x80-\xFF]/.test(path) && utf8Octets(octetsToText(path)) === path
}

/**
 * The line of a command as sent. The control connection is a Telnet NVT, so an octet FF is doubled (RFC 959 3.1.1.5.2,
 * RFC 854).
 */
export function ftpLine(command: string): string {
  return `${command.includes('\xFF') ? command.replaceAll('\xFF', '\xFF\xFF') : command}\r\n`
}

/**
 * Guards a name that begins with a hyphen: most servers hand the argument of NLST to ls, which reads `-la` as options.
 */
function notAnOption(name: string): string {
  return name.startsWith('-') ? `./${name}` : name
}

/**
 * The finding for a raw `;`, which is reserved in ftp (RFC 1738 3.2.2). Retriever reads it as part of the name, as in
 * VMS versions: `A.TXT;1`.
 */
function rawSemicolon({ locator, written, span }: Inspection): Finding[] {
  if (!locator.urlPath?.includes(';')) return []
  const path = written('urlPath').replace(/;type=[^/;]*$/i, '')
  const at = path.indexOf(';')
  if (at === -1) return []
  const [start] = span('urlPath')
  const message = 'A raw ; is reserved in ftp URLs; it was taken as part of the name.'
  return [finding('unsafe-character', message, [start + at, start + at + 1], 'RFC 1738 3.2.2')]
}
