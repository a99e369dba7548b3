import { type AccessPlans, octetsToText, parseUrl, printable, redact } from '@retriever/core'
import { adviceText, schemeOf } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { messageEntries } from '../../mime/entries.ts'
import type { WantedPart } from '../../mime/find-part.ts'
import { message } from './about.ts'
import type { Found } from './search.ts'

type MessagePlan = AccessPlans['message']

/**
 * Makes a fetcher for messages and their parts (RFC 2392). The option `base` says where the message is, which is then
 * retrieved like any other URL.
 */
export function messageFetcher(): Fetcher<'message'> {
  return { ...message, retrieve }
}

async function retrieve(plan: MessagePlan, context: RetrievalContext): Promise<Retrieved<'message'>> {
  const { base } = context
  if (base === undefined) throw noBase(plan, context)
  if (schemeOf(base) === undefined) {
    const advice = { option: 'base' } as const
    const what = `"${printable(redact(base))}" is no absolute URL`
    throw context.error('invalid-option', `${what}; give that of the message by ${adviceText(advice)}.`, { advice })
  }
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A message and its parts have no ranges; retrieve it without one.')
  }
  const { search } = await import('./search.ts')
  return retrieved(await search(base, wantedPart(plan, context), context), context)
}

function noBase({ messageId }: MessagePlan, context: RetrievalContext): Error {
  const advice = { option: 'base' } as const
  const what = messageId === null ? 'names a part of the message in which it stands' : 'does not say where it is'
  const news = messageId === null ? '' : ' If it was posted to a newsgroup, news:MESSAGE-ID names it, too.'
  const message = `The URL ${what}: give the URL of the message, or of its mailbox, by ${adviceText(advice)}.${news}`
  return context.error('invalid-option', message, { phase: 'resolve', advice })
}

/** Returns the ids of a plan, which are octets, as text, and the Content-ID as the URL writes it. */
function wantedPart({ messageId, contentId }: MessagePlan, { url }: RetrievalContext): WantedPart {
  const path = parseUrl(url).urlPath ?? ''
  return {
    messageId: messageId === null ? null : octetsToText(messageId),
    contentId:
      contentId === null
        ? null
        : { text: octetsToText(contentId), written: messageId === null ? path : path.slice(path.indexOf('/') + 1) },
  }
}

function retrieved({ base, message, octets, part }: Found, context: RetrievalContext): Retrieved<'message'> {
  if (part !== null && part.content.damage !== null) {
    throw context.error('partial', `Part ${part.number} of the message is damaged: ${part.content.damage}.`)
  }
  const content = part?.content
  const isMessage = content === undefined || content.message !== null
  return wholeResult(octets, {
    kind: 'object',
    mediaType: content?.mediaType ?? 'message/rfc822',
    charset: content?.charset ?? null,
    metadata: {
      base,
      number: part?.number ?? null,
      messageId: message.messageId,
      contentId: content?.contentId ?? null,
      name: content?.name ?? null,
    },
    ...(isMessage && { entries: (body: AsyncIterable<Uint8Array>) => messageEntries(body, context) }),
  })
}
