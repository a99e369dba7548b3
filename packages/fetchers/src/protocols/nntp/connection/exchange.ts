import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Reply } from '../../../wire/framing/reply.ts'
import type { PendingCommand } from './command-queue.ts'
import { logIn, loginRefused, sendCommand } from './login.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** One retrieval's use of a session, with its plan and context. */
export interface NntpLease {
  readonly session: NntpSession
  readonly plan: ServerPlan
  readonly context: RetrievalContext
  /** Frees the session after the retrieval no longer needs it. */
  giveBack(): void
}

/** The final reply. If a block follows, the caller reads it from `pending`, and ends or abandons it. */
export interface NntpAnswer {
  readonly reply: Reply
  readonly pending: PendingCommand
}

/**
 * Sends a command, after the GROUP command that it needs, and waits for its reply or the refusal of the group. If the
 * server first asks for a login (480) or MODE READER, this sends that and then the command again.
 */
export async function exchange(lease: NntpLease, command: string, group: string | null = null): Promise<NntpAnswer> {
  const { session, context } = lease
  while (true) {
    while (session.accessChange !== null) {
      const { accessChange } = session
      await context.deadline.unlimited(() => accessChange)
    }
    if (session.refusedLogin !== null) throw loginRefused(context, session.refusedLogin, lease.plan.user || null)
    const { epoch } = session
    const commands = group === null ? [session.post(command, context)] : session.postIn(group, command, context)
    const answer = await lastReply(lease, commands)
    if (answer.reply.code < 400) return answer
    if (!(await gainAccess(lease, answer.reply, epoch))) return answer
  }
}

/** Returns the reply to the last of the commands, or the first refusal. */
async function lastReply({ session, context }: NntpLease, commands: readonly PendingCommand[]): Promise<NntpAnswer> {
  const left = [...commands]
  try {
    for (const pending of commands) {
      const reply = await session.reply(pending, context)
      // If the group was refused, the answer is about another group.
      const group = pending.selection?.reply ?? null
      const isElsewhere = group !== null && group.code !== 211
      if (left.length === 1 && reply.code < 400 && !isElsewhere) return { reply, pending }
      if (!isElsewhere) {
        session.end(pending)
        left.shift()
      }
      if (isElsewhere || reply.code >= 400) {
        session.abandon(...left)
        return { reply: isElsewhere ? group : reply, pending }
      }
    }
    throw new TypeError('no command')
  } catch (error) {
    session.abandon(...left)
    throw error
  }
}

/** Logs in or sends MODE READER if the reply asks for it. Returns false if the refusal is final. */
async function gainAccess(lease: NntpLease, reply: Reply, epoch: number): Promise<boolean> {
  const { session } = lease
  // Another retrieval is doing that, or has done it since the command was sent.
  if (session.accessChange !== null || session.epoch !== epoch) return mayAskForAccess(reply)
  const step = accessStep(session, reply)
  if (step === null) return false
  const change = step(lease, reply)
  session.accessChange = change.then(
    () => {},
    () => {},
  )
  try {
    const isDone = await change
    if (isDone) {
      session.epoch++
      session.unselect()
    }
    return isDone
  } finally {
    session.accessChange = null
  }
}

type AccessStep = (lease: NntpLease, reply: Reply) => Promise<boolean>

function accessStep(session: NntpSession, reply: Reply): AccessStep | null {
  // 480 is RFC 4643's (2.2), 450 RFC 2980's.
  if ((reply.code === 480 || reply.code === 450) && !session.isLoggedIn) return login
  if (mayAskForAccess(reply) && !session.hasAnswered && !session.isReader) return modeReader
  return null
}

/**
 * Whether the reply may ask for a login or MODE READER. INN's transit mode says `401 MODE-READER`. Older servers
 * do not know the command until they get MODE READER (500), or say 502 (RFC 3977 3.2.1).
 */
function mayAskForAccess({ code, text }: Reply): boolean {
  return code === 480 || code === 450 || code === 500 || code === 502 || (code === 401 && /^MODE-READER\b/i.test(text))
}

async function login({ session, plan, context }: NntpLease, reply: Reply): Promise<boolean> {
  await logIn(session, plan, context, reply)
  return true
}

async function modeReader(lease: NntpLease): Promise<boolean> {
  const { session, context } = lease
  session.isReader = true
  const reply = await sendCommand(session, context, 'MODE READER')
  if (reply.code === 480) return login(lease, reply)
  // Servers without modes do not know the command. The first refusal is then final.
  return reply.code === 200 || reply.code === 201
}
