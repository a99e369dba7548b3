import { type AccessPlans, RetrievalError } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { DialogueSession } from '../../wire/pool/dialogue-session.ts'
import { inSession } from '../../wire/pool/in-session.ts'
import { LeasedBody } from '../../wire/pool/leased-body.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { SessionPool, type SessionProtocol } from '../../wire/pool/session-pool.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { openSessionSocket } from '../../wire/transport/socket.ts'
import { imap } from './about.ts'
import { ImapDialogue } from './dialogue.ts'
import { checkValidity, entriesOf, examine, listMailboxes, listMessages, type Mailbox, search } from './listing.ts'
import { logIn } from './login.ts'
import { retrieveMessage } from './message.ts'

type Plan = AccessPlans['imap']

/** A session, and the mailbox that is open in it. */
class ImapSession extends DialogueSession<ImapDialogue> {
  mailbox: { readonly named: string; readonly facts: Mailbox } | null = null
}

const sessions: SessionProtocol<ImapSession, Plan, null> = {
  newQuirks: () => null,
  open: (plan, context, _quirks, refused) => open(plan, context, refused),
  capacity: () => 1,
  // A session in which the mailbox is open gives a message sooner.
  pick: (idle, { mailbox }) => idle.find((each) => each.mailbox?.named === mailbox) ?? idle[0],
  isFull: (error): error is RetrievalError =>
    RetrievalError.is(error) &&
    /^\[LIMIT\]|\b(?:too many|maximum number of)\b.{0,40}\bconnections\b/i.test(error.reply ?? ''),
}

/**
 * Makes a fetcher that reads mailboxes by IMAP (RFC 3501). It changes nothing, not even the mark that a message was
 * seen. It keeps a session for some seconds, for the next retrieval with the same login.
 */
export function imapFetcher(): Fetcher<'imap'> {
  const pool = new SessionPool(sessions)
  return {
    ...imap,
    async retrieve(plan, context) {
      if (context.request.range !== undefined) {
        const message = 'IMAP has its own ranges: put ;PARTIAL=OFFSET.LENGTH behind ;UID=.'
        throw context.error('range-refused', message, { phase: 'policy' })
      }
      return inSession(pool, plan, context, async (lease) => {
        const retrieved = await askFor(plan, lease.session, context)
        return { ...retrieved, body: new LeasedBody(sourceOf(retrieved.body), lease, context) }
      })
    },
    async reread(answer, plan, context) {
      return plan.uid === null ? { ...answer, kind: 'listing', entries: entriesOf(plan, context) } : answer
    },
    dispose: async () => pool.close(),
  }
}

async function open(plan: Plan, context: RetrievalContext, refused: RefusedLogins): Promise<ImapSession> {
  const connection = new Connection(await openSessionSocket(context, plan), context)
  try {
    const dialogue = new ImapDialogue(connection, context)
    await logIn(plan, dialogue, context, refused)
    return new ImapSession(dialogue, context)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Opens the mailbox of a plan. If the mailbox is open already, a message needs no second look at it. */
async function mailboxOf(plan: Plan, session: ImapSession, context: RetrievalContext): Promise<Mailbox> {
  const named = plan.mailbox ?? ''
  const known = plan.uid !== null && session.mailbox?.named === named ? session.mailbox.facts : null
  session.mailbox = null
  const facts = known ?? (await examine(plan, session.dialogue))
  session.mailbox = { named, facts }
  checkValidity(plan, facts, context)
  return facts
}

async function askFor(plan: Plan, session: ImapSession, context: RetrievalContext): Promise<Retrieved<'imap'>> {
  const { dialogue } = session
  if (plan.mailbox === null) return listMailboxes(plan, dialogue, context)
  const mailbox = await mailboxOf(plan, session, context)
  if (plan.uid !== null) return retrieveMessage(plan, mailbox, dialogue, context)
  if (plan.search !== null) return search(plan, mailbox, dialogue, context)
  return listMessages(plan, mailbox, dialogue, context)
}
