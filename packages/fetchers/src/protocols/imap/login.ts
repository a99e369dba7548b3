import type { AccessPlans } from '@retriever/core'
import { imapQuoted } from '@retriever/core/internal'
import { findPlanLogin, planLogin } from '../../auth/plan-login.ts'
import { plainMessage } from '../../auth/sasl-plain.ts'
import type { Credentials, RetrievalContext } from '../../contract/fetcher.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { type Completion, type ImapDialogue, wordsOf } from './dialogue.ts'

type Plan = AccessPlans['imap']

/**
 * Reads the greeting, begins TLS if the plan says so, and logs in by LOGIN (RFC 3501 6.2.3) or AUTHENTICATE PLAIN
 * (6.2.2, RFC 4616). If there is no login, it uses AUTHENTICATE ANONYMOUS (RFC 4505), if the server has it. Rejects
 * with auth-required, auth-failed, `tls-failed` if the server takes a login only over TLS, or `refused` for another way
 * in the URL.
 */
export async function logIn(
  plan: Plan,
  dialogue: ImapDialogue,
  context: RetrievalContext,
  refused: RefusedLogins,
): Promise<void> {
  const greeting = await dialogue.response('greeting')
  const words = 'untagged' in greeting ? greeting.untagged : ''
  if (!/^(?:OK|PREAUTH)\b/i.test(words)) {
    throw dialogue.refusal('server-refused', 'The server refused the connection', words)
  }
  if (plan.tls === 'explicit') await dialogue.startTls(plan)
  if (/^PREAUTH\b/i.test(words)) return
  if (plan.auth !== null && plan.auth !== '*' && plan.auth !== 'PLAIN') {
    const message = 'Only ";AUTH=PLAIN" and ";AUTH=*" are known as ways to log in; leave the other out of the URL.'
    throw context.error('refused', message, { phase: 'login' })
  }
  // What the server said before TLS does not count (RFC 3501 6.2.1).
  const said = plan.tls === 'explicit' ? null : capabilitiesIn(words)
  const capabilities = said ?? (await askCapabilities(dialogue))
  // If the URL has no user, the login is anonymous (RFC 5092 3.2). A login that the caller gives comes first.
  const isForAll = plan.user === null && plan.auth !== 'PLAIN' && capabilities.has('AUTH=ANONYMOUS')
  if (!isForAll) checkWay(plan, capabilities, context)
  const given = isForAll ? await findPlanLogin(plan, context) : await planLogin(plan, context, 'The server')
  if (given === null) return logInAnonymously(capabilities, dialogue)
  const { found, ...login } = given
  const key = sessionKey({ ...plan, ...login }, context)
  try {
    checkWay(plan, capabilities, context)
    refused.check(key, context)
    const { status, text } = await sendLogin(plan, login, capabilities, dialogue, context)
    if (status === 'OK') return found?.accepted()
    // The server wants TLS first (RFC 5530 3).
    const wantsTls = /^\[PRIVACYREQUIRED\]/i.test(text)
    if (wantsTls) throw dialogue.refusal('tls-failed', wantsTlsMessage, text)
    const what = `The server does not accept the login of ${wordsOf(login.user)}`
    const refusal = dialogue.refusal('auth-failed', what, text)
    refused.note(key, refusal)
    if (refusal.code === 'auth-failed') found?.refused()
    throw refusal
  } finally {
    found?.end()
  }
}

/**
 * Logs in without a name. The trace information, which is optional in RFC 4505, is empty; in a command it is `=` (RFC
 * 4959).
 */
async function logInAnonymously(capabilities: ReadonlySet<string>, dialogue: ImapDialogue): Promise<void> {
  const { status, text } = capabilities.has('SASL-IR')
    ? await dialogue.ask('login', 'AUTHENTICATE ANONYMOUS =')
    : await dialogue.ask('login', 'AUTHENTICATE ANONYMOUS', { second: '' })
  if (status !== 'OK') throw dialogue.refusal('auth-required', 'The server does not take an anonymous login', text)
}

const wantsTlsMessage = 'The server takes a login over TLS only; use imaps'

/** Returns the capabilities in `OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready` (RFC 3501 7.1). Null if it names none. */
function capabilitiesIn(words: string): ReadonlySet<string> | null {
  const names = /^\S+ \[CAPABILITY ([^\]]*)\]/i.exec(words)?.[1]
  return names === undefined ? null : new Set(names.toUpperCase().split(' '))
}

async function askCapabilities(dialogue: ImapDialogue): Promise<ReadonlySet<string>> {
  const names: string[] = []
  const onUntagged = (text: string): void => {
    if (/^CAPABILITY /i.test(text)) names.push(...text.toUpperCase().split(' ').slice(1))
  }
  await dialogue.ask('login', 'CAPABILITY', { onUntagged })
  return new Set(names)
}

/** Checks, before asking for a password, that the server has a login that the URL allows. */
function checkWay({ auth, tls }: Plan, capabilities: ReadonlySet<string>, context: RetrievalContext): void {
  if (capabilities.has('AUTH=PLAIN')) return
  if (auth === 'PLAIN') {
    const message = 'The server offers no AUTH=PLAIN; write ";AUTH=*" in the URL, or leave it out.'
    throw context.error('refused', message, { phase: 'login' })
  }
  if (!capabilities.has('LOGINDISABLED')) return
  if (tls === 'none') throw context.error('tls-failed', `${wantsTlsMessage}.`, { phase: 'login' })
  throw context.error('auth-failed', 'The server offers no known way to log in, which are LOGIN and AUTH=PLAIN.', {
    phase: 'login',
  })
}

/** Sends LOGIN, or PLAIN if the URL wants it, the server has no LOGIN, or quoted strings would not be ASCII. */
function sendLogin(
  plan: Plan,
  login: Credentials,
  capabilities: ReadonlySet<string>,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<Completion> {
  const [user, password] = [imapQuoted(login.user), imapQuoted(login.password)]
  const isAscii = !/[^\x01-\x7F]/.test(user + password)
  if (plan.auth === 'PLAIN' || capabilities.has('LOGINDISABLED') || (!isAscii && capabilities.has('AUTH=PLAIN'))) {
    const message = plainMessage(login, context)
    dialogue.hide(login.password, password.slice(1, -1), message)
    // The message goes with the command if the server knows that (RFC 4959), else after the server asks for it.
    const isInOne = capabilities.has('SASL-IR')
    return isInOne
      ? dialogue.ask('login', `AUTHENTICATE PLAIN ${message}`, { shown: 'AUTHENTICATE PLAIN <password>' })
      : dialogue.ask('login', 'AUTHENTICATE PLAIN', { second: message })
  }
  dialogue.hide(login.password, password.slice(1, -1))
  return dialogue.ask('login', `LOGIN ${user} ${password}`, { shown: `LOGIN ${user} <password>` })
}
