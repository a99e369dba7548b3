import { createHash } from 'node:crypto'
import type { AccessPlans } from '@retriever/core'
import { planLogin } from '../auth/plan-login.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { type PopDialogue, type PopReply, wordsOf } from './dialogue.ts'

type Plan = AccessPlans['pop3']

/**
 * Logs in by APOP if the greeting offers it (RFC 1939 7), so that the password does not cross the network, else by USER
 * and PASS. Rejects with auth-required, auth-failed, or `refused` for another way in the URL.
 */
export async function logIn(
  plan: Plan,
  dialogue: PopDialogue,
  context: RetrievalContext,
  greeting: PopReply,
): Promise<void> {
  // RFC 1939 7: the timestamp has the form of a Message-ID, which tells it from a name in angle brackets.
  const [timestamp] = /<[^<>\s@]+@[^<>\s@]+>/.exec(greeting.text) ?? []
  checkAuth(plan, context, timestamp !== undefined)
  const { user, password, found } = await planLogin(plan, context, 'A mailbox')
  try {
    const reply = await (timestamp === undefined
      ? byPassword(dialogue, user, password)
      : byDigest(dialogue, user, timestamp + password))
    if (!reply.isOk) {
      found?.refused()
      throw dialogue.refusal(reply, 'auth-failed', `The server does not accept the login of ${wordsOf(user)}`)
    }
    found?.accepted()
  } finally {
    found?.end()
  }
}

/** RFC 2384 5: the URL may name the way to log in. */
function checkAuth({ auth }: Plan, context: RetrievalContext, hasDigest: boolean): void {
  if (auth === null || auth === '*' || (auth === '+APOP' && hasDigest)) return
  const what = auth === '+APOP' ? 'The server offers no APOP' : 'Only +APOP and * are known as ways to log in'
  throw context.error('refused', `${what}; leave ";auth=" out of the URL, or write ";auth=*".`, { phase: 'login' })
}

async function byPassword(dialogue: PopDialogue, user: string, password: string): Promise<PopReply> {
  const reply = await dialogue.ask('login', `USER ${user}`)
  return reply.isOk ? dialogue.ask('login', `PASS ${password}`, password) : reply
}

function byDigest(dialogue: PopDialogue, user: string, text: string): Promise<PopReply> {
  const digest = createHash('md5').update(text, 'latin1').digest('hex')
  return dialogue.ask('login', `APOP ${user} ${digest}`, digest)
}
