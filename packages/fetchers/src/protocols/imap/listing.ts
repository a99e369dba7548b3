import { type AccessPlans, encodeOctets, octetsToText, printable } from '@retriever/core'
import { adviceText, imapCommands, utf8Octets } from '@retriever/core/internal'
import type { Entry, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { messageDate } from '../../kit/text/date.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import type { ImapDialogue } from './dialogue.ts'
import { decodeMailbox } from './mailbox-name.ts'

type Plan = AccessPlans['imap']

/** An open mailbox. */
export interface Mailbox {
  readonly name: string
  readonly uidValidity: number
  /** How many messages it has. */
  readonly count: number
}

/** Opens a mailbox only for reading (EXAMINE, RFC 3501 6.3.2). */
export async function examine(plan: Plan, dialogue: ImapDialogue): Promise<Mailbox> {
  const name = octetsToText(plan.mailbox ?? '')
  let count = 0
  let uidValidity = 0
  const onUntagged = (text: string): void => {
    count = Number(/^(\d{1,10}) EXISTS\b/i.exec(text)?.[1] ?? count)
    uidValidity = Number(/^OK \[UIDVALIDITY (\d{1,10})\]/i.exec(text)?.[1] ?? uidValidity)
  }
  const { status, text } = await dialogue.ask('request', imapCommands(plan)[0]?.[0] ?? '', { onUntagged })
  if (status !== 'OK') {
    const code = status === 'BAD' ? 'server-refused' : 'not-found'
    throw dialogue.refusal(code, `The mailbox ${printable(name)} cannot be opened`, text)
  }
  return { name, uidValidity, count }
}

/** Rejects numbers of messages if the mailbox was made anew (UIDVALIDITY, RFC 5092 5). */
export function checkValidity(plan: Plan, { uidValidity }: Mailbox, context: RetrievalContext): void {
  if (plan.uidValidity === null || plan.uidValidity === uidValidity) return
  const what = `The mailbox was made anew: its UIDVALIDITY is ${uidValidity} now`
  throw context.error('not-found', `${what}, so the numbers of the URL name other messages.`, {
    reply: `UIDVALIDITY ${uidValidity}`,
  })
}

/** Lists the mailboxes of the server: the lines of LIST. */
export async function listMailboxes(
  plan: Plan,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<Retrieved<'imap'>> {
  const lines = await linesFor(dialogue, requestOf(plan), /^LIST /i)
  return listing(lines, {}, entriesOf(plan, context))
}

/** Lists the newest messages of a mailbox: a line of FETCH for each, with its UID, size, date and flags. */
export async function listMessages(
  plan: Plan,
  mailbox: Mailbox,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<Retrieved<'imap'>> {
  const { limit = 1000 } = context.request
  const first = Math.max(1, mailbox.count - limit + 1)
  if (first > 1) {
    const advice = { option: 'limit' } as const
    const what = `The mailbox has ${mailbox.count} messages; the newest ${limit} are listed`
    context.emit({ type: 'remark', url: context.url, message: `${what} (${adviceText(advice)}).`, advice })
  }
  const lines = mailbox.count === 0 ? [] : await linesFor(dialogue, requestOf(plan, first), /^\d+ FETCH \(.*UID \d/i)
  return listing(lines, mailbox, entriesOf(plan, context, mailbox.uidValidity))
}

/** Lists the messages that a search finds: the line of SEARCH, with their UIDs. */
export async function search(
  plan: Plan,
  mailbox: Mailbox,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<Retrieved<'imap'>> {
  const lines = await linesFor(dialogue, requestOf(plan), /^SEARCH\b/i)
  return listing(lines, mailbox, entriesOf(plan, context, mailbox.uidValidity))
}

type Entries = NonNullable<Retrieved['entries']>

/** The entries of a listing. Its lines do not tell the UIDVALIDITY of the mailbox; 0: nobody knows it. */
export function entriesOf(plan: Plan, context: RetrievalContext, uidValidity: number = plan.uidValidity ?? 0): Entries {
  const base = `${folderOf(context)}/`
  const read = (line: string): Entry[] => {
    if (plan.mailbox === null) return mailboxEntry(line, base)
    return plan.search === null ? messageEntry(line, uidValidity, context) : foundEntries(line, uidValidity, context)
  }
  return async function* (body) {
    for await (const line of linesOf(body, context)) yield* read(line)
  }
}

/** Returns the command that asks for what the URL names. */
export function requestOf(plan: Plan, first?: number): readonly string[] {
  return imapCommands(plan, first).at(-1) ?? []
}

async function linesFor(
  dialogue: ImapDialogue,
  [command = '', ...literals]: readonly string[],
  wanted: RegExp,
): Promise<string[]> {
  const lines: string[] = []
  const onUntagged = (text: string): void => {
    if (wanted.test(text)) lines.push(`* ${text}\r\n`)
  }
  const { status, text } = await dialogue.ask('request', command, { literals, onUntagged })
  if (status !== 'OK') throw dialogue.refusal('server-refused', 'The server refused', text)
  return lines
}

function listing(lines: readonly string[], mailbox: Partial<Mailbox>, entries: Entries): Retrieved<'imap'> {
  const { name, ...facts } = mailbox
  return wholeResult(Buffer.from(lines.join(''), 'latin1'), {
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'utf-8',
    metadata: { ...(name !== undefined && { mailbox: name }), ...facts },
    entries,
  })
}

/** Reads `* LIST (\HasNoChildren) "/" "Sent"` (RFC 3501 7.2.2). */
function mailboxEntry(line: string, base: string): Entry[] {
  const [, flags = '', text] = /^\* LIST \(([^)]*)\) (?:NIL|"(?:[^"\\]|\\.)") (.+)$/i.exec(line) ?? []
  if (text === undefined) return []
  const raw = text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
  const name = octetsToText(utf8OrOctets(decodeMailbox(raw)))
  const holdsMessages = !/\\(?:Noselect|NonExistent)\b/i.test(flags)
  const url = holdsMessages ? base + encodeOctets(utf8Octets(name), '/') : null
  return [{ name: printable(name), kind: 'directory', url, details: { flags: flags.split(' ').filter(Boolean) } }]
}

/** Reads a decoded name as text. Octets beyond ASCII in a name that was not encoded are UTF-8 (RFC 6855). */
function utf8OrOctets(text: string): string {
  return /[\u0100-\uFFFF]/.test(text) ? utf8Octets(text) : text
}

/** Reads `* 1 FETCH (UID 5 RFC822.SIZE 155 INTERNALDATE "03-Feb-2001 04:05:06 +0000" FLAGS (\Seen))`. */
function messageEntry(line: string, uidValidity: number, context: RetrievalContext): Entry[] {
  const uid = /[( ]UID (\d{1,10})/i.exec(line)?.[1]
  if (uid === undefined) return []
  const size = /[( ]RFC822\.SIZE (\d{1,15})/i.exec(line)?.[1]
  const modified = messageDate(/[( ]INTERNALDATE "([^"]{1,40})"/i.exec(line)?.[1] ?? '')
  const flags = /[( ]FLAGS \(([^()]*)\)/i.exec(line)?.[1] ?? ''
  return [
    {
      name: uid,
      kind: 'article',
      url: messageUrl(uid, uidValidity, context),
      ...(size !== undefined && { size: Number(size) }),
      ...(modified !== null && { modified }),
      details: { ...idOf(uid, uidValidity), flags: flags.split(' ').filter(Boolean) },
    },
  ]
}

/** Reads `* SEARCH 5 7`. */
function foundEntries(line: string, uidValidity: number, context: RetrievalContext): Entry[] {
  return [...line.matchAll(/ (\d{1,10})(?= |$)/g)].map(([, uid = '']) => ({
    name: uid,
    kind: 'article',
    url: messageUrl(uid, uidValidity, context),
    details: idOf(uid, uidValidity),
  }))
}

/** Both numbers together name a message for ever (RFC 3501 2.3.1.1). */
function idOf(uid: string, uidValidity: number): { readonly uid?: string } {
  return uidValidity > 0 ? { uid: `${uidValidity}.${uid}` } : {}
}

function messageUrl(uid: string, uidValidity: number, context: RetrievalContext): string {
  const mailbox = folderOf(context).replace(/;uidvalidity=\d+$/i, '')
  return `${mailbox}${uidValidity > 0 ? `;UIDVALIDITY=${uidValidity}` : ''}/;UID=${uid}`
}

/** Returns the URL without its search, fragment and final slash. */
function folderOf({ url }: RetrievalContext): string {
  return url.replace(/[?#].*$/s, '').replace(/\/$/, '')
}
