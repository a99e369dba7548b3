import type { Asked } from '../../asked.ts'
import type { LdapPlan } from '../../plan.ts'
import { berElement, berInteger } from '../../wire/ber.ts'

/** The part of a plan that a search is made from. */
export type LdapSearch = Pick<LdapPlan, 'dn' | 'attributes' | 'scope' | 'filter'>

/** A part of the entries of a search (RFC 2696). */
export interface LdapPage {
  /** The most entries of the page. */
  readonly size: number
  /** Where the page begins: the octets that the server sent with the page before it; empty: the first page. */
  readonly cookie: string
}

/** The entries of a page: OpenLDAP gives so many in one search unless it is told otherwise; Active Directory 1,000. */
const usualPage = 500

/** The first request of a search: what is searched for, the most entries (0: no limit), and the page of them. */
export interface LdapAsked {
  readonly search: LdapSearch
  readonly limit: number
  /** Null: one entry at most is wanted. */
  readonly page: LdapPage | null
}

/** What is asked of a server. `head`: for the name of one entry, which shows that there is one (4.5.1.8: 1.1). */
export function ldapAsked(plan: LdapSearch, { head, limit = 0 }: Pick<Asked, 'head' | 'limit'>): LdapAsked {
  if (head === true) return { search: { ...plan, attributes: ['1.1'] }, limit: 1, page: null }
  const most = Math.min(limit, ldapMaxLimit)
  const size = most === 0 ? usualPage : Math.min(usualPage, most)
  return { search: plan, limit: most, page: plan.scope === 'base' ? null : { size, cookie: '' } }
}

/** The messages of a client (RFC 4511), each with its number. */
export const ldapRequests = {
  /**
   * A search (4.5.1). `sizeLimit`: the most entries; 0: no limit. A server that has no pages sends all entries, since
   * the control is not critical.
   */
  search(id: number, { dn, scope, filter, attributes }: LdapSearch, sizeLimit: number, page: LdapPage | null): string {
    return message(
      id,
      berElement(
        '\x63',
        berElement('\x04', dn),
        berElement('\x0a', String.fromCharCode(['base', 'one', 'sub'].indexOf(scope))),
        // Aliases are not followed.
        '\x0a\x01\0',
        berElement('\x02', berInteger(sizeLimit)),
        // No limit of time, since the deadline of the retrieval is the client's; and not the types alone.
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
   * A login by what the connection itself proves (4.2, SASL EXTERNAL of RFC 4422 appendix A): the empty credentials ask
   * for the identity that the server derives from it.
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

/** Whether the server is asked for the login that the connection proves: by a local socket, if none is named. */
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

/** `(attribute=value)`, `(attribute:dn:rule:=value)`: as checkFilter() has checked it. */
const item = /\(([A-Za-z0-9.;-]*)(?:(:[Dd][Nn])?(?::([A-Za-z0-9.-]+))?:=|([~<>]?)=)([^()\0]*)\)/y

/** The text of a filter (RFC 4515), one octet a character, which is read once from its beginning to its end. */
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
    // Core refuses a URL with another filter, but a plan can be made by others.
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

/** `univ*of*mich*`: initial, any, final; an empty initial or final is left out (RFC 4511 4.5.1.7.2). */
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
