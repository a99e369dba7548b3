import { type Advice, octetsToText, printable, type RetrievalError } from '@retriever/core'
import { adviceText, type HttpPlan, utf8Octets } from '@retriever/core/internal'
import type { AuthChallenge } from '../../auth/challenge.ts'
import { DigestLogin, strongestDigest } from '../../auth/digest.ts'
import { basicLogin, type Login } from '../../auth/login.ts'
import type { Challenge, Credentials, ErrorExtras, RetrievalContext } from '../../contract/fetcher.ts'

/** Finds the credentials of a realm. `protection` names the realm and the schemes that the server accepts. */
export type FindCredentials = (challenge: Challenge, protection: string) => Promise<Credentials | null>

/**
 * Chooses the strongest scheme that the server offers: Bearer if a token is found, else Digest, else Basic. Resolves to
 * an error if there is none. Rejects if the credentials could not be asked for.
 */
export async function askCredentials(
  plan: HttpPlan,
  context: RetrievalContext,
  challenges: readonly AuthChallenge[],
  details: ErrorExtras,
  find: FindCredentials,
): Promise<Login | RetrievalError> {
  const required = (message: string, advice?: Advice): RetrievalError =>
    context.error('auth-required', message, { ...details, ...(advice && { advice }) })
  const offer = strongestDigest(challenges)
  if (offer === null && context.request.digest === true) {
    const advice = { option: 'digest' } as const
    return required(
      `The server offers no Digest login, and ${adviceText(advice)} allows no other; leave it out.`,
      advice,
    )
  }
  const others = context.request.digest === true ? [] : challenges
  const [basic, bearer] = ['basic', 'bearer'].map((name) => others.find(({ scheme }) => scheme === name))
  if (offer === null && basic === undefined && bearer === undefined) {
    // RFC 9110 15.5.2 demands a challenge, but servers that take API keys often send none.
    if (challenges.length === 0) {
      const advice = { option: 'headers', value: 'Authorization' } as const
      const what = 'The server wants a login but does not say of which kind; give the field that it takes'
      return required(`${what}, as by ${adviceText(advice)}.`, advice)
    }
    const wanted = `The server wants ${namesOf(challenges)} authentication in a form that is not supported`
    return required(`${wanted}; Basic, Digest and Bearer are.`)
  }
  const realm = offer?.realm ?? (basic ?? bearer)?.params.get('realm')
  const challenge: Challenge = {
    // The person who is asked sees the realm.
    realm: realm === undefined ? plan.host : printable(octetsToText(realm)).slice(0, 200),
    host: plan.host,
    port: plan.port,
    user: plan.user === null ? null : octetsToText(plan.user),
    ...(bearer !== undefined && { token: true }),
  }
  const protection = JSON.stringify([bearer !== undefined, offer !== null, basic !== undefined, realm ?? null])
  const credentials = await find(challenge, protection)
  if (credentials === null) {
    if (offer !== null || basic !== undefined) {
      const advice = { option: 'credentials' } as const
      return required(
        `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}.`,
        advice,
      )
    }
    const advice = { option: 'credentials', value: 'token' } as const
    return required(`The server wants a token; give it by ${adviceText(advice)}.`, advice)
  }
  const { token } = credentials
  // RFC 6750 2.1.
  if (token !== undefined && bearer !== undefined) return { credentials: () => `Bearer ${token}` }
  const login = { user: utf8Octets(credentials.user), password: utf8Octets(credentials.password) }
  if (offer !== null) return new DigestLogin(offer, login)
  if (basic === undefined)
    return required('The server accepts only tokens (Bearer), but user and password were given; give a token.')
  checkBasicUser(login.user, context)
  return basicLogin(login)
}

/** Throws `refused` if the user has a colon: the server would read only the part before it. */
export function checkBasicUser(user: string, context: RetrievalContext): void {
  if (!user.includes(':')) return
  const message = 'Basic authentication allows no colon in the user (RFC 7617 2); use another user.'
  throw context.error('refused', message, { phase: 'policy' })
}

function namesOf(challenges: readonly AuthChallenge[]): string {
  const names = [...new Set(challenges.map(({ scheme }) => scheme))].slice(0, 5)
  return printable(names.map((name) => name.slice(0, 40)).join(' or '))
}
