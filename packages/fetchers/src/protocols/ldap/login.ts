import { octetsToText, printable } from '@retriever/core'
import { adviceText, bindnameOf, isLoopback, type LdapPlan } from '@retriever/core/internal'
import { type FoundLogin, findLogin, loginPlace } from '../../auth/found-login.ts'
import type { Credentials, RetrievalContext } from '../../contract/fetcher.ts'
import type { LdapDialogue } from './dialogue.ts'
import { loginError } from './result-errors.ts'

/**
 * Logs in by the name in the URL (`bindname`, RFC 2255 4) and the caller's password for it. Without a password the
 * search is anonymous, unless the extension is critical. Rejects with `auth-required`, `auth-failed` and others.
 */
export async function logInAsPlanned(plan: LdapPlan, dialogue: LdapDialogue): Promise<void> {
  const { context } = dialogue
  const name = bindnameOf(plan)
  if (name === null || name === '' || dialogue.login !== null) return
  if (await logIn(plan, dialogue, octetsToText(name))) return
  const isCritical = plan.extensions.some(({ type, critical }) => type.toLowerCase() === 'bindname' && critical)
  const advice = { option: 'credentials' } as const
  const message = `No password is known for ${printable(octetsToText(name))}; give one by ${adviceText(advice)}`
  if (isCritical) throw context.error('auth-required', `${message}.`, { phase: 'login', advice })
  context.emit({ type: 'remark', url: context.url, message: `${message}. The search is anonymous.`, advice })
}

/** Logs in by the caller's credentials, as `user` if that is not null. Returns false if the caller has none. */
export async function logIn(plan: LdapPlan, dialogue: LdapDialogue, user: string | null): Promise<boolean> {
  const { context } = dialogue
  let found = await findFor(plan, context, user)
  if (found === null) return false
  try {
    let result = await tryLogin(plan, dialogue, found.credentials)
    if (result.code !== 0 && found.isRemembered) {
      // Somebody has changed the password since the server accepted it.
      found.refused()
      const next = await findFor(plan, context, user, found.credentials)
      if (next !== null) {
        found = next
        result = await tryLogin(plan, dialogue, found.credentials)
      }
    }
    if (result.code !== 0) throw loginError(context, result, found.credentials.user)
    dialogue.login = found.credentials.user
    found.accepted()
    return true
  } finally {
    found.end()
  }
}

function tryLogin(
  plan: LdapPlan,
  dialogue: LdapDialogue,
  { user, password }: Credentials,
): ReturnType<LdapDialogue['bind']> {
  const { context } = dialogue
  if (password === '' || user === '') {
    // Servers answer such a bind with success, but nobody is logged in (RFC 4513 5.1.2).
    const message = 'A login needs a name and a password: without them the server would treat it as anonymous.'
    throw context.error('auth-required', message, { phase: 'login' })
  }
  if (plan.tls === 'none' && plan.socket === null && !isLoopback(plan.host) && bindnameOf(plan) === null) {
    const message = `The password of ${printable(user)} crosses the network unencrypted; use ldaps:// if you can.`
    context.emit({ type: 'remark', url: context.url, message })
  }
  return dialogue.bind(user, password)
}

function findFor(
  plan: LdapPlan,
  context: RetrievalContext,
  user: string | null,
  refused: Credentials | null = null,
): Promise<FoundLogin | null> {
  const host = plan.host || 'localhost'
  const challenge = { realm: user === null ? host : `${user} at ${host}`, host: plan.host, port: plan.port, user }
  return findLogin(context, loginPlace(context.url, challenge, plan.socket ?? 'bind'), challenge, refused)
}
