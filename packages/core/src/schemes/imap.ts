import type { ImapPlan, TlsMode } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

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
  lineParts: ['user', 'password', 'urlPath', 'query'],
  sendsPassword: true,
  resolve: (locator, place) => imapPlan(locator, place, place.defaults.requireTls ? 'explicit' : 'none'),
}

export const imaps: Scheme = {
  ...imap,
  name: 'imaps',
  title: 'Mailboxes by the Internet Message Access Protocol over TLS',
  spec: 'RFC 8314',
  defaultPort: 993,
  tls: 'implicit',
  resolve: (locator, place) => imapPlan(locator, place, 'implicit'),
}

function imapPlan({ user, password, urlPath, query }: Locator, place: Place, tls: TlsMode): ImapPlan {
  const [, name = '', auth] = /^(.*?)(?:;auth=([^;]*))?$/is.exec(user ?? '') ?? []
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
  if (partial !== undefined && offset === undefined) place.fail(';partial= needs two numbers, as in 0.1024', 'urlPath')
  const section = given.get('section') ?? null
  if (section !== null && !/^[\w.() -]*$/.test(section)) place.fail(';section= names no part of a message', 'urlPath')
  const plan = {
    mechanism: 'imap',
    host: place.host,
    port: place.port,
    tls,
    user: name === '' ? null : decodeOctets(name),
    password: password === null ? null : decodeOctets(password),
    auth: auth === undefined ? null : decodeOctets(auth).toUpperCase(),
    mailbox: decodeOctets(box.replace(/\/$/, '')) || null,
    uidValidity: number('uidvalidity'),
    uid: number('uid'),
    section,
    partial: offset === undefined ? null : ([Number(offset), length === undefined ? null : Number(length)] as const),
    search: query === null || query === '' ? null : decodeOctets(query),
    wire: [],
  } as const
  if (plan.mailbox === null && (given.size > 0 || plan.search !== null))
    place.fail('a mailbox must come first', 'urlPath')
  if (plan.uid === null && (section !== null || partial !== undefined)) place.fail(';uid= must come first', 'urlPath')
  if (plan.uid !== null && plan.search !== null) place.fail('a search has no ;uid=', 'query')
  return plan
}
