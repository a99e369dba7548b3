import { createHmac } from 'node:crypto'
import { schemeOf } from '@retriever/core/internal'

/** A URL, and the form in which an address asks for it. */
export interface Wanted {
  readonly url: string
  /**
   * `raw=1`: the octets; `answer=KEY`: those with which the server answered a form; `zip=1`: a folder's files;
   * `part=2`: a part of a message; `sort=-size`: the page in another order. Null: the page.
   */
  readonly own: string | null
}

/** The parameter of the gateway at the end of an address. */
const ownParameter = /[?&]((?:raw=1|answer=[\w-]{24}|zip=1|part=\d+(?:\.\d+)*|sort=-?(?:name|size|modified)))$/
/** The characters that browsers send in an address as they are; behind `?`, they escape an apostrophe. */
const plain = /^[\w.~!$&'()*+,;=:@%/[\]-]*(?:\?[\w.~!$&()*+,;=:@%/?[\]-]*)?$/
/** A segment that browsers take out of an address. */
const dots = /(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)/i

/**
 * The address of a URL's page: `/gopher/h/1/` for `gopher://h/1/`, `/news/a.b` for `news:a.b`. A URL that browsers
 * would change, or that has no such form, has the address `/-/` with the whole URL escaped. Fragments are left out.
 */
export function addressOf(url: string, own?: string): string {
  const whole = url.replace(/#.*$/s, '')
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(whole) ?? []
  const short = `/${scheme.toLowerCase()}/${rest.replace(/^\/\//, '')}`
  const isShort = plain.test(short) && !dots.test(short) && urlAt(short)?.url === whole
  const address = isShort ? short : `/-/${encodeURIComponent(whole.replace(/\p{Surrogate}/gu, '\uFFFD'))}`
  return own === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${own}`
}

/** The URL of an address, and its form; null if it is the address of none. */
export function urlAt(address: string): Wanted | null {
  const [, own = null] = ownParameter.exec(address) ?? []
  const target = own === null ? address : address.slice(0, -own.length - 1)
  const [, first = '', rest = ''] = /^\/([a-z0-9+.-]+)\/(.*)$/s.exec(target) ?? []
  if (first === '' || rest === '') return null
  if (first !== '-') return { url: `${first}:${hasHost(first, rest) ? '//' : ''}${rest}`, own }
  try {
    return { url: decodeURIComponent(rest), own }
  } catch {
    return null
  }
}

/** Whether `//` stood before the rest. A newsgroup and a message-id have no server. */
function hasHost(scheme: string, rest: string): boolean {
  if (/^(?:data|urn|mid|cid|mailto|man|info|whatis)$/.test(scheme)) return false
  return !/^s?news$/.test(scheme) || rest.includes('/')
}

/**
 * The label below `localhost` from which octets of an origin come: no page of another origin can read them. With the
 * key, no other site can know it, so that it proves that a page of ours led there.
 */
export function labelOf(url: string, key: string): string {
  const [, authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return createHmac('sha256', key)
    .update(`${schemeOf(url)} ${host.toLowerCase()}`)
    .digest('hex')
    .slice(0, 16)
}
