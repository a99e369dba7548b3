import { adviceText, type FtpPlan, isAnonymous, octetsToText, type RetrievalError, utf8Octets } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../plugin/fetcher.ts'
import { sessionKey } from '../wire/pool/pool-key.ts'
import { startTls } from '../wire/transport/start-tls.ts'
import type { Control } from './control/control.ts'
import type { Dialogue } from './control/dialogue.ts'
import { FlightLost, pipeline, type Step } from './control/pipeline.ts'
import { fullAdvice, saysFull, tlsWanted, wantsTls } from './control/refusal-words.ts'
import { isPositive, type Reply, refusedByServer, violation, wordsOf } from './control/replies.ts'

/**
 * Waits for the greeting: 220, or 230 of a server that wants no login. Nothing is sent before: a server of another protocol gets no
 * octet of ours. Must be called in the turn in which the control connection was made.
 */
export async function greet(control: Control, context: RetrievalContext): Promise<Reply> {
  const reply = await control.greeting()
  if (reply.code === 220 || reply.code === 230) return reply
  if (reply.code >= 400) throw refusedByServer(context, reply, 'the connection')
  const message = `The server greets with "${wordsOf(reply)}", not with 220. Check host and port.`
  throw violation(context, message, wordsOf(reply))
}

/** RFC 4217 4: `AUTH TLS`, 234, handshake. A server that refuses gets no password in the clear. */
export async function upgrade(control: Control, plan: FtpPlan, context: RetrievalContext): Promise<void> {
  const reply = await control.ask('tls', 'AUTH TLS')
  if (reply.code !== 234) {
    throw refusedByServer(context, reply, 'AUTH TLS', {
      code: 'tls-failed',
      advice: 'It does not offer TLS, or not here',
    })
  }
  // `234 ok\r\n230 in\r\n` in one segment: what came in the clear must not be read as if it had come through TLS.
  control.checkSilent()
  const { socket, agreed } = startTls(context, plan, control.socket)
  control.handshake = socket
  await context.deadline.within('tls', () => agreed)
  control.socket = socket
}

/** The server wants an account in a flight that went on without one: to be said again, step by step. */
export class AccountWanted extends Error {
  override readonly name = 'AccountWanted'
}

/**
 * USER and PASS (RFC 959 5.4), then `rest`. A guest's password is no secret and goes out with all the rest in one flight; another's
 * only once the server has asked for it.
 */
export async function logIn(dialogue: Dialogue, rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = dialogue
  const protect = plan.tls === 'none' ? [] : ['PBSZ 0', 'PROT P'].map((command) => protectStep(context, command))
  const { user, password } = plan
  if (session.isGreetedIn) await pipeline(session.control, context, session.quirks, [...protect, ...rest])
  else if (password === null || !isAnonymous(user) || session.quirks.pipelining === false) {
    await logInByTurns(dialogue, protect, rest)
  } else {
    try {
      await pipeline(session.control, context, session.quirks, [
        ...protect,
        ...guestSteps(context, plan, password),
        ...rest,
      ])
    } catch (error) {
      if (!(error instanceof FlightLost)) throw error
      await logInByTurns(dialogue, protect, rest)
    }
  }
  session.isLoggedIn = true
}

/** A password goes out once the server has asked for it. */
async function logInByTurns(dialogue: Dialogue, protect: readonly Step[], rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = dialogue
  const asked = await sayUser(dialogue, plan.user, protect)
  if (asked?.code === 331) return authenticate(dialogue, await loginFor(dialogue, asked), rest)
  // RFC 959 5.4: 332 to USER, an account in place of a password.
  if (asked !== null) {
    const done = await giveAccount(dialogue, { user: plan.user, password: '' }, asked)
    if (!isPositive(done)) throw loginError(context, done, plan)
  }
  await pipeline(session.control, context, session.quirks, rest)
}

/** RFC 4217 9: data connections in TLS too. No server means anything by PBSZ, and none lets us leave it out. */
function protectStep(context: RetrievalContext, command: string): Step {
  return {
    phase: 'login',
    command,
    take: (reply) => {
      if (isPositive(reply)) return
      throw refusedByServer(context, reply, command, {
        code: 'tls-failed',
        advice: 'It does not protect data connections',
      })
    },
  }
}

function guestSteps(context: RetrievalContext, who: Who, password: string): readonly Step[] {
  let isIn = false
  const takeUser = (reply: Reply): void => {
    // pure-ftpd lets guests in at once, and has nothing to say to PASS that matters.
    isIn = isPositive(reply)
    if (reply.code === 332) throw new AccountWanted()
    if (!isIn && reply.code !== 331) throw loginError(context, reply, who)
  }
  const takePass = (reply: Reply): void => {
    if (!isIn) checkLogin(context, reply, who)
  }
  return [
    { phase: 'login', command: `USER ${who.user}`, take: takeUser },
    { phase: 'login', command: `PASS ${password}`, take: takePass },
  ]
}

