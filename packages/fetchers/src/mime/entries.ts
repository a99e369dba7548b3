import { encodeOctets } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../contract/fetcher.ts'
import { overHeld } from '../kit/size-limit.ts'
import type { Message } from './message.ts'
import type { MessagePart } from './part.ts'

/**
 * Yields the parts of a message as entries of its representation. `urlOf` makes the URL of a part from its number in
 * IMAP. Rejects with `limit-exceeded` past limits.maxCollected.
 */
export async function* messageEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
  urlOf?: (section: string) => string,
): AsyncGenerator<Entry, void, void> {
  const { readMessage } = await import('./message.ts')
  const message = await readMessage(await collect(body, context))
  // Only an mbox has parts but no header. Its messages are named by their subjects.
  const isMailbox = message.headers.length === 0
  const sections = new Map(sectionsIn(message))
  for (const [number, part] of message.allParts()) {
    const entry = partEntry(number, part, message.messageId, isMailbox)
    const section = sections.get(part)
    yield section === undefined || urlOf === undefined ? entry : { ...entry, url: urlOf(section) }
  }
}

/**
 * Yields the parts with their numbers in IMAP, such as `3.1`, including those of messages within the message (RFC 3501
 * 6.4.5).
 */
function* sectionsIn(message: Message, outer: string = ''): Generator<readonly [part: MessagePart, section: string]> {
  for (const part of message.parts) {
    if (part.section === null) continue
    yield [part, outer + part.section]
    if (part.message !== null) yield* sectionsIn(part.message, `${outer}${part.section}.`)
  }
}

function partEntry(number: string, part: MessagePart, messageId: string | null, isMailbox: boolean): Entry {
  const { name, mediaType, disposition, contentId, size, damage } = part
  const isWithin = number.includes('.')
  const isNamed = messageId !== null && contentId !== null && !isWithin
  return {
    name: name ?? (isMailbox ? part.message?.subject : null) ?? mediaType,
    kind: 'file',
    // A `mid` URL may name a part, too (RFC 2392 2).
    url: isNamed ? `mid:${encodedId(messageId)}/${encodedId(contentId)}` : null,
    size,
    details: {
      // The number `2.1` of a part within a part is a string: the number 2.10 would be the same as 2.1.
      number: isWithin ? number : part.number,
      mediaType,
      disposition,
      contentId,
      // This URL names the part if the option `base` holds the URL of the message.
      ...(contentId !== null && { cid: `cid:${encodedId(contentId)}` }),
      ...(damage !== null && { damage }),
    },
  }
}

function encodedId(id: string): string {
  return encodeOctets(utf8Octets(id), '@+')
}

async function collect(body: AsyncIterable<Uint8Array>, context: RetrievalContext): Promise<Uint8Array> {
  const { maxCollected } = context.limits
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxCollected) throw overHeld(context, 'message')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
