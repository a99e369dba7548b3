import { type HttpPlan, octetsToText, printable, utf8Octets } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { basicCredentials } from '../wire/http-connect.ts'

/** The Authorization field (RFC 7617) for what the URL says; null where it has no password: then we wait to be asked. */
export function basicFromPlan({ user, password }: HttpPlan, context: RetrievalContext): string | null {
  return user === null || password === null ? null : basic(user, password, context)
}

/** Asks whoever may know, once. Rejects with `auth-required` where nobody does. */
export async function basicFromAsking(plan: HttpPlan, context: RetrievalContext, challenge: string): Promise<string> {
  const { host, port } = plan
  const user = plan.user === null ? null : octetsToText(plan.user)
  if (!/(?:^|,)\s*basic(?:\s|,|$)/i.test(challenge)) {
    const scheme = printable(/^[^\s,]{1,40}/.exec(challenge.trim())?.[0] ?? 'a login of its own')
    throw context.error('auth-required', `The server wants ${scheme} authentication, and only Basic is spoken here.`, {
      phase: 'login',
      status: 401,
    })
  }
  const credentials = await context.credentials({ realm: realmOf(challenge) ?? host, host, port, user })
  if (credentials === null) {
    const message = 'The server wants a user and password; give them in the URL, or as credentials.'
    throw context.error('auth-required', message, { phase: 'login', status: 401 })
  }
  return basic(utf8Octets(credentials.user), utf8Octets(credentials.password), context)
}

function basic(user: string, password: string, context: RetrievalContext): string {
  if (user.includes(':')) {
    const message = 'Basic authentication knows no user with a : in the name (RFC 7617 2); use another user.'
    throw context.error('refused', message, { phase: 'policy' })
  }
  return basicCredentials(user, password)
}

/** For the person who is asked, so made harmless. */
function realmOf(challenge: string): string | null {
  const match = /\brealm\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/i.exec(challenge)
  const realm = match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2]
  return realm === undefined ? null : printable(octetsToText(realm)).slice(0, 200)
}
