import { octetsToText, type RetrievalError } from '@retriever/core'
import { adviceText, type FtpPlan, ftpCommands, isAnonymous, utf8Octets } from '@retriever/core/internal'
import { type FoundLogin, findLogin, loginPlace } from '../../auth/found-login.ts'
import type { Credentials, RetrievalContext } from '../../contract/fetcher.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import { saysFull } from '../../wire/pool/says-full.ts'
import { PipelineLost, pipeline, SentTwice, type Step, sentTwice } from './control/pipeline.ts'
import { full, tlsWanted, wantsTls } from './control/refusal-words.ts'
import { isPositive, type Reply, refusedByServer, wordsOf } from './control/replies.ts'
import type { FtpRetrieval } from './retrieval.ts'

/** Thrown if the server wants an account in a pipeline that had none. The login is repeated, one command at a time. */
export class AccountWanted extends Error {
  override readonly name = 'AccountWanted'
}

/**
 * Sends USER, PASS, and ACCT if the server wants it (RFC 959 5.4), then `rest`. A guest's password is no secret, and is
 * sent in one pipeline with all the rest. Another password is sent only after the server has asked for it. A login that
 * the server has just refused is not sent.
 */
export async function logIn(retrieval: FtpRetrieval, rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = retrieval
  if (plan.password !== null) session.refused.check(sessionKey(plan, context), context)
  const protect = ftpCommands(plan).protection.map((command) => protectStep(context, command))
  const { user, password } = plan
  if (session.isGreetedIn) await pipeline(session.control, context, session.quirks, [...protect, ...rest])
  else if (password === null || !isAnonymous(user) || session.quirks.pipelining === false) {
    await logInByTurns(retrieval, protect, rest)
  } else {
    try {
      await pipeline(session.control, context, session.quirks, [...protect, ...guestSteps(context, plan), ...rest])
    } catch (error) {
      if (!(error instanceof PipelineLost) || error instanceof SentTwice) throw error
      await logInByTurns(retrieval, protect, rest)
    }
  }
  session.isLoggedIn = true
}

/** Sends USER, and the password after the server has asked for it. */
async function logInByTurns(retrieval: FtpRetrieval, protect: readonly Step[], rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = retrieval
  const asked = await sayUser(retrieval, plan.user, protect)
  if (asked?.code === 331) return authenticate(retrieval, await loginFor(retrieval, asked), rest)
  // With 332 to USER, the server wants an account instead of a password (RFC 959 5.4).
  if (asked !== null) {
    const done = await giveAccount(retrieval, { user: plan.user, password: '' }, asked)
    if (!isPositive(done)) throw loginError(context, done, plan)
  }
  await pipeline(session.control, context, session.quirks, rest)
}

/**
 * Makes the step that sends PBSZ or PROT, for data connections over TLS (RFC 4217 9). PBSZ has no effect over TLS, but
 * servers insist on it.
 */
function protectStep(context: RetrievalContext, command: string): Step {
  return {
    phase: 'login',
    command,
    onReply: (reply) => {
      if (isPositive(reply)) return
      throw refusedByServer(context, reply, command, {
        code: 'tls-failed',
        advice: 'It does not protect data connections',
      })
    },
  }
}

function guestSteps(context: RetrievalContext, plan: FtpPlan): readonly Step[] {
  const { user, pass } = ftpCommands(plan)
  let isIn = false
  const takeUser = (reply: Reply): void => {
    // pure-ftpd logs a guest in after USER. Its reply to PASS does not matter then.
    isIn = isPositive(reply)
    if (reply.code === 332) throw new AccountWanted()
    if (!isIn && reply.code !== 331) throw loginError(context, reply, plan)
  }
  const takePass = (reply: Reply): void => {
    if (!isIn) checkLogin(context, reply, plan)
  }
  // A second USER begins another login, so the session has none. USER can be sent twice if PBSZ and PROT precede it.
  const again = (): void => {
    throw sentTwice(context, 'got the user')
  }
  return [
    { phase: 'login', command: user, onReply: takeUser, onSecondReply: again },
    { phase: 'login', command: pass, onReply: takePass },
  ]
}

/** Sends USER. Returns the reply that asks for a password or an account, or null if USER alone logs in. */
async function sayUser(retrieval: FtpRetrieval, user: string, before: readonly Step[] = []): Promise<Reply | null> {
  const { plan, context, session } = retrieval
  // An object, because TypeScript does not notice assignments in a callback.
  const said: { asked: Reply | null } = { asked: null }
  const onReply = (reply: Reply): void => {
    if (isPositive(reply)) return
    if (reply.code !== 331 && reply.code !== 332) throw loginError(context, reply, { ...plan, user })
    said.asked = reply
  }
  await pipeline(session.control, context, session.quirks, [
    ...before,
    { phase: 'login', command: ftpCommands({ ...plan, user }).user, onReply },
  ])
  return said.asked
}

