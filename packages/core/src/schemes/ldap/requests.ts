import type { Asked } from '../../asked.ts'
import type { LdapPlan } from '../../plan.ts'
import { berElement, berInteger } from '../../wire/ber.ts'

/** The part of a plan that a search is made from. */
export type LdapSearch = Pick<LdapPlan, 'dn' | 'attributes' | 'scope' | 'filter'>

/** A part of the entries of a search (RFC 2696). */
export interface LdapPage {
  /** The most entries of the page. */
  readonly size: number
  /** The octets that the server sent with the page before; empty for the first page. */
  readonly cookie: string
}

/**
 * The entries of a page. OpenLDAP gives 500 in one search unless it is told otherwise; Active Directory gives 1,000.
 */
const usualPage = 500

/**
 * The first request of a search: what it searches for, the most entries (0: no limit), and which page of them it asks
 * for.
 */
export interface LdapAsked {
  readonly search: LdapSearch
  readonly limit: number
  /** The page; null if at most one entry is wanted. */
  readonly page: LdapPage | null
}

/**
 * What the client asks of a server. With `head` it asks for the name of one entry only (4.5.1.8: 1.1), which shows
 * whether the entry exists.
 */
export function ldapAsked(plan: LdapSearch, { head, limit = 0 }: Pick<Asked, 'head' | 'limit'>): LdapAsked {
  if (head === true) return { search: { ...plan, attributes: ['1.1'] }, limit: 1, page: null }
  const most = Math.min(limit, ldapMaxLimit)
  const size = most === 0 ? usualPage : Math.min(usualPage, most)
  return { search: plan, limit: most, page: plan.scope === 'base' ? null : { size, cookie: '' } }
}

/** Encodes the client's messages (RFC 4511), each with its number. */
export const ldapRequests = {
  /**
   * A search (4.5.1). `sizeLimit` is the most entries; 0 means no limit. The page control is not critical, so a server
   * without pages sends all entries.
   */
  search(id: number, { dn, scope, filter, attributes }: LdapSearch, sizeLimit: number, page: LdapPage | null): string {
    return message(
      id,
      berElement(
        '\x63',
        berElement('\x04', dn),
        berElement('\x0a', String.fromCharCode(['base', 'one', 'sub'].indexOf(scope))),
        // 0: the server does not follow aliases.
        '\x0a\x01\0',
        berElement('\x02', berInteger(sizeLimit)),
        // No time limit, since the retrieval has its own deadline; and values as well as types.
        '\x02\x01\0\x01\x01\0',
        new FilterText(filter).filter(),
        berElement('0', ...attributes.map((attribute) => berElement('\x04', attribute))),
      ),
      page === null ? '' : berElement('\xa0', pageControl(page)),
    )
  },
  /** A simple bind of version 3 (4.2). */
  bind: (id: number, dn: string, password: string): string =>
    message(id, berElement('\x60', '\x02\x01\x03', berElement('\x04', dn), berElement('\x80', password))),
  /**
   * A login by what the connection itself proves (4.2, SASL EXTERNAL of RFC 4422 appendix A): empty credentials ask for
   * the identity that the server derives from the connection.
   */
  externalBind: (id: number): string =>
    message(id, berElement('\x60', '\x02\x01\x03\x04\0', berElement('\xa3', berElement('\x04', 'EXTERNAL'), '\x04\0'))),
  /** StartTLS (4.14). */
  startTls: (id: number): string => message(id, berElement('\x77', berElement('\x80', '1.3.6.1.4.1.1466.20037'))),
  /** The end of the session (4.3), which has no answer. */
  unbind: (id: number): string => message(id, '\x42\0'),
} as const

/** The largest number that a request can hold (RFC 4511 4.5.1: maxInt). */
const ldapMaxLimit = 2_147_483_647

