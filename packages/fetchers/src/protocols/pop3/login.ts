import { createHash } from 'node:crypto'
import type { AccessPlans } from '@retriever/core'
import { planLogin } from '../../auth/plan-login.ts'
import { plainMessage } from '../../auth/sasl-plain.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { type PopDialogue, type PopReply, wordsOf } from './dialogue.ts'

type Plan = AccessPlans['pop3']

/**
 * Logs in by APOP if the greeting offers it (RFC 1939 7), so that the password does not cross the network, else by USER
 * and PASS, or by SASL PLAIN (RFC 5034) if the URL says so. Rejects with auth-required, auth-failed, or `refused` for
 * another way in the URL.
 */
export async function logIn(
  plan: Plan,
  dialogue: PopDialogue,
  context: RetrievalContext,
  greeting: PopReply,
  refused: RefusedLogins,
): Promise<void> {
  // The timestamp has the form of a Message-ID (RFC 1939 7). That distinguishes it from a name in angle brackets.
  const [timestamp] = /<[^<>\s@]+@[^<>\s@]+>/.exec(greeting.text) ?? []
  await checkAuth(plan, dialogue, context, timestamp !== undefined)
  const { found, ...login } = await planLogin(plan, context, 'A mailbox')
  const { user, password } = login
  const key = sessionKey({ ...plan, ...login }, context)
  try {
    refused.check(key, context)
    const message = wantsPlain(plan) ? plainMessage(login, context) : null
    const digest = timestamp === undefined ? null : md5(timestamp + password)
    dialogue.hide(password, digest ?? '', message ?? '')
    const reply = await (message !== null
      ? byPlain(dialogue, message)
      : digest !== null
        ? dialogue.ask('login', `APOP ${user} ${digest}`, `APOP ${user} <password>`)
        : byPassword(dialogue, user, password))
    // If a server asks for more after the whole message, it has not let the client in.
    if (!reply.isOk || reply.isRequest) {
      found?.refused()
      const refusal = dialogue.refusal(reply, 'auth-failed', `The server does not accept the login of ${wordsOf(user)}`)
      refused.note(key, refusal)
      throw refusal
    }
    found?.accepted()
  } finally {
    found?.end()
  }
}

/** Whether the URL names SASL PLAIN (RFC 2384 5). A plus sign precedes a way that is not one of SASL. */
function wantsPlain({ auth }: Plan): boolean {
  return auth === 'PLAIN' || auth === '+PLAIN'
}

/** Checks the way to log in that the URL may name (RFC 2384 5). */
async function checkAuth(
  plan: Plan,
  dialogue: PopDialogue,
  context: RetrievalContext,
  hasDigest: boolean,
): Promise<void> {
  const { auth } = plan
  if (auth === null || auth === '*' || (auth === '+APOP' && hasDigest)) return
  if (wantsPlain(plan) && (await hasPlain(dialogue))) return
  const what =
    auth === '+APOP' || wantsPlain(plan)
      ? `The server offers no ${auth.replace('+', '')}`
      : 'Only +APOP, PLAIN and * are known as ways to log in'
  throw context.error('refused', `${what}; leave ";auth=" out of the URL, or write ";auth=*".`, { phase: 'login' })
}

/** Whether the capabilities have a line such as `SASL PLAIN LOGIN` (RFC 5034 3). */
async function hasPlain(dialogue: PopDialogue): Promise<boolean> {
  if (!(await dialogue.ask('login', 'CAPA')).isOk) return false
  let isThere = false
  for await (const line of dialogue.block()) isThere ||= /^SASL (?:.* )?PLAIN(?: |$)/i.test(line)
  return isThere
}

/** Sends AUTH PLAIN with the message, or the message after it if the line would be over 255 octets (RFC 5034 4). */
async function byPlain(dialogue: PopDialogue, message: string): Promise<PopReply> {
  const line = `AUTH PLAIN ${message}`
  if (line.length + 2 <= 255) return dialogue.ask('login', line, 'AUTH PLAIN <password>')
  const reply = await dialogue.ask('login', 'AUTH PLAIN')
  return reply.isRequest ? dialogue.ask('login', message, '<password>') : reply
}

async function byPassword(dialogue: PopDialogue, user: string, password: string): Promise<PopReply> {
  const reply = await dialogue.ask('login', `USER ${user}`)
  return reply.isOk ? dialogue.ask('login', `PASS ${password}`, 'PASS <password>') : reply
}

function md5(text: string): string {
  return createHash('md5').update(text, 'latin1').digest('hex')
}
