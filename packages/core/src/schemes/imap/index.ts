import type { ImapPlan, TlsMode } from '../../plan.ts'
import { type Place, type Scheme, variant } from '../../scheme.ts'
import type { Locator } from '../../url/locator.ts'
import { decodeOctets } from '../../url/percent.ts'
import { mailLogin } from '../pop.ts'
import { imapSent } from './commands.ts'
import { searchLines } from './search.ts'

/** RFC 5092: `imap://user;AUTH=*@host:port/mailbox;UIDVALIDITY=n/;UID=n/;SECTION=s/;PARTIAL=o.n`, `mailbox?search`. */
export const imap: Scheme = {
  name: 'imap',
  title: 'Mailboxes by the Internet Message Access Protocol',
  spec: 'RFC 5092',
  mechanism: 'imap',
  defaultPort: 143,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: true,
  // Line ends of a search are legal only within its literals, and searchLines() checks that.
  lineParts: ['user', 'password', 'urlPath'],
  sendsPassword: true,
  resolve: (locator, place) => imapPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
}

export const imaps: Scheme = /* @__PURE__ */ variant(imap, {
  name: 'imaps',
  title: `${imap.title} over TLS`,
  spec: 'RFC 8314',
  defaultPort: 993,
  tls: 'implicit',
  resolve: (locator, place) => imapPlan(locator, place, 'implicit'),
})

function imapPlan(locator: Locator, place: Place, tls: TlsMode): ImapPlan {
  const { urlPath, query } = locator
  const [box = '', ...parts] = (urlPath ?? '').split(/\/?;(?=(?:uidvalidity|uid|section|partial)=)/i)
  const given = new Map(
    parts.map((part) => {
      const equals = part.indexOf('=')
      return [part.slice(0, equals).toLowerCase(), decodeOctets(part.slice(equals + 1))] as const
    }),
  )
  const number = (key: string): number | null => {
    const text = given.get(key)
    if (text !== undefined && !/^[1-9]\d{0,9}$/.test(text)) place.fail(`;${key}= needs a number above 0`, 'urlPath')
    return text === undefined ? null : Number(text)
  }
  const partial = given.get('partial')
  const [, offset, length] = /^(\d{1,15})(?:\.([1-9]\d{0,14}))?$/.exec(partial ?? '') ?? []
  const section = given.get('section') ?? null
  if ((partial !== undefined && offset === undefined) || /[^\w.() -]/.test(section ?? '')) {
    place.fail(';section= or ;partial= is wrong', 'urlPath')
  }
  const plan = {
    mechanism: 'imap',
    host: place.host,
    port: place.port,
    tls,
    ...mailLogin(locator),
    mailbox: decodeOctets(box.replace(/\/$/, '')) || null,
    uidValidity: number('uidvalidity'),
    uid: number('uid'),
    section,
    partial: offset === undefined ? null : ([Number(offset), length === undefined ? null : Number(length)] as const),
    search: query === null || query === '' ? null : decodeOctets(query),
  } as const
  const { mailbox, uid, search } = plan
  const isPart = section !== null || partial !== undefined
  if ((mailbox === null && (given.size > 0 || search !== null)) || (uid === null ? isPart : search !== null)) {
    place.fail('the order is mailbox, then ?search or ;uid=, ;section=, ;partial=', 'urlPath')
  }
  if (search !== null && searchLines(search) === null) {
    const what = 'a quoted string has no end, a literal has other octets than it announces, or a line ends elsewhere'
    place.fail(`the search is wrong: ${what}`, 'query')
  }
  return { ...plan, ...imapSent(plan) }
}