/** The requests of a plan: StartTLS, a login with `<password>`, the search, and the end of the session. */
export function ldapWire(plan: Omit<LdapPlan, 'wire'>, bindname: string | null, asked: Asked): readonly string[] {
  const { startTls, bind, externalBind, search, unbind } = ldapRequests
  const { search: sought, limit, page } = ldapAsked(plan, asked)
  let id = 0
  return [
    ...(plan.tls === 'explicit' ? [startTls(++id)] : []),
    ...(isLdapExternal(plan, bindname) ? [externalBind(++id)] : []),
    ...(bindname === null || bindname === '' ? [] : [bind(++id, bindname, '<password>')]),
    search(++id, sought, limit, page),
    unbind(++id),
  ]
}

/**
 * Whether the client asks for the login that the connection proves: it does on a local socket, unless the URL names a
 * user.
 */
export function isLdapExternal({ socket }: Pick<LdapPlan, 'socket'>, bindname: string | null): boolean {
  return socket !== null && bindname === null
}

function message(id: number, request: string, controls: string = ''): string {
  return berElement('0', berElement('\x02', berInteger(id)), request, controls)
}

/** A control (RFC 4511 4.1.11) that asks for a page (RFC 2696 2). */
function pageControl({ size, cookie }: LdapPage): string {
  const value = berElement('0', berElement('\x02', berInteger(size)), berElement('\x04', cookie))
  return berElement('0', berElement('\x04', pagedResults), berElement('\x04', value))
}

/** The object identifier of the control for pages, in requests and answers. */
export const pagedResults = '1.2.840.113556.1.4.319'

/** An item such as `(attribute=value)` or `(attribute:dn:rule:=value)`. checkFilter() has checked it. */
const item = /\(([A-Za-z0-9.;-]*)(?:(:[Dd][Nn])?(?::([A-Za-z0-9.-]+))?:=|([~<>]?)=)([^()\0]*)\)/y

/** The text of a filter (RFC 4515), one octet a character. The class reads it once, from its beginning to its end. */
class FilterText {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  filter(): string {
    const set = sets.get(this.#text[this.#at + 1])
    if (set !== undefined) return this.#set(set)
    item.lastIndex = this.#at
    const [whole, attribute = '', dn, rule, sign, value = ''] = item.exec(this.#text) ?? ['']
    // Core refuses a URL with any other filter, but callers can make plans themselves.
    this.#at += whole.length || this.#text.length
    if (sign === undefined) {
      return berElement(
        '\xa9',
        rule === undefined ? '' : berElement('\x81', rule),
        attribute === '' ? '' : berElement('\x82', attribute),
        berElement('\x83', unescaped(value)),
        dn === undefined ? '' : '\x84\x01\xff',
      )
    }
    if (sign === '' && value === '*') return berElement('\x87', attribute)
    if (sign === '' && value.includes('*')) return substrings(attribute, value)
    return berElement(signs.get(sign) ?? '\xa3', berElement('\x04', attribute), berElement('\x04', unescaped(value)))
  }

  #set(tag: string): string {
    this.#at += 2
    const members: string[] = []
    while (this.#text[this.#at] === '(') members.push(this.filter())
    this.#at++
    return berElement(tag, ...members)
  }
}

const sets: ReadonlyMap<string | undefined, string> = new Map([
  ['&', '\xa0'],
  ['|', '\xa1'],
  ['!', '\xa2'],
])

const signs: ReadonlyMap<string, string> = new Map([
  ['>', '\xa5'],
  ['<', '\xa6'],
  ['~', '\xa8'],
])

/** `univ*of*mich*`: initial, any and final substrings. An empty initial or final is left out (RFC 4511 4.5.1.7.2). */
function substrings(attribute: string, value: string): string {
  const parts = value.split('*')
  const pieces = parts.map((part, index) => {
    const tag = index === 0 ? '\x80' : index === parts.length - 1 ? '\x82' : '\x81'
    return part === '' ? '' : berElement(tag, unescaped(part))
  })
  return berElement('\xa4', berElement('\x04', attribute), berElement('0', ...pieces))
}

function unescaped(value: string): string {
  return value.replace(/\\([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
