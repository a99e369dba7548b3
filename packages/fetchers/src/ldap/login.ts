import { adviceText, bindnameOf, isLoopback, octetsToText, printable } from '@retriever/core'
import { type FoundLogin, findLogin, loginPlace } from '../auth/found-login.ts'
import type { Credentials } from '../plugin/fetcher.ts'
import { loginError } from './result-errors.ts'
import type { LdapSession } from './session.ts'

/**
 * Logs in by the name that the URL gives (`bindname`, RFC 2255 4) and the caller's password for it. Without a password,
 * the search is anonymous, unless the extension is critical. Rejects with `auth-required`, `auth-failed` and others.
 */
export async function logInAsPlanned(session: LdapSession): Promise<void> {
  const { plan, context } = session
  const name = bindnameOf(plan)
  if (name === null || name === '') return
  if (await logIn(session, octetsToText(name))) return
  const isCritical = plan.extensions.some(({ type, critical }) => type.toLowerCase() === 'bindname' && critical)
  const advice = { option: 'credentials' } as const
  const message = `No password is known for ${printable(octetsToText(name))}; give one by ${adviceText(advice)}`
  if (isCritical) throw context.error('auth-required', `${message}.`, { phase: 'login', advice })
  context.emit({ type: 'remark', url: context.url, message: `${message}. The search is anonymous.`, advice })
}

/** Logs in by the caller's credentials, as `user` if that is not null. False: the caller has none. */
export async function logIn(session: LdapSession, user: string | null): Promise<boolean> {
  let found = await findFor(session, user)
  if (found === null) return false
  try {
    let result = await tryLogin(session, found.credentials)
    if (result.code !== 0 && found.isRemembered) {
      // The password has changed since the server accepted it.
      found.refused()
      const next = await findFor(session, user, found.credentials)
      if (next !== null) {
        found = next
        result = await tryLogin(session, found.credentials)
      }
    }
    if (result.code !== 0) throw loginError(session.context, result, found.credentials.user)
    session.login = found.credentials.user
    found.accepted()
    return true
  } finally {
    found.end()
  }
}

function tryLogin(session: LdapSession, { user, password }: Credentials): ReturnType<LdapSession['bind']> {
  const { plan, context } = session
  if (password === '' || user === '') {
    // Servers answer such a bind with success, and nobody is logged in (RFC 4513 5.1.2).
    const message = 'A login needs a name and a password: without them the server would take it for anonymous.'
    throw context.error('auth-required', message, { phase: 'login' })
  }
  if (plan.tls === 'none' && plan.socket === null && !isLoopback(plan.host) && bindnameOf(plan) === null) {
    const message = `The password of ${printable(user)} crosses the network unencrypted; use ldaps:// if you can.`
    context.emit({ type: 'remark', url: context.url, message })
  }
  return session.bind(user, password)
}

function findFor(
  { plan, context }: LdapSession,
  user: string | null,
  refused: Credentials | null = null,
): Promise<FoundLogin | null> {
  const host = plan.host || 'localhost'
  const challenge = { realm: user === null ? host : `${user} at ${host}`, host: plan.host, port: plan.port, user }
  return findLogin(context, loginPlace(context.url, challenge, plan.socket ?? 'bind'), challenge, refused)
}
