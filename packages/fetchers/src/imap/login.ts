import type { AccessPlans } from '@retriever/core'
import { planLogin } from '../auth/plan-login.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { type ImapDialogue, wordsOf } from './dialogue.ts'
import { quoted } from './mailbox-name.ts'

type Plan = AccessPlans['imap']

/** Reads the greeting, begins TLS if the plan says so, and logs in by LOGIN (RFC 3501 6.2.3). */
export async function logIn(plan: Plan, dialogue: ImapDialogue, context: RetrievalContext): Promise<void> {
  const greeting = await dialogue.response('greeting')
  const words = 'untagged' in greeting ? greeting.untagged : ''
  if (!/^(?:OK|PREAUTH)\b/i.test(words)) {
    throw dialogue.refusal('server-refused', 'The server refused the connection', words)
  }
  if (plan.tls === 'explicit') await dialogue.startTls(plan)
  if (/^PREAUTH\b/i.test(words)) return
  if (plan.auth !== null && plan.auth !== '*') {
    const message = 'Only ";auth=*" is known as a way to log in; leave it out of the URL.'
    throw context.error('refused', message, { phase: 'login' })
  }
  const { user, password, found } = await planLogin(plan, context, 'The server')
  try {
    dialogue.hide(password)
    const { status, text } = await dialogue.ask('login', `LOGIN ${quoted(user)} ${quoted(password)}`, {
      shown: `LOGIN ${quoted(user)} <password>`,
    })
    if (status === 'OK') return found?.accepted()
    found?.refused()
    // RFC 3501 7.2.1: LOGINDISABLED; RFC 5530 3: the server wants TLS first.
    const wantsTls = /^\[PRIVACYREQUIRED\]/i.test(text)
    const said = password === '' ? text : text.replaceAll(password, '<password>')
    if (wantsTls) throw dialogue.refusal('tls-failed', 'The server takes a login over TLS only; use imaps', said)
    throw dialogue.refusal('auth-failed', `The server does not accept the login of ${wordsOf(user)}`, said)
  } finally {
    found?.end()
  }
}
