import type { AccessPlans } from '@retriever/core'
import type { Entry, Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { messageEntries } from '../../mime/entries.ts'
import { folderUrl } from '../../wire/folder-url.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { DialogueSession } from '../../wire/pool/dialogue-session.ts'
import { inSession } from '../../wire/pool/in-session.ts'
import { LeasedBody } from '../../wire/pool/leased-body.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { type Lease, SessionPool, type SessionProtocol } from '../../wire/pool/session-pool.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { openSessionSocket } from '../../wire/transport/socket.ts'
import { pop3 } from './about.ts'
import { PopDialogue } from './dialogue.ts'
import { logIn } from './login.ts'

type Plan = AccessPlans['pop3']

/** How many milliseconds an idle session is kept: it locks the mailbox (RFC 1939 4). */
const idleTime = 2000

type PopSession = DialogueSession<PopDialogue>

const sessions: SessionProtocol<PopSession, Plan, null> = {
  newQuirks: () => null,
  open: (plan, context, _quirks, refused) => open(plan, context, refused),
  capacity: () => 1,
  perLogin: 1,
}

/**
 * Makes a fetcher that reads mailboxes by POP3 (RFC 1939): the list of messages, or one message. It deletes nothing. It
 * keeps a session for a moment, for the next message. The list always comes from a new session, because an old one does
 * not see new messages.
 */
export function pop3Fetcher(): Fetcher<'pop3'> {
  const pool = new SessionPool(sessions, undefined, idleTime)
  return {
    ...pop3,
    async retrieve(plan, context) {
      if (context.request.range !== undefined) {
        const message = 'POP3 sends no parts of a message; retrieve the whole.'
        throw context.error('range-refused', message, { phase: 'policy' })
      }
      const isList = plan.message === null
      const use = async (lease: Lease<PopSession>): Promise<Retrieved<'pop3'>> => {
        const { dialogue } = lease.session
        const retrieved = await (plan.message === null
          ? list(dialogue, context)
          : message(plan.message, dialogue, context))
        return { ...retrieved, body: new LeasedBody(sourceOf(dialogue.octets()), lease, context) }
      }
      return inSession(pool, plan, context, use, isList)
    },
    async reread(answer, plan, context) {
      if (plan.message !== null) return answer
      // The lines have no unique ids.
      return { ...answer, kind: 'listing', entries: (body) => entriesOf(body, new Map(), context) }
    },
    dispose: async () => pool.close(),
  }
}

async function open(plan: Plan, context: RetrievalContext, refused: RefusedLogins): Promise<PopSession> {
  const connection = new Connection(await openSessionSocket(context, plan), context)
  try {
    const dialogue = new PopDialogue(connection, context)
    const greeting = await dialogue.reply('greeting')
    if (!greeting.isOk) throw dialogue.refusal(greeting, 'server-refused', 'The server refused the connection')
    if (plan.tls === 'explicit') await dialogue.startTls(plan)
    await logIn(plan, dialogue, context, greeting, refused)
    return new DialogueSession(dialogue, context)
  } catch (error) {
    connection.close()
    throw error
  }
}

const base = { outcome: 'retrieved', charset: null, size: null, modified: null, completeness: 'terminated' } as const

async function message(
  number: number,
  dialogue: PopDialogue,
  context: RetrievalContext,
): Promise<Omit<Retrieved<'pop3'>, 'body'>> {
  const reply = await dialogue.ask('request', `RETR ${number}`)
  if (!reply.isOk) throw dialogue.refusal(reply, 'not-found', `There is no message ${number}`)
  return {
    ...base,
    kind: 'object',
    mediaType: 'message/rfc822',
    metadata: { message: number },
    entries: (body) => messageEntries(body, context),
  }
}

/** Lists messages (RFC 1939 5): a line has the number of a message and its size. */
async function list(dialogue: PopDialogue, context: RetrievalContext): Promise<Omit<Retrieved<'pop3'>, 'body'>> {
  const ids = await uniqueIds(dialogue)
  const reply = await dialogue.ask('request', 'LIST')
  if (!reply.isOk) throw dialogue.refusal(reply, 'server-refused', 'The server lists no messages')
  return {
    ...base,
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'us-ascii',
    metadata: {},
    entries: (body) => entriesOf(body, ids, context),
  }
}

/** Returns the unique ids of messages by their numbers (UIDL, RFC 1939 7). Empty if the server has none. */
async function uniqueIds(dialogue: PopDialogue): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  if (!(await dialogue.ask('request', 'UIDL')).isOk) return ids
  for await (const line of dialogue.block()) {
    const [, number, id] = /^(\d{1,10}) ([\x21-\x7E]{1,70})$/.exec(line) ?? []
    if (number !== undefined && id !== undefined) ids.set(number, id)
  }
  return ids
}

async function* entriesOf(
  body: AsyncIterable<Uint8Array>,
  ids: ReadonlyMap<string, string>,
  context: RetrievalContext,
): AsyncGenerator<Entry> {
  const folder = folderUrl(context)
  for await (const line of linesOf(body, context)) {
    const [, number, size] = /^(\d{1,9}) (\d{1,15})/.exec(line) ?? []
    if (number === undefined) continue
    const id = ids.get(number)
    yield {
      name: number,
      kind: 'article',
      url: folder + number,
      size: Number(size),
      ...(id !== undefined && { details: { uid: id } }),
    }
  }
}
