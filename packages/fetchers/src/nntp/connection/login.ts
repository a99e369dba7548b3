import { adviceText, octetsToText, printable, type RetrievalError, utf8Octets } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../../plugin/fetcher.ts'
import { type Reply, refusal } from '../../wire/framing/reply.ts'
import { blockText } from '../fields.ts'
import { tlsNeeded } from '../nntp-errors.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/**
 * RFC 4643: AUTHINFO USER and PASS, or SASL PLAIN where the server does not know those. The commands that hold a secret are shown
 * without it. Rejects with `auth-required`, `auth-failed`, `tls-failed` or `server-refused`.
 */
export async function logIn(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
  challenge: Reply,
): Promise<void> {
  const login = await credentialsFor(plan, context, challenge)
  const reply = await giveLogin(session, context, login)
  session.isLoggedIn = reply.code === 281 || reply.code === 283
  if (session.isLoggedIn) return
  session.refusedLogin = reply
  throw loginRefused(context, reply, login.user)
}

async function giveLogin(session: NntpSession, context: RetrievalContext, login: Credentials): Promise<Reply> {
  const { user, password } = login
  const reply = await say(session, context, `AUTHINFO USER ${user}`, { secrets: [] })
  if (reply.code === 381) {
    return say(session, context, `AUTHINFO PASS ${password}`, {
      shown: 'AUTHINFO PASS <password>',
      secrets: [password],
    })
  }
  // Of commands that it does not know, or does not take in this form.
  if (![500, 501, 503].includes(reply.code)) return reply
  return (await knowsPlain(session, context)) ? saslPlain(session, context, login) : reply
}

/** RFC 4616, in the initial response: it goes out in one line. A server that asks for more (383) gets no second one. */
async function saslPlain(
  session: NntpSession,
  context: RetrievalContext,
  { user, password }: Credentials,
): Promise<Reply> {
  const response = Buffer.from(`\0${user}\0${password}`, 'latin1').toString('base64')
  const shown = 'AUTHINFO SASL PLAIN <password>'
  const secrets = [response, password]
  const reply = await say(session, context, `AUTHINFO SASL PLAIN ${response}`, { shown, secrets })
  return reply.code === 383 ? say(session, context, '*', { secrets }) : reply
}

/** `SASL PLAIN CRAM-MD5` among the capabilities (RFC 4643 2.4.1); a server without CAPABILITIES has none. */
async function knowsPlain(session: NntpSession, context: RetrievalContext): Promise<boolean> {
  const slot = session.post('CAPABILITIES', context)
  const reply = await session.reply(slot, context)
  if (reply.code === 101) {
    return /^SASL(?: .*)? PLAIN\b/im.test(await blockText(session, slot, context, context.limits.maxReply))
  }
  session.end(slot)
  return false
}

/** One command with a reply of one line. */
export async function say(
  session: NntpSession,
  context: RetrievalContext,
  command: string,
  { shown = command, secrets }: { readonly shown?: string; readonly secrets?: readonly string[] } = {},
): Promise<Reply> {
  const slot =
    secrets === undefined ? session.post(command, context) : session.postSecret(command, context, shown, secrets)
  const reply = await session.reply(slot, context)
  session.end(slot)
  return reply
}

export function loginRefused(context: RetrievalContext, reply: Reply, user: string | null): RetrievalError {
  if (reply.code === 483) return tlsNeeded(context, reply)
  // 481, 482 and 452 refuse the login (RFC 4643, RFC 2980), 502 the person; the others refuse the command.
  if (![481, 482, 452, 502].includes(reply.code)) return refusal(context, 'server-refused', 'The login failed', reply)
  const whose = user === null ? '' : ` of ${printable(octetsToText(user))}`
  return refusal(context, 'auth-failed', `The server does not accept the login${whose}`, reply)
}

async function credentialsFor(
  { user: named, password, host, port }: ServerPlan,
  context: RetrievalContext,
  challenge: Reply,
): Promise<Credentials> {
  const user = named || null
  if (user !== null && password !== null) return { user, password }
  const name = user === null ? null : octetsToText(user)
  const realm = `${name === null ? '' : `${name}@`}${host}`
  const known = await context.credentials({ realm, host, port, user: name })
  if (known !== null) return { user: utf8Octets(known.user), password: utf8Octets(known.password) }
  const advice = { option: 'credentials' } as const
  const message = `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}`
  throw refusal(context, 'auth-required', message, challenge, { advice })
}
