import { encodeOctets, formatLocator, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'

/**
 * The characters of a URL that delimit its parts, beside letters, digits and `-._`. Those that RFC 3986 allows beyond
 * them (`!$'()*`) mean something to a shell, and a program may be a shell script that hands them on: they are escaped,
 * as blanks, quotes and controls are.
 */
const delimiters = '~:/?#[]@&+,;=%'

/**
 * The URL for a program that opens URLs: without the password, with the host that Retriever would contact, whose
 * spelling another program may read in another way.
 */
export function urlFor({ locator, plan }: Resolution, user: string | null): string {
  const contacted = 'host' in plan && plan.host ? plan.host : null
  const isName = locator.host !== null && contacted !== null && !contacted.includes(':')
  const url = formatLocator({
    ...locator,
    user: user === null ? null : encodeOctets(utf8Octets(user)),
    password: null,
    host: isName ? contacted : locator.host,
    // The query of an irc URL has the key of the channel, which is a secret.
    query: plan.mechanism === 'irc' ? null : locator.query,
  })
  return encodeOctets(utf8Octets(url), delimiters)
}

/**
 * The mailto URL of a plan for a mail (RFC 6068), for the composer of the desktop: the fields that a link must not set
 * are left out.
 */
export function mailtoUrl({
  to,
  headers,
}: Extract<Resolution['plan'], { mechanism: 'mailto' | 'mailserver' }>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${encodeOctets(name)}=${encodeOctets(value)}`)
  const addresses = to.map((address) => {
    const at = address.lastIndexOf('@')
    return `${encodeOctets(address.slice(0, at))}@${encodeOctets(address.slice(at + 1))}`
  })
  return `mailto:${addresses.join(',')}${fields.length === 0 ? '' : `?${fields.join('&')}`}`
}
