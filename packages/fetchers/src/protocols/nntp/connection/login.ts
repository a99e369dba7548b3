import { octetsToText, printable, type RetrievalError } from '@retriever/core'
import { adviceText, utf8Octets } from '@retriever/core/internal'
import { type FoundLogin, findLogin, loginPlace } from '../../../auth/found-login.ts'
import { plainMessage } from '../../../auth/sasl-plain.ts'
import type { Credentials, RetrievalContext } from '../../../contract/fetcher.ts'
import { type Reply, refusal } from '../../../wire/framing/reply.ts'
import { blockText } from '../fields.ts'
import { isFullReply, serverUnavailable, tlsNeeded } from '../nntp-errors.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/**
 * Logs in (RFC 4643) by AUTHINFO USER and PASS, or by SASL PLAIN if the server does not know those. Events show the
 * commands without their secrets. Rejects with `auth-required`, `auth-failed`, `tls-failed` or `server-refused`.
 */
export async function logIn(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
  challenge: Reply,
): Promise<void> {
  const { user, password } = plan
  if (user !== null && password !== null) {
    noteReply(session, context, user, await sendLogin(session, context, { user, password }))
    return
  }
  let found = await findFor(plan, context)
  if (found === null) throw loginWanted(context, challenge)
  try {
    let reply = await sendLogin(session, context, octetsOf(found))
    if (!isLoginDone(reply) && found.isRemembered) {
      // Somebody has changed the password since the server accepted it.
      found.refused()
      const next = await findFor(plan, context, found.credentials)
      if (next !== null) {
        found = next
        reply = await sendLogin(session, context, octetsOf(found))
      }
    }
    noteReply(session, context, octetsOf(found).user, reply)
    found.accepted()
  } finally {
    found.end()
  }
}

/** Throws unless the reply says that the login succeeded. */
function noteReply(session: NntpSession, context: RetrievalContext, user: string, reply: Reply): void {
  session.isLoggedIn = isLoginDone(reply)
  if (session.isLoggedIn) return
  session.refusedLogin = reply
  throw loginRefused(context, reply, user)
}

function isLoginDone({ code }: Reply): boolean {
  return code === 281 || code === 283
}

function octetsOf({ credentials: { user, password } }: FoundLogin): Credentials {
  return { user: utf8Octets(user), password: utf8Octets(password) }
}

/** Sends a login. Rejects if the server is full, which says nothing about the login. */
async function sendLogin(session: NntpSession, context: RetrievalContext, login: Credentials): Promise<Reply> {
  const reply = await replyToLogin(session, context, login)
  if (!isFullReply(reply)) return reply
  session.full = serverUnavailable(context, reply, 'login')
  // Others that share the session try again in another one, if there is any.
  session.lose()
  throw session.full
}

async function replyToLogin(session: NntpSession, context: RetrievalContext, login: Credentials): Promise<Reply> {
  const { user, password } = login
  const reply = await sendCommand(session, context, `AUTHINFO USER ${user}`, { secrets: [] })
  if (reply.code === 381) {
    return sendCommand(session, context, `AUTHINFO PASS ${password}`, {
      shown: 'AUTHINFO PASS <password>',
      secrets: [password],
    })
  }
  // These codes refuse the command or its form, not the user.
  if (![500, 501, 503].includes(reply.code)) return reply
  return (await offersPlain(session, context)) ? saslPlain(session, context, login) : reply
}

/**
 * Logs in by SASL PLAIN (RFC 4616) with an initial response. If the server asks for another one (383), `*` cancels the
 * login.
 */
async function saslPlain(session: NntpSession, context: RetrievalContext, login: Credentials): Promise<Reply> {
  const response = plainMessage(login, context)
  const shown = 'AUTHINFO SASL PLAIN <password>'
  const secrets = [response, login.password]
  const reply = await sendCommand(session, context, `AUTHINFO SASL PLAIN ${response}`, { shown, secrets })
  return reply.code === 383 ? sendCommand(session, context, '*', { secrets }) : reply
}

/**
 * Whether CAPABILITIES lists `SASL PLAIN CRAM-MD5` or the like (RFC 4643 2.4.1). Old servers do not know the command.
 */
async function offersPlain(session: NntpSession, context: RetrievalContext): Promise<boolean> {
  const pending = session.post('CAPABILITIES', context)
  const reply = await session.reply(pending, context)
  if (reply.code === 101) {
    return /^SASL(?: .*)? PLAIN\b/im.test(await blockText(session, pending, context, context.limits.maxReply))
  }
  session.end(pending)
  return false
}

/** Sends a command and returns its reply, which is one line. */
export async function sendCommand(
  session: NntpSession,
  context: RetrievalContext,
  command: string,
  { shown = command, secrets }: { readonly shown?: string; readonly secrets?: readonly string[] } = {},
): Promise<Reply> {
  const pending =
    secrets === undefined ? session.post(command, context) : session.postLogin(command, context, shown, secrets)
  const reply = await session.reply(pending, context)
  session.end(pending)
  return reply
}

export function loginRefused(context: RetrievalContext, reply: Reply, user: string | null): RetrievalError {
  if (reply.code === 483) return tlsNeeded(context, reply)
  // 481, 482 and 452 refuse the login (RFC 4643, RFC 2980), 502 the user. Other codes refuse the command.
  if (![481, 482, 452, 502].includes(reply.code)) return refusal(context, 'server-refused', 'The login failed', reply)
  const whose = user === null ? '' : ` of ${printable(octetsToText(user))}`
  return refusal(context, 'auth-failed', `The server does not accept the login${whose}`, reply)
}

/** Finds a login that is not in the URL. `refused` is one that the server has just refused. */
function findFor(
  { user: named, host, port }: ServerPlan,
  context: RetrievalContext,
  refused: Credentials | null = null,
): Promise<FoundLogin | null> {
  const user = named ? octetsToText(named) : null
  const challenge = { realm: `${user === null ? '' : `${user}@`}${host}`, host, port, user }
  return findLogin(context, loginPlace(context.url, challenge, 'login'), challenge, refused)
}

function loginWanted(context: RetrievalContext, challenge: Reply): RetrievalError {
  const advice = { option: 'credentials' } as const
  const message = `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}`
  return refusal(context, 'auth-required', message, challenge, { advice })
}