/** The server's wish for a password, or an account; null where the user is in without. */
async function sayUser(dialogue: Dialogue, user: string, before: readonly Step[] = []): Promise<Reply | null> {
  const { plan, context, session } = dialogue
  // An object: what a callback assigns is not seen otherwise.
  const said: { asked: Reply | null } = { asked: null }
  const take = (reply: Reply): void => {
    if (isPositive(reply)) return
    if (reply.code !== 331 && reply.code !== 332) throw loginError(context, reply, { ...plan, user })
    said.asked = reply
  }
  await pipeline(session.control, context, session.quirks, [
    ...before,
    { phase: 'login', command: `USER ${user}`, take },
  ])
  return said.asked
}

/** The plan's user and password, or who the caller says; the server has been told the user then. */
async function loginFor(dialogue: Dialogue, asked: Reply): Promise<Credentials> {
  const { user, password } = dialogue.plan
  if (password !== null) return { user, password }
  const known = dialogue.asked.login ?? (await askPerson(dialogue, asked))
  dialogue.asked.login = known
  dialogue.session.loginKey = sessionKey(
    { ...dialogue.plan, user: known.user, password: known.password },
    dialogue.context,
  )
  if (known.user !== user) await sayUser(dialogue, known.user)
  return known
}

async function authenticate(dialogue: Dialogue, login: Credentials, rest: readonly Step[]): Promise<void> {
  const { plan, context, session } = dialogue
  const { control, quirks } = session
  const who: Who = { ...plan, user: login.user }
  const pass = `PASS ${login.password}`
  if (quirks.pipelining !== false) {
    const take = (reply: Reply): void => checkLogin(context, reply, who)
    return pipeline(control, context, quirks, [{ phase: 'login', command: pass, take }, ...rest])
  }
  const reply = await control.ask('login', pass)
  const done = reply.code === 332 ? await giveAccount(dialogue, login, reply) : reply
  if (!isPositive(done)) throw loginError(context, done, who)
  await pipeline(control, context, quirks, rest)
}

/** RFC 959 4.1.1: ACCT. */
async function giveAccount(dialogue: Dialogue, login: Credentials, asked: Reply): Promise<Reply> {
  const { plan, context, session } = dialogue
  const account = login.account ?? (await askFor(context, plan, true))?.account
  if (account !== undefined) return session.control.ask('login', `ACCT ${utf8Octets(account)}`)
  const advice = { option: 'credentials', value: 'account' } as const
  const message = 'The server wants an account beside user and password, and none is known.'
  throw context.error('auth-required', `${message} Give it by ${adviceText(advice)}.`, {
    reply: wordsOf(asked),
    advice,
  })
}

async function askPerson({ plan, context }: Dialogue, asked: Reply): Promise<Credentials> {
  const known = await askFor(context, plan)
  // RFC 2640 2: names and passwords are UTF-8.
  if (known !== null) return { ...known, user: utf8Octets(known.user), password: utf8Octets(known.password) }
  const advice = { option: 'credentials' } as const
  const remedy = `Give one by ${adviceText(advice)}, or in the URL: USER:PASSWORD@ before the host.`
  const message = `The server wants a password, and none is known. ${remedy}`
  throw context.error('auth-required', message, { reply: wordsOf(asked), advice })
}

function askFor(context: RetrievalContext, plan: FtpPlan, account = false): Promise<Credentials | null> {
  const { host, port } = plan
  const user = octetsToText(plan.user)
  return context.credentials({ realm: `${user}@${host}`, ...(account && { account }), host, port, user })
}

/** Of a PASS within a flight. */
function checkLogin(context: RetrievalContext, reply: Reply, who: Who): void {
  if (reply.code === 332) throw new AccountWanted()
  if (!isPositive(reply)) throw loginError(context, reply, who)
}

/** Who logs in, and whether that is within TLS. */
type Who = Pick<FtpPlan, 'user' | 'tls'>

function loginError(context: RetrievalContext, reply: Reply, { user, tls }: Who): RetrievalError {
  if (tls === 'none' && wantsTls(reply)) {
    return refusedByServer(context, reply, 'the login', tlsWanted)
  }
  if (saysFull(reply.text)) {
    return refusedByServer(context, reply, 'the login', { code: 'server-refused', advice: fullAdvice, transient: true })
  }
  if (reply.code < 500) return refusedByServer(context, reply, 'the login')
  const advice = isAnonymous(user)
    ? 'It takes no guests: give a user, as in ftp://USER@HOST/'
    : 'Check user and password'
  return refusedByServer(context, reply, 'the login', { code: 'auth-failed', advice })
}
