import { encodeOctets, utf8Octets } from '@retriever/core'
import type { Entry, RetrievalContext } from '../plugin/fetcher.ts'
import type { MessagePart } from './part.ts'

/** The parts of a message as entries of its representation. Rejects with `limit-exceeded` past limits.maxCollected. */
export async function* messageEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const { readMessage } = await import('./message.ts')
  const message = await readMessage(await collect(body, context))
  // Only an mbox has parts and no header; its messages are known by their subjects.
  const isMailbox = message.headers.length === 0
  for (const [number, part] of message.allParts()) yield partEntry(number, part, message.messageId, isMailbox)
}

function partEntry(number: string, part: MessagePart, messageId: string | null, isMailbox: boolean): Entry {
  const { name, mediaType, disposition, contentId, size, damage } = part
  const isWithin = number.includes('.')
  const isNamed = messageId !== null && contentId !== null && !isWithin
  return {
    name: name ?? (isMailbox ? part.message?.subject : null) ?? mediaType,
    kind: 'file',
    // RFC 2392 2
    url: isNamed ? `mid:${encodedId(messageId)}/${encodedId(contentId)}` : null,
    size,
    details: {
      // A part within a part is `2.1`, a string: as a number, 2.10 would be the same.
      number: isWithin ? number : part.number,
      mediaType,
      disposition,
      contentId,
      // The URL of the part for the option `base`, whose value is the URL of the message.
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
    if (length > maxCollected) {
      const message = `The message is over ${maxCollected} octets, the limit of maxCollected; save it to a file.`
      throw context.error('limit-exceeded', message, { phase: 'body' })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
