import type { AccessPlans } from '@retriever/core'
import { sourceOf } from '../plugin/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { ConnectionBody } from '../wire/connection-body.ts'
import { openConnection } from '../wire/transport/socket.ts'
import { ImapDialogue } from './dialogue.ts'
import { examine, listMailboxes, listMessages, search } from './listing.ts'
import { logIn } from './login.ts'
import { retrieveMessage } from './message.ts'

type Plan = AccessPlans['imap']

/** Reads mailboxes by IMAP (RFC 3501): nothing is changed, not even the mark of a message that was seen. */
export function imapFetcher(): Fetcher<'imap'> {
  return { mechanism: 'imap', retrieve }
}

async function retrieve(plan: Plan, context: RetrievalContext): Promise<Retrieved<'imap'>> {
  if (context.request.range !== undefined) {
    const message = 'IMAP has its own ranges: put ;PARTIAL=OFFSET.LENGTH behind ;UID=.'
    throw context.error('range-refused', message, { phase: 'policy' })
  }
  const connection = await openConnection(context, plan)
  try {
    const dialogue = new ImapDialogue(connection, context)
    await logIn(plan, dialogue, context)
    const retrieved = await askFor(plan, dialogue, context)
    return { ...retrieved, body: new ConnectionBody(sourceOf(retrieved.body), connection) }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function askFor(plan: Plan, dialogue: ImapDialogue, context: RetrievalContext): Promise<Retrieved<'imap'>> {
  if (plan.mailbox === null) return listMailboxes(plan, dialogue, context)
  const mailbox = await examine(plan, dialogue, context)
  if (plan.uid !== null) return retrieveMessage(plan, mailbox, dialogue, context)
  if (plan.search !== null) return search(plan, mailbox, dialogue, context)
  return listMessages(plan, mailbox, dialogue, context)
}