/**
 * Returns the user and password of the plan, or those that the caller gives. In the second case it sends USER with the
 * caller's user.
 */
async function loginFor(retrieval: FtpRetrieval, asked: Reply): Promise<Credentials> {
  const { user, password } = retrieval.plan
  if (password !== null) return { user, password }
  retrieval.asked.login ??= await askCaller(retrieval, asked)
  const found = retrieval.asked.login.credentials
  // Names and passwords are UTF-8 (RFC 2640 2).
  const known = { ...found, user: utf8Octets(found.user), password: utf8Octets(found.password) }
  retrieval.session.loginKey = sessionKey(
    { ...retrieval.plan, user: known.user, password: known.password },
    retrieval.context,
  )
  retrieval.session.refused.check(retrieval.session.loginKey, retrieval.context)
  if (known.user !== user) await sayUser(retrieval, known.user)
  return known
}

async function authenticate(retrieval: FtpRetrieval, login: Credentials, rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = retrieval
  const { control, quirks } = session
  const who: Who = { ...plan, user: login.user }
  const { pass } = ftpCommands({ ...plan, password: login.password })
  if (quirks.pipelining !== false) {
    const onReply = (reply: Reply): void => {
      checkLogin(context, reply, who)
      retrieval.asked.login?.accepted()
    }
    return pipeline(control, context, quirks, [{ phase: 'login', command: pass, onReply }, ...rest])
  }
  const reply = await control.ask('login', pass)
  const done = reply.code === 332 ? await giveAccount(retrieval, login, reply) : reply
  if (!isPositive(done)) throw loginError(context, done, who)
  retrieval.asked.login?.accepted()
  await pipeline(control, context, quirks, rest)
}

/** Sends ACCT (RFC 959 4.1.1). */
async function giveAccount(retrieval: FtpRetrieval, login: Credentials, asked: Reply): Promise<Reply> {
  const { context, session } = retrieval
  if (login.account === undefined) retrieval.asked.account ??= await findFor(retrieval, true)
  const found = retrieval.asked.account
  const account = login.account ?? found?.credentials.account
  if (account !== undefined) {
    const reply = await session.control.ask('login', `ACCT ${utf8Octets(account)}`)
    if (isPositive(reply)) found?.accepted()
    else found?.refused()
    return reply
  }
  const advice = { option: 'credentials', value: 'account' } as const
  const message = 'The server wants an account beside user and password, and none is known.'
  throw context.error('auth-required', `${message} Give it by ${adviceText(advice)}.`, {
    reply: wordsOf(asked),
    advice,
  })
}

async function askCaller(retrieval: FtpRetrieval, asked: Reply): Promise<FoundLogin> {
  const found = await findFor(retrieval)
  if (found !== null) return found
  if (retrieval.asked.refused !== null) throw retrieval.asked.refused.error
  const advice = { option: 'credentials' } as const
  const remedy = `Give one by ${adviceText(advice)}, or in the URL: USER:PASSWORD@ before the host.`
  const message = `The server wants a password, and none is known. ${remedy}`
  throw retrieval.context.error('auth-required', message, { reply: wordsOf(asked), advice })
}

function findFor({ plan, context, asked }: FtpRetrieval, account = false): Promise<FoundLogin | null> {
  const { host, port } = plan
  const user = octetsToText(plan.user)
  const challenge = { realm: `${user}@${host}`, ...(account && { account }), host, port, user }
  const place = loginPlace(context.url, challenge, account ? 'account' : 'login')
  return findLogin(context, place, challenge, account ? null : (asked.refused?.credentials ?? null))
}

/** Checks the reply to a PASS within a pipeline. */
function checkLogin(context: RetrievalContext, reply: Reply, who: Who): void {
  if (reply.code === 332) throw new AccountWanted()
  if (!isPositive(reply)) throw loginError(context, reply, who)
}

/** The user who logs in, and whether it is over TLS. */
type Who = Pick<FtpPlan, 'user' | 'tls'>

function loginError(context: RetrievalContext, reply: Reply, { user, tls }: Who): RetrievalError {
  if (tls === 'none' && wantsTls(reply)) {
    return refusedByServer(context, reply, 'the login', tlsWanted)
  }
  if (saysFull(reply.text)) return refusedByServer(context, reply, 'the login', full)
  if (reply.code < 500) return refusedByServer(context, reply, 'the login')
  const advice = isAnonymous(user)
    ? 'It takes no guests: give a user, as in ftp://USER@HOST/'
    : 'Check user and password'
  return refusedByServer(context, reply, 'the login', { code: 'auth-failed', advice })
}
