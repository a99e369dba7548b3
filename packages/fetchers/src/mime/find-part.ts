import { RetrievalError } from '@retriever/core'
import { type Message, readMessage } from './message.ts'
import type { MessagePart } from './part.ts'

/** The ids of a URL. */
export interface WantedPart {
  /** Null: any message. */
  readonly messageId: string | null
  /** Null: the whole message. */
  readonly contentId: { readonly text: string; readonly written: string } | null
}

/** A message or its part. */
export interface FoundPart {
  readonly message: Message
  /** Null: the whole message. A whole multipart has no number. */
  readonly part: { readonly number: string | null; readonly content: MessagePart } | null
  readonly octets: Uint8Array
}

/**
 * Finds a message or its part in the octets of a message. Returns null if it is not there, and returns, not throws, the
 * error `limit-exceeded` of readMessage().
 */
export async function findPart(octets: Uint8Array, wanted: WantedPart): Promise<FoundPart | RetrievalError | null> {
  if (!mayHave(octets, wanted)) return null
  try {
    return find(await readMessage(octets), octets, wanted)
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

/** Whether the ids occur anywhere in the octets, so that most messages of a mailbox need not be parsed. */
function mayHave(octets: Uint8Array, { messageId, contentId }: WantedPart): boolean {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  // A message within the message may be encoded, although RFC 2046 5.2.1 forbids it. Its ids are then encoded, too.
  if (/^Content-Type:\s*message\//im.test(text.toString('latin1'))) return true
  const isThere = (id: string): boolean => text.includes(id)
  return (
    (messageId === null || isThere(messageId)) &&
    (contentId === null || isThere(contentId.text) || isThere(contentId.written))
  )
}

function find(message: Message, octets: Uint8Array, { messageId, contentId }: WantedPart): FoundPart | null {
  for (const each of allMessages(message, octets)) {
    if (messageId !== null && each.message.messageId !== messageId) continue
    if (contentId === null) return each
    const content = each.message.part(`cid:${contentId.written}`)
    // part() also looks for names, and the name of another part may look like this URL.
    if (content === null || ![contentId.text, contentId.written].includes(content.contentId ?? '')) return null
    const number = [...message.allParts()].find(([, part]) => part === content)?.[0] ?? null
    return { message: each.message, octets: content.octets, part: { number, content } }
  }
  return null
}

/** Yields the message, and each message that is one of its parts with its number. */
function* allMessages(message: Message, octets: Uint8Array): Generator<FoundPart, void, void> {
  yield { message, octets, part: null }
  for (const [number, content] of message.allParts()) {
    if (content.message === null) continue
    yield { message: content.message, octets: content.octets, part: { number, content } }
  }
}
