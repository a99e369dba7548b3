import { decodeOctets, encodeOctets, formatLocator, octetsToText, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { RequestLogin } from '@retriever/fetchers/internal'
import type { Config } from './config.ts'
import { netrcLogin } from './netrc.ts'

type Given = Pick<Config, 'login' | 'netrc' | 'sendsLoginAtOnce'>

/**
 * The URL to retrieve. If its scheme has users, it gets the user of -u, which replaces the URL's as in curl, or that of
 * -n if the URL names none, so that FTP does not first try anonymous. A password that -u or -n replaces is removed.
 */
export function enteredUrl({ url, locator, scheme }: Resolution, { login, netrc }: Given): string {
  if (locator.host === null) return url
  const typed = locator.user === null ? null : octetsToText(decodeOctets(locator.user))
  const known = login ?? netrcLogin(netrc, locator.host, typed)
  if (known === null) return url
  const isOther = login !== null && (login.password !== null || login.user !== typed)
  const user = utf8Octets(known.user)
  // An empty user in -u asks for an anonymous login.
  if (scheme.withUser !== undefined && (login !== null || user !== ''))
    return formatLocator(scheme.withUser(locator, user))
  if ((typed === null || isOther) && scheme.userinfo === 'allowed') {
    return formatLocator({ ...locator, user: encodeOctets(user), password: null })
  }
  const isReplaced = netrc?.overrides === true && locator.password !== null
  return isReplaced ? formatLocator({ ...locator, password: null }) : url
}

/** The mechanisms whose first request carries a known login. */
const atOnce: readonly string[] = ['http', 'ws', 'mqtt']

/**
 * The login of -u or -n for the first request to a typed URL of these mechanisms, as in curl. Null if there is none, if
 * its password must be asked for, or if the URL's own login applies.
 */
export function loginAtOnce(
  { locator, plan }: Resolution,
  { login, netrc, sendsLoginAtOnce }: Given,
): RequestLogin | null {
  // --digest and --anyauth concern the logins of HTTP, which WebSocket uses as well.
  const isSent = sendsLoginAtOnce || plan.mechanism === 'mqtt'
  if (!atOnce.includes(plan.mechanism) || locator.host === null || !isSent) return null
  if (login !== null) {
    const { user, password } = login
    return password === null ? null : { user, password }
  }
  if (locator.password !== null && netrc?.overrides !== true) return null
  return plan.mechanism === 'mqtt'
    ? listedLogin({ locator }, netrc)
    : netrcAtOnce({ locator }, { netrc, sendsLoginAtOnce })
}

/** The login of -n for the host and user of a URL, if Basic can send it; else null. */
export function netrcAtOnce(
  { locator }: Pick<Resolution, 'locator'>,
  { netrc, sendsLoginAtOnce }: Pick<Given, 'netrc' | 'sendsLoginAtOnce'>,
): RequestLogin | null {
  if (!sendsLoginAtOnce) return null
  const listed = listedLogin({ locator }, netrc)
  // Basic cannot send a user with a colon. Digest can, once the server asks for it.
  return listed?.user.includes(':') ? null : listed
}

function listedLogin({ locator }: Pick<Resolution, 'locator'>, netrc: Given['netrc']): RequestLogin | null {
  if (locator.host === null) return null
  const typed = locator.user === null ? null : octetsToText(decodeOctets(locator.user))
  const listed = netrcLogin(netrc, locator.host, typed)
  return listed === null ? null : { user: listed.user, password: listed.password }
}
