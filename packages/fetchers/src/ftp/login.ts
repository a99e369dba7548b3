import { octetsToText, utf8Octets } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../fetcher.ts'
import type { Dialogue } from './dialogue.ts'
import { isPositive, type Reply, refused, violation, wordsOf } from './replies.ts'
import { startTls } from './secure.ts'

/**
 * Waits for the greeting and gives its words. Nothing is sent before: a server of another protocol gets no octet of ours. Must be
 * called in the turn in which the control connection was made.
 */
export async function greet({ control, context }: Dialogue): Promise<string> {
  const reply = await control.greeting()
  if (reply.code === 220) return wordsOf(reply)
  if (reply.code >= 400) throw refused(context, reply, 'the connection')
  const message = `The server greets with "${wordsOf(reply)}", not with 220. Check host and port.`
  throw violation(context, message, wordsOf(reply))
}

/** TLS where the plan has it, then USER and PASS (RFC 959 5.4, RFC 4217). */
export async function login(dialogue: Dialogue): Promise<void> {
  const { tls, user, password } = dialogue.plan
  if (tls === 'explicit') await upgrade(dialogue)
  if (tls !== 'none') await protect(dialogue)
  await identify(dialogue, user, password)
}

/** RFC 4217 4: `AUTH TLS`, 234, handshake. A server that refuses gets no password in the clear. */
async function upgrade({ control, plan, context }: Dialogue): Promise<void> {
  const reply = await control.ask('tls', 'AUTH TLS')
  if (reply.code !== 234) {
    throw refused(context, reply, 'AUTH TLS', { code: 'tls-failed', advice: 'It does not offer TLS, or not here' })
  }
  // `234 ok\r\n230 in\r\n` in one segment: what came in the clear must not be read as if it had come through TLS.
  control.checkQuiet()
  const { socket, agreed } = startTls(context, plan, control.socket)
  await context.deadline.within('tls', () => agreed)
  control.socket = socket
}

/** RFC 4217 9: data connections in TLS too. No server means anything by PBSZ, and none lets us leave it out. */
async function protect({ control, context }: Dialogue): Promise<void> {
  for (const command of ['PBSZ 0', 'PROT P']) {
    const reply = await control.ask('login', command)
    if (isPositive(reply)) continue
    throw refused(context, reply, command, { code: 'tls-failed', advice: 'It does not protect data connections' })
  }
}

async function identify(dialogue: Dialogue, user: string, password: string | null): Promise<void> {
  const { control, context } = dialogue
  const reply = await control.ask('login', `USER ${user}`)
  // pure-ftpd lets anonymous users in at once.
  if (isPositive(reply)) return
  if (reply.code !== 331) throw loginError(context, reply, user)
  if (password !== null) return authenticate(dialogue, { user, password })
  const known = await askPerson(dialogue, reply)
  // The server has been told this user; only another one must be told.
  await (known.user === user ? authenticate(dialogue, known) : identify(dialogue, known.user, known.password))
}

async function authenticate({ control, context }: Dialogue, { user, password }: Credentials): Promise<void> {
  const reply = await control.ask('login', `PASS ${password}`)
  if (!isPositive(reply)) throw loginError(context, reply, user)
}

async function askPerson({ plan, context }: Dialogue, asked: Reply): Promise<Credentials> {
  const { host, port } = plan
  const user = octetsToText(plan.user)
  const known = await context.credentials({ realm: `${user}@${host}`, host, port, user })
  // RFC 2640 2: names and passwords are UTF-8.
  if (known !== null) return { user: utf8Octets(known.user), password: utf8Octets(known.password) }
  const message = 'The server wants a password, and none is known. Give one, as in ftp://USER:PASSWORD@HOST/, or by -u.'
  throw context.error('auth-required', message, { reply: wordsOf(asked) })
}

function loginError(context: RetrievalContext, reply: Reply, user: string): Error {
  if (reply.code === 332) {
    const message = 'The server wants an account (ACCT) beside user and password, which cannot be given yet.'
    return context.error('auth-required', message, { reply: wordsOf(reply) })
  }
  if (reply.code < 500) return refused(context, reply, 'the login')
  const isAnonymous = /^(anonymous|ftp)$/i.test(user)
  const advice = isAnonymous ? 'It takes no guests: give a user, as in ftp://USER@HOST/' : 'Check user and password'
  return refused(context, reply, 'the login', { code: 'auth-failed', advice })
}
