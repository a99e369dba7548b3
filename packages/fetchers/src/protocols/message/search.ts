import { printable, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { type FoundPart, findPart, type WantedPart } from '../../mime/find-part.ts'
import { messagesAt } from './messages-at.ts'

/** A message or its part. */
export interface Found extends FoundPart {
  /** The URL of the message, or of the mailbox that has it. */
  readonly base: string
}

/**
 * Searches the message at `base`, or the messages of the mailbox or folder there. The first that fits counts, since the
 * ids are unique. Rejects with `not-found`, with `invalid-option` if there are no messages, and with the errors of
 * retrieving `base`.
 */
export async function search(base: string, wanted: WantedPart, context: RetrievalContext): Promise<Found> {
  const errors: RetrievalError[] = []
  let messages = 0
  for await (const { url, octets } of messagesAt(base, context)) {
    messages++
    const found = octets instanceof RetrievalError ? octets : await findPart(octets, wanted)
    if (found instanceof RetrievalError) errors.push(found)
    else if (found !== null) return { base: url, ...found }
  }
  throw messages === 1 && errors[0] !== undefined ? errors[0] : notFound(wanted, messages, errors, context)
}

function notFound(
  wanted: WantedPart,
  messages: number,
  errors: readonly RetrievalError[],
  context: RetrievalContext,
): RetrievalError {
  const advice = { option: 'base' } as const
  const place = adviceText(advice)
  const which =
    messages === 1 ? `The message at ${place} does not have` : `No message of the ${messages} at ${place} has`
  const unread = errors.length === 0 ? '' : ` ${errors.length} could not be read; the first: ${errors[0]?.message}`
  return context.error('not-found', `${which} ${shown(wanted)}.${unread}`, { advice })
}

function shown({ messageId, contentId }: WantedPart): string {
  const ids = [
    ...(messageId === null ? [] : [`the Message-ID <${printable(messageId)}>`]),
    ...(contentId === null ? [] : [`a part with the Content-ID <${printable(contentId.text)}>`]),
  ]
  return ids.join(' and ')
}
