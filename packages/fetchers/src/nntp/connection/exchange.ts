import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { Reply } from '../../wire/framing/reply.ts'
import type { PendingCommand } from './command-queue.ts'
import { logIn, loginRefused, say } from './login.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** What a retrieval asks a session, and by what plan and in whose context. */
export interface Dialogue {
  readonly session: NntpSession
  readonly plan: ServerPlan
  readonly context: RetrievalContext
  /** The retrieval has all that it wanted of the session. */
  done(): void
}

/** The reply that counts. Where a block follows, it is the caller's to read from `slot`, and to end or abandon. */
export interface Answer {
  readonly reply: Reply
  readonly slot: PendingCommand
}

/**
 * Sends a command, behind the GROUP that it needs, and waits for its reply, or the refusal of the group. What the server wants first,
 * a login (480) or MODE READER, it says in a refusal: then the command goes out again after that.
 */
export async function exchange(dialogue: Dialogue, command: string, newsgroup: string | null = null): Promise<Answer> {
  const { session, context } = dialogue
  while (true) {
    while (session.unlocking !== null) {
      const { unlocking } = session
      await context.deadline.unlimited(() => unlocking)
    }
    if (session.refusedLogin !== null) throw loginRefused(context, session.refusedLogin, dialogue.plan.user || null)
    const { epoch } = session
    const answer = await ask(
      dialogue,
      newsgroup === null ? [post(session, command, context)] : session.postIn(newsgroup, command, context),
    )
    if (answer.reply.code < 400) return answer
    if (!(await unlock(dialogue, answer.reply, epoch))) return answer
  }
}

function post(session: NntpSession, command: string, context: RetrievalContext): PendingCommand {
  const newsgroup = /^GROUP (.*)$/s.exec(command)?.[1]
  return newsgroup === undefined ? session.post(command, context) : session.select(newsgroup, context)
}

/** The reply to the last of the commands, or the first refusal. */
async function ask({ session, context }: Dialogue, slots: readonly PendingCommand[]): Promise<Answer> {
  const left = [...slots]
  try {
    for (const slot of slots) {
      const reply = await session.reply(slot, context)
      // Without its group, the answer is about another one.
      const group = slot.selection?.reply ?? null
      const isElsewhere = group !== null && group.code !== 211
      if (left.length === 1 && reply.code < 400 && !isElsewhere) return { reply, slot }
      if (!isElsewhere) {
        session.end(slot)
        left.shift()
      }
      if (isElsewhere || reply.code >= 400) {
        session.abandon(...left)
        return { reply: isElsewhere ? group : reply, slot }
      }
    }
    throw new TypeError('no command')
  } catch (error) {
    session.abandon(...left)
    throw error
  }
}

/** Does what the server wants first; false where the refusal stands. */
async function unlock(dialogue: Dialogue, reply: Reply, epoch: number): Promise<boolean> {
  const { session } = dialogue
  // Somebody else does it, or has done it since the command went out.
  if (session.unlocking !== null || session.epoch !== epoch) return isLock(reply)
  const way = wayToUnlock(session, reply)
  if (way === null) return false
  const unlocking = way(dialogue, reply)
  session.unlocking = unlocking.then(
    () => {},
    () => {},
  )
  try {
    const isDone = await unlocking
    if (isDone) {
      session.epoch++
      session.unselect()
    }
    return isDone
  } finally {
    session.unlocking = null
  }
}

type Way = (dialogue: Dialogue, reply: Reply) => Promise<boolean>

function wayToUnlock(session: NntpSession, reply: Reply): Way | null {
  // RFC 4643 2.2; 450 is RFC 2980's.
  if ((reply.code === 480 || reply.code === 450) && !session.isLoggedIn) return login
  if (isLock(reply) && !session.hasAnswered && !session.isReader) return modeReader
  return null
}

/** INN's transit mode: `401 MODE-READER`. Older ones do not know the command yet, or say 502 (RFC 3977 3.2.1). */
function isLock({ code, text }: Reply): boolean {
  return code === 480 || code === 450 || code === 500 || code === 502 || (code === 401 && /^MODE-READER\b/i.test(text))
}

async function login({ session, plan, context }: Dialogue, reply: Reply): Promise<boolean> {
  await logIn(session, plan, context, reply)
  return true
}

async function modeReader(dialogue: Dialogue): Promise<boolean> {
  const { session, context } = dialogue
  session.isReader = true
  const reply = await say(session, context, 'MODE READER')
  if (reply.code === 480) return login(dialogue, reply)
  // Servers without modes know no such command; then the first refusal stands.
  return reply.code === 200 || reply.code === 201
}
