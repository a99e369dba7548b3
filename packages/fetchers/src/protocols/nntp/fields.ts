import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { PendingCommand } from './connection/command-queue.ts'
import type { NntpSession } from './connection/session.ts'

/** Reads the answer to HEAD to its end. Returns the header fields by lower-case name, unfolded (RFC 5322 2.2.3). */
export async function fieldsOf(
  session: NntpSession,
  pending: PendingCommand,
  context: RetrievalContext,
): Promise<Map<string, string>> {
  const text = await blockText(session, pending, context, context.limits.maxReply)
  const fields = new Map<string, string>()
  // Only CRLF ends a line here (RFC 3977 3.1.1): an LF within a subject must not begin another field.
  for (const line of text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(line) ?? []
    // If a field comes several times, the first counts. RFC 5536 allows only one of each field that is read here.
    if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value)
  }
  return fields
}

/** Reads a short block to its end. Returns it as text, one octet a character. */
export async function blockText(
  session: NntpSession,
  pending: PendingCommand,
  context: RetrievalContext,
  limit: number,
): Promise<string> {
  let text = ''
  for (
    let octets = await session.next(pending, context);
    octets !== null;
    octets = await session.next(pending, context)
  ) {
    text += Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
    if (text.length <= limit) continue
    session.lose()
    throw context.error('limit-exceeded', `The server sent an answer of over ${limit} octets.`)
  }
  session.end(pending)
  return text
}
