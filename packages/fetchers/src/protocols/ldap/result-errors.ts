import { type ErrorCode, octetsToText, printable, type RetrievalError, redact } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { ErrorExtras, RetrievalContext } from '../../contract/fetcher.ts'
import type { LdapResult } from './answers.ts'

/** The result codes that have a meaning here, by number (RFC 4511 appendix A). Others are `server-refused`. */
const names: ReadonlyMap<number, string> = new Map([
  [1, 'operationsError'],
  [2, 'protocolError'],
  [3, 'timeLimitExceeded'],
  [4, 'sizeLimitExceeded'],
  [7, 'authMethodNotSupported'],
  [8, 'strongerAuthRequired'],
  [10, 'referral'],
  [11, 'adminLimitExceeded'],
  [12, 'unavailableCriticalExtension'],
  [13, 'confidentialityRequired'],
  [18, 'inappropriateMatching'],
  [21, 'invalidAttributeSyntax'],
  [32, 'noSuchObject'],
  [33, 'aliasProblem'],
  [34, 'invalidDNSyntax'],
  [36, 'aliasDereferencingProblem'],
  [48, 'inappropriateAuthentication'],
  [49, 'invalidCredentials'],
  [50, 'insufficientAccessRights'],
  [51, 'busy'],
  [52, 'unavailable'],
  [53, 'unwillingToPerform'],
  [54, 'loopDetect'],
  [80, 'other'],
])

export const resultCodes = {
  success: 0,
  sizeLimit: 4,
  referral: 10,
  adminLimit: 11,
  confidentialityRequired: 13,
  noSuchObject: 32,
} as const

/** The server's limits that end a search before its end. */
const limits: ReadonlyMap<number, string> = new Map([
  [3, 'its time limit'],
  [4, 'its size limit'],
  [11, 'an administrative limit'],
])

/**
 * Whether a server wants a login: strongerAuthRequired, inappropriateAuthentication, insufficientAccessRights, and what
 * Active Directory says in the words of operationsError (a "successful bind must be completed").
 */
export function wantsLogin({ code, words }: LdapResult): boolean {
  return [8, 48, 50].includes(code) || (code === 1 && /bind/i.test(Buffer.from(words).toString('latin1')))
}

/** Shows the result to people, such as `32 noSuchObject`, with the server's own words. Safe on a terminal. */
export function resultWords({ code, words }: LdapResult): string {
  const name = names.get(code)
  const head = name === undefined ? String(code) : `${code} ${name}`
  const said = printable(octetsToText(Buffer.from(words).toString('latin1'))).trim()
  const text = said === '' ? head : `${head}: ${said}`
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** Makes the error for a search that gave no entry. `login` is the name that was logged in, or null for nobody. */
export function searchError(context: RetrievalContext, result: LdapResult, login: string | null): RetrievalError {
  const fail = (code: ErrorCode, message: string, extras: ErrorExtras = {}): RetrievalError =>
    resultError(context, code, message, result, extras)
  if (wantsLogin(result)) {
    if (login !== null) return fail('access-denied', 'The server does not give this to you')
    const advice = { option: 'credentials' } as const
    return fail('auth-required', `The server wants a login; give one by ${adviceText(advice)}`, { advice })
  }
  switch (result.code) {
    case resultCodes.noSuchObject:
      return fail('not-found', 'The directory has no such entry')
    case resultCodes.referral:
      return fail(
        'server-refused',
        `The server does not have this itself, and refers to ${shownUrls(result.referrals)}`,
      )
    case resultCodes.confidentialityRequired:
      return tlsNeeded(context, result)
    default: {
      const limit = limits.get(result.code)
      if (limit !== undefined) return fail('server-refused', `The server stopped at ${limit}, before the first entry`)
      return fail('server-refused', 'The server refused the search', { transient: isTransient(result) })
    }
  }
}

/** Makes the error for a search that ended after some entries, which have been delivered. */
export function endedError(context: RetrievalContext, result: LdapResult, entries: number): RetrievalError {
  const limit = limits.get(result.code)
  const came = entries === 1 ? 'one entry' : `${entries} entries`
  const message =
    limit === undefined ? `The server stopped after ${came}` : `The server stopped at ${limit}, after ${came}`
  return resultError(context, 'partial', message, result, { phase: 'body', transient: isTransient(result) })
}

/** Makes the error for a refused bind. */
export function loginError(context: RetrievalContext, result: LdapResult, user: string): RetrievalError {
  if (result.code === resultCodes.confidentialityRequired) return tlsNeeded(context, result)
  // 32 and 34 refuse the name. Servers should answer 49 for it (RFC 4513 5.1.1), but some do not.
  const isRefused = [48, 49, 32, 34, 50].includes(result.code)
  const message = `The server does not accept the login of ${printable(user)}`
  return resultError(context, isRefused ? 'auth-failed' : 'server-refused', message, result, {
    transient: isTransient(result),
  })
}

/** Makes the error for a refused StartTLS. Without it, no password and no search is sent. */
export function noTls(context: RetrievalContext, result: LdapResult): RetrievalError {
  const advice = { option: 'defaults.requireTls' } as const
  const message = `The server does not offer StartTLS; try ldaps:// (port 636), or leave out ${adviceText(advice)}`
  return resultError(context, 'tls-failed', message, result, { phase: 'tls', advice })
}

/** Shows the URLs of a referral to people: at most four, without secrets. */
export function shownUrls(urls: readonly string[]): string {
  const shown = urls.slice(0, 4).map((url) => printable(redact(octetsToText(url))).slice(0, 300))
  return shown.length === 0 ? 'another one' : shown.join(', ')
}

function tlsNeeded(context: RetrievalContext, result: LdapResult): RetrievalError {
  const advice = { option: 'defaults.requireTls' } as const
  const message = `The server wants TLS for this; use ldaps:// (port 636), or ${adviceText(advice)} for StartTLS`
  return resultError(context, 'server-refused', message, result, { advice })
}

function resultError(
  context: RetrievalContext,
  code: ErrorCode,
  message: string,
  result: LdapResult,
  extras: ErrorExtras,
): RetrievalError {
  const reply = resultWords(result)
  return context.error(code, `${message}: ${reply}`, { reply, ...extras })
}

function isTransient({ code }: LdapResult): boolean {
  return code === 51 || code === 52
}
