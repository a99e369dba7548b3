import { adviceText } from '../advice.ts'
import { RetrievalError } from '../errors.ts'
import { type Finding, finding } from '../finding.ts'
import type { NntpPlan, TlsMode } from '../plan.ts'
import { printable } from '../printable.ts'
import { type Inspection, type Place, type Scheme, variant } from '../scheme.ts'
import { redact } from '../secrets/redact.ts'
import { parseHost } from '../url/host.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 5538 2: `news:<group or message-id or wildmat>`, `news://server/...`; RFC 1738 3.6 had no server. */
export const news: Scheme = {
  name: 'news',
  title: 'USENET news, by group or message-id',
  spec: 'RFC 5538 2',
  mechanism: 'nntp',
  defaultPort: 119,
  tls: 'none',
  host: 'optional',
  userinfo: 'allowed',
  // `?` is a wildcard in a wildmat, so it begins no query.
  query: false,
  lineParts: ['user', 'password', 'urlPath'],
  sendsPassword: true,
  resolve: (locator, place) => newsPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
  inspect: (inspection) => [...noServer(inspection), ...groupName(inspection)],
}

export const snews: Scheme = /* @__PURE__ */ variant(news, {
  name: 'snews',
  title: 'USENET news over TLS',
  spec: 'RFC 5538 5',
  defaultPort: 563,
  tls: 'implicit',
  deprecated: 'snews is historic (RFC 5538); it means news over TLS on port 563.',
  resolve: (locator, place) => newsPlan(locator, place, 'implicit'),
})

/** RFC 5538 3 (RFC 1738 3.7): `nntp://host:port/<newsgroup>/<article number>`. */
export const nntp: Scheme = /* @__PURE__ */ variant(news, {
  name: 'nntp',
  title: 'USENET news, by server, group and number',
  spec: 'RFC 5538 3',
  host: 'required',
  inspect: (inspection) => [...serverSpecific(inspection), ...groupName(inspection)],
  resolve: (locator, place) => nntpPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
})

/** NNTP over TLS. The name is common, but not registered (RFC 8143). */
export const nntps: Scheme = /* @__PURE__ */ variant(nntp, {
  name: 'nntps',
  title: 'USENET news over TLS, by server, group and number',
  spec: 'RFC 8143',
  defaultPort: 563,
  tls: 'implicit',
  resolve: (locator, place) => nntpPlan(locator, place, 'implicit'),
})

type Selected = Pick<NntpPlan, 'newsgroup' | 'articleNumber' | 'articleRange' | 'messageId'>
type Selection = Pick<NntpPlan, 'select'> & Partial<Selected>

function newsPlan(locator: Locator, place: Place, tls: TlsMode): NntpPlan {
  const name = decodeOctets(locator.urlPath ?? '')
  if (name.includes('@'))
    return plan(locator, place, tls, { select: 'message', messageId: checkMessageId(name, place) })
  if (name === '' || name === '*') return plan(locator, place, tls, { select: 'groups' })
  checkGroup(name, place)
  return plan(locator, place, tls, { select: /[*?]/.test(name) ? 'groups' : 'group', newsgroup: name })
}

function nntpPlan(locator: Locator, place: Place, tls: TlsMode): NntpPlan {
  const [group = '', number = '', ...rest] = (locator.urlPath ?? '').split('/')
  const newsgroup = decodeOctets(group)
  if (newsgroup.includes('@')) place.fail('a message-id goes into a news URL: news://host/message-id', 'urlPath')
  if (rest.length > 0) place.fail('only a group and an article number may follow the host', 'urlPath')
  if (newsgroup === '') {
    if (number !== '') place.fail('a group must stand before the article number', 'urlPath')
    return plan(locator, place, tls, { select: 'groups' })
  }
  checkGroup(newsgroup, place)
  if (number === '')
    return plan(locator, place, tls, { select: /[*?]/.test(newsgroup) ? 'groups' : 'group', newsgroup })
  const [low, high] = splitRange(number)
  const articleNumber = readNumber(low, place)
  if (high === undefined) return plan(locator, place, tls, { select: 'article', newsgroup, articleNumber })
  const last = high === '' ? null : readNumber(high, place)
  if (last !== null && last < articleNumber) place.fail('the range of articles ends before it begins', 'urlPath')
  return plan(locator, place, tls, { select: 'group', newsgroup, articleRange: [articleNumber, last] })
}

/** Splits `12`. `12-34` and `12-` are an extension (RFC 3977 8.3.1). */
function splitRange(numbers: string): [low: string, high: string | undefined] {
  const dash = numbers.indexOf('-')
  return dash === -1 ? [numbers, undefined] : [numbers.slice(0, dash), numbers.slice(dash + 1)]
}

/** Reads an article number, between 1 and 2,147,483,647 and of up to 16 digits (RFC 3977 6). */
function readNumber(digits: string, place: Place): number {
  const value = Number(digits)
  if (/^\d{1,16}$/.test(digits) && value >= 1 && value <= 2_147_483_647) return value
  return place.fail('the article number must lie between 1 and 2147483647', 'urlPath')
}

