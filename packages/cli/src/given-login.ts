import { decodeOctets, encodeOctets, formatLocator, octetsToText, type Resolution, utf8Octets } from '@retriever/core'
import type { RequestLogin } from '@retriever/fetchers'
import type { Config } from './config.ts'
import { netrcLogin } from './netrc.ts'

type Given = Pick<Config, 'login' | 'netrc' | 'sendsLoginAtOnce'>

/**
 * The URL to retrieve, if its scheme has users: with that of -u, which replaces the URL's as in curl, or with that of
 * -n if it names none, so that FTP does not try anonymous first; and without a password that -u or -n replaces.
 */
export function enteredUrl({ url, locator, scheme }: Resolution, { login, netrc }: Given): string {
  if (locator.host === null) return url
  const typed = locator.user === null ? null : octetsToText(decodeOctets(locator.user))
  const known = login ?? netrcLogin(netrc, locator.host, typed)
  if (known === null) return url
  const isOther = login !== null && (login.password !== null || login.user !== typed)
  const user = utf8Octets(known.user)
  // An empty user of -u is a wish to be anonymous.
  if (scheme.withUser !== undefined && (login !== null || user !== ''))
    return formatLocator(scheme.withUser(locator, user))
  if ((typed === null || isOther) && scheme.userinfo === 'allowed') {
    return formatLocator({ ...locator, user: encodeOctets(user), password: null })
  }
  const isReplaced = netrc?.overrides === true && locator.password !== null
  return isReplaced ? formatLocator({ ...locator, password: null }) : url
}

/** The mechanisms whose first request has a login that is known. */
const atOnce: readonly string[] = ['http', 'ws', 'mqtt']

/**
 * The login of -u or -n that goes with the first request for a typed URL of these mechanisms, as in curl; null: there
 * is none, the password is to be asked for, or the URL's own counts.
 */
export function loginAtOnce(
  { locator, plan }: Resolution,
  { login, netrc, sendsLoginAtOnce }: Given,
): RequestLogin | null {
  // --digest and --anyauth are about HTTP's logins, which a WebSocket has, too.
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

/** The login of -n for the host and user of a URL that Basic can send; null: there is none. */
export function netrcAtOnce(
  { locator }: Pick<Resolution, 'locator'>,
  { netrc, sendsLoginAtOnce }: Pick<Given, 'netrc' | 'sendsLoginAtOnce'>,
): RequestLogin | null {
  if (!sendsLoginAtOnce) return null
  const listed = listedLogin({ locator }, netrc)
  // Basic cannot send a user with a colon; Digest can, once the server asks.
  return listed?.user.includes(':') ? null : listed
}

function listedLogin({ locator }: Pick<Resolution, 'locator'>, netrc: Given['netrc']): RequestLogin | null {
  if (locator.host === null) return null
  const typed = locator.user === null ? null : octetsToText(decodeOctets(locator.user))
  const listed = netrcLogin(netrc, locator.host, typed)
  return listed === null ? null : { user: listed.user, password: listed.password }
}
