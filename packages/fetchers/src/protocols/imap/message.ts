import { type AccessPlans, octetsToText, type RetrievalError } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { messageEntries } from '../../mime/entries.ts'
import { type ImapDialogue, literalSize } from './dialogue.ts'
import { type Mailbox, requestOf } from './listing.ts'

/** The part of a plan that a FETCH asks for: the UID, and the first octet and the length of a partial fetch. */
type Wanted = Pick<AccessPlans['imap'], 'uid' | 'partial'>

/** Retrieves a message or a part of it by BODY.PEEK (RFC 3501 6.4.5), which does not mark it as seen. */
export async function retrieveMessage(
  plan: AccessPlans['imap'],
  mailbox: Mailbox,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<Retrieved<'imap'>> {
  const { uid, section, partial } = plan
  await dialogue.send(requestOf(plan)[0] ?? '')
  const { size, body } = await findBody(plan, dialogue, context)
  if (size === 0 && section !== null) await checkPart(plan, section, body, dialogue, context)
  const isWhole = section === null && partial === null
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: isWhole ? 'message/rfc822' : null,
    charset: null,
    size,
    ...(partial !== null && { offset: partial[0] }),
    modified: null,
    completeness: 'verified',
    metadata: { mailbox: mailbox.name, uidValidity: mailbox.uidValidity, ...(uid !== null && { uid }) },
    body: sourceOf(body),
    ...(isWhole && {
      entries: (octets: AsyncIterable<Uint8Array>) => messageEntries(octets, context, (part) => partUrl(part, context)),
    }),
  }
}

/**
 * Throws `not-found` if an empty part does not exist: Dovecot sends no octets for a missing part. The header of an
 * existing part has at least the empty line at its end.
 */
async function checkPart(
  { uid }: Wanted,
  section: string,
  body: AsyncIterable<Uint8Array>,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<void> {
  const [, number, specifier = ''] = /^(\d+(?:\.\d+)*)(?:\.(HEADER|MIME|TEXT)$)?/i.exec(section) ?? []
  if (number === undefined) return
  await ended(body)
  if (/^(?:HEADER|MIME)$/i.test(specifier)) throw noPart(dialogue)
  // Only a part that is a message has a header and a text of its own.
  await dialogue.send(`UID FETCH ${uid} (BODY.PEEK[${number}.${specifier === '' ? 'MIME' : 'HEADER'}])`)
  const header = await findBody({ uid, partial: null }, dialogue, context)
  await ended(header.body)
  if (header.size === 0) throw noPart(dialogue)
}

function noPart(dialogue: ImapDialogue): RetrievalError {
  return dialogue.refusal('not-found', 'The message has no such part', '')
}

async function ended(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}

/** Makes the URL of a part. Its octets still have their transfer encoding. */
function partUrl(section: string, { url }: RetrievalContext): string {
  return `${url.replace(/[#?].*$/s, '').replace(/\/$/, '')}/;SECTION=${section}`
}

/** Reads up to the octets of the body. If there are none, there is no such message. */
async function findBody(
  wanted: Wanted,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }> {
  while (true) {
    const line = await dialogue.line('request')
    const bodyAt = /^\* \d+ FETCH /i.test(line) ? line.toUpperCase().indexOf('BODY[') : -1
    const size = literalSize(line)
    if (bodyAt >= 0) checkUid(wanted.uid, line.slice(0, bodyAt), context)
    if (size !== null) {
      // A FETCH that nobody asked for is about flags, and has no literals (RFC 3501 7.4.2).
      if (bodyAt >= 0) {
        checkPartial(wanted, line.slice(bodyAt), size, context)
        return { size, body: literal(size, wanted.uid, dialogue, context) }
      }
      throw context.error('protocol-violation', 'The server sends octets that were not asked for.')
    }
    const short =
      bodyAt < 0 ? null : /^BODY\[[^\]]*\](?:<[\d.]+>)? (?:"((?:[^"\\]|\\.)*)"|(NIL))/i.exec(line.slice(bodyAt))
    if (short !== null) {
      if (short[2] !== undefined) throw noPart(dialogue)
      const octets = Buffer.from((short[1] ?? '').replace(/\\(.)/g, '$1'), 'latin1')
      checkPartial(wanted, line.slice(bodyAt), octets.length, context)
      return { size: octets.length, body: once(octets, dialogue) }
    }
    const response = dialogue.read(line, 'request')
    if (!('completion' in response)) continue
    const { status, text } = response.completion
    const what = status === 'OK' ? 'There is no such message' : 'The server does not give the message'
    throw dialogue.refusal(status === 'BAD' ? 'server-refused' : 'not-found', what, text)
  }
}

/**
 * Throws `protocol-violation` if a FETCH is about another message than was asked for: it answers another command, or
 * none. The UID stands in it, before or after the body (RFC 3501 6.4.8).
 */
function checkUid(wanted: number | null, text: string, { error }: RetrievalContext): void {
  const [, uid] = /(?:^|[( ])UID (\d{1,10})(?=[ )]|$)/i.exec(text) ?? []
  if (uid === undefined || Number(uid) === wanted) return
  throw error('protocol-violation', `The server sent message ${uid} in place of ${wanted}; try again.`)
}

/**
 * Throws `protocol-violation` if the octets do not begin where they were asked to (`BODY[]<5>`, RFC 3501 7.4.2), or are
 * more: they would be saved in the wrong place, or as the whole message. Hoodiecrow repeats the length, too: `<5.9>`.
 */
function checkPartial({ partial }: Wanted, text: string, size: number, { error }: RetrievalContext): void {
  const [, origin] = /^BODY\[[^\]]*\](?:<(\d{1,10})(?:\.\d+)?>)?/i.exec(text) ?? []
  const [first, length] = partial ?? []
  if (origin === first?.toString() && size <= (length ?? Number.POSITIVE_INFINITY)) return
  const asked = first === undefined ? 'all octets' : `${length ?? 'all'} octets from ${first} on`
  const sent = origin === undefined ? `${size} octets` : `${size} octets from ${origin} on`
  throw error('protocol-violation', `The server was asked for ${asked}, and sent ${sent}; they cannot be used.`)
}

/** Gives octets that have arrived already, and then reads the end of the command. */
async function* once(octets: Uint8Array, dialogue: ImapDialogue): AsyncGenerator<Uint8Array> {
  if (octets.length > 0) yield octets
  await commandEnd(dialogue)
}

/** Gives the octets of a literal, and then reads the end of the command. */
async function* literal(
  size: number,
  uid: number | null,
  dialogue: ImapDialogue,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const chunk = await dialogue.reader.read('body')
    if (chunk === null) {
      throw context.error('partial', 'The connection ended before the whole message had come; try again.', {
        phase: 'body',
        transient: true,
      })
    }
    const taken = chunk.subarray(0, left)
    if (taken.length < chunk.length) dialogue.reader.unread(chunk.subarray(taken.length))
    left -= taken.length
    yield taken
  }
  const rest = await dialogue.line('body')
  // If the size is wrong, octets of the message stand here, or the bracket was among them.
  if (!/^(?: .*)?\) *$/.test(rest)) {
    throw context.error('protocol-violation', 'The message has another size than the server announced; try again.')
  }
  checkUid(uid, rest, context)
  await commandEnd(dialogue)
}

async function commandEnd(dialogue: ImapDialogue): Promise<void> {
  while (true) {
    const response = dialogue.read(await dialogue.line('body'), 'body')
    if (!('completion' in response)) continue
    const { status, text } = response.completion
    if (status === 'OK') return
    throw dialogue.refusal('partial', 'The server ended the message with an error', octetsToText(text))
  }
}
