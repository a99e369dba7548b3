import { octetsToText } from '@retriever/core'
import { adviceText, utf8Octets } from '@retriever/core/internal'
import type { Credentials, RetrievalContext } from '../contract/fetcher.ts'
import { type FoundLogin, findLogin, loginPlace } from './found-login.ts'

/** What a login needs from a plan. User and password are octets, one a character. */
interface LoginPlan {
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly password: string | null
}

/** A login as octets, one a character. `found` is null if the login is that of the URL. */
export interface PlanLogin {
  readonly user: string
  readonly password: string
  readonly found: FoundLogin | null
}

/**
 * Returns the plan's login, or one that is known or asked for. For servers that take no command without a login. Throws
 * `auth-required`; `wanting` begins its sentence: `A mailbox`.
 */
export async function planLogin(plan: LoginPlan, context: RetrievalContext, wanting: string): Promise<PlanLogin> {
  const login = await findPlanLogin(plan, context)
  if (login !== null) return login
  const advice = { option: 'credentials' } as const
  const message = `${wanting} wants a user and password; give them in the URL, or by ${adviceText(advice)}.`
  throw context.error('auth-required', message, { phase: 'login', advice })
}

/** Works as planLogin(), but returns null if there is no login, or only `refused`, which the server refused last. */
export async function findPlanLogin(
  plan: LoginPlan,
  context: RetrievalContext,
  refused: Credentials | null = null,
): Promise<PlanLogin | null> {
  const { host, port, password } = plan
  if (plan.user !== null && password !== null) return { user: plan.user, password, found: null }
  const user = plan.user === null ? null : octetsToText(plan.user)
  const challenge = { realm: user === null ? host : `${user}@${host}`, host, port, user }
  const found = await findLogin(context, loginPlace(context.url, challenge, 'login'), challenge, refused)
  if (found === null) return null
  const { credentials } = found
  return { user: utf8Octets(credentials.user), password: utf8Octets(credentials.password), found }
}