function plan(locator: Locator, place: Place, tls: TlsMode, selection: Selection): NntpPlan {
  const { select, newsgroup = null, articleNumber = null, messageId = null, articleRange } = selection
  const { host, port } = place.host === '' ? defaultServer(place) : place
  return {
    mechanism: 'nntp',
    host,
    port,
    tls,
    user: locator.user === null ? null : decodeOctets(locator.user),
    password: locator.password === null ? null : decodeOctets(locator.password),
    select,
    newsgroup,
    articleNumber,
    messageId,
    ...(articleRange !== undefined && { articleRange }),
    wire: [...(tls === 'explicit' ? ['STARTTLS\r\n'] : []), ...nntpWire(selection, place.asked.head === true)],
    ...unknownOf(selection, locator.user === null ? null : decodeOctets(locator.user)),
  }
}

/**
 * The configured server: `news.example.org`, `news.example.org:1119`, or its URL, since people write one in
 * $NNTPSERVER. Throws `invalid-option`.
 */
function defaultServer({ port, defaults, domainToAscii }: Place): Pick<NntpPlan, 'host' | 'port'> {
  const { newsServer } = defaults
  if (newsServer === undefined) return { host: null, port }
  const [, name = '', digits] = /^(?:(?:s?news|nntps?):\/\/)?(.*?)(?::(\d{1,5}))?\/?$/i.exec(newsServer) ?? []
  const host = parseHost(name, domainToAscii)
  const chosen = digits === undefined ? port : Number(digits)
  if (host !== undefined && chosen <= 65_535) return { host: host.name, port: chosen }
  const advice = { option: 'defaults.newsServer' } as const
  const message = `${JSON.stringify(printable(redact(newsServer)))} is no News server: give host or host:port by ${adviceText(advice)}.`
  throw new RetrievalError('invalid-option', message, { phase: 'resolve', advice })
}

/**
 * The commands of the plan. The fetcher sends them unchanged, except OVER, whose numbers come with the reply to GROUP.
 */
function nntpWire({ select, newsgroup, articleNumber, articleRange, messageId }: Selection, isHead: boolean): string[] {
  const article = isHead ? 'HEAD' : 'ARTICLE'
  switch (select) {
    case 'groups':
      return [newsgroup === undefined ? 'LIST ACTIVE\r\n' : `LIST ACTIVE ${newsgroup}\r\n`]
    case 'group':
      return [`GROUP ${newsgroup}\r\n`, `OVER ${articleRange?.[0] ?? low}-${articleRange?.[1] ?? high}\r\n`]
    case 'article':
      return [`GROUP ${newsgroup}\r\n`, `${article} ${articleNumber}\r\n`]
    case 'message':
      return [`${article} <${messageId}>\r\n`]
  }
}

const low = '<low>'
const high = '<high>'

function unknownOf({ select, articleRange }: Selection, user: string | null): Pick<NntpPlan, 'unknown'> {
  const isOpen = select === 'group' && articleRange?.[1] == null
  const unknown = {
    ...(isOpen && articleRange === undefined && { [low]: 'the answer to GROUP gives the first and the last article' }),
    ...(isOpen && { [high]: 'the answer to GROUP gives the last article' }),
    ...(user !== null && {
      AUTHINFO: `AUTHINFO USER ${user} and AUTHINFO PASS <password> are sent once the server wants a login (480)`,
    }),
  }
  return Object.keys(unknown).length === 0 ? {} : { unknown }
}

/**
 * Checks a message-id (RFC 5536 3.1.3): at most 250 octets with its brackets, printable ASCII, without blanks, and
 * without brackets inside.
 */
function checkMessageId(id: string, place: Place): string {
  // CR, LF and NUL pass: the finding encoded-delimiter reports them.
  if (/[^!-~]|[<>]/.test(id.replace(/[\0\r\n]/g, '')) || id.length > 248) {
    place.fail('a message-id has at most 248 characters, all ASCII, no blank and no < or >', 'urlPath')
  }
  return id
}

/**
 * Checks a group's name (RFC 5536 3.1.4): a blank would split the command. CR, LF and NUL pass, since the finding
 * encoded-delimiter reports them.
 */
function checkGroup(group: string, place: Place): void {
  if (/[\t ]/.test(group)) place.fail('a newsgroup name holds no blank', 'urlPath')
}

function noServer({ plan, span }: Inspection): Finding[] {
  if (plan.mechanism !== 'nntp' || plan.host !== null) return []
  return [finding('no-server', 'The URL names no server, and none is configured.', span('urlPath'), 'RFC 1738 3.6')]
}

function serverSpecific({ plan, span }: Inspection): Finding[] {
  if (plan.mechanism !== 'nntp' || plan.select !== 'article') return []
  const message = 'The number of the article has a meaning on this server only.'
  return [finding('server-specific', message, span('urlPath'), 'RFC 1738 3.7')]
}

/**
 * The finding for a name that cannot be a group's: by RFC 1738 5 these begin with a letter. Often it is a number or
 * half a message-id.
 */
function groupName({ plan, span }: Inspection): Finding[] {
  if (plan.mechanism !== 'nntp' || plan.select === 'groups' || /^[A-Za-z]/.test(plan.newsgroup ?? 'a')) return []
  const isNumber = /^\d+$/.test(plan.newsgroup ?? '')
  const message = isNumber
    ? 'The name of the group is a number, like that of an article; no new group gets such a name.'
    : 'The name of the group does not begin with a letter. RFC 5536 allows digits, RFC 1738 does not.'
  return [finding('group-name', message, span('urlPath'), isNumber ? 'RFC 5536 3.1.4' : 'RFC 1738 5')]
}
