import { octetsToText } from '@retriever/core'
import { loadCharsets, wordCharsets } from '../mime/charset.ts'
import { decodeWords } from '../mime/encoded-words.ts'
import { messageEntries } from '../mime/entries.ts'
import { wholeSource } from '../plugin/byte-source.ts'
import type { RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { expectReply, type Reply, replyWords } from '../wire/framing/reply.ts'
import { OverlapProof } from '../wire/overlap.ts'
import { type Portion, ResumingSource, withoutFirst } from '../wire/resuming-source.ts'
import { BlockBody } from './body.ts'
import type { PendingCommand } from './connection/command-queue.ts'
import { type Dialogue, exchange } from './connection/exchange.ts'
import type { InSession } from './connection/pool.ts'
import type { ServerPlan } from './connection/session.ts'
import { fieldsOf } from './fields.ts'
import { refusedByServer } from './nntp-errors.ts'

/** One article, as the server keeps it: headers, an empty line, the body; lines end in CRLF (RFC 3977 6.2.1). */
export async function retrieveArticle(dialogue: Dialogue, inSession: InSession): Promise<Retrieved<'nntp'>> {
  const { context } = dialogue
  if (context.request.head === true) return retrieveHead(dialogue)
  const { reply, slot } = await askArticle(dialogue, 'ARTICLE', 220)
  // An article is the same for ever under its message-id (RFC 5536 3.1.3), so one that broke off is sent again
  // (security.md R28).
  const resume = (offset: number): Promise<Portion> => {
    return inSession(async (other) => {
      const { slot } = await askArticle(other, 'ARTICLE', 220)
      const block = new BlockBody(other, slot)
      return { octets: withoutFirst(offset, block), connection: block }
    })
  }
  const block = new BlockBody(dialogue, slot)
  const portion = { octets: block, connection: block }
  const beginning = { offset: 0, portion, isFirstTryAtOnce: true }
  return {
    ...described(dialogue, reply),
    body: new ResumingSource(context, new OverlapProof(context, resume), beginning),
    entries: (body) => messageEntries(body, context),
  }
}

/** Its header alone: HEAD (RFC 3977 6.2.2). */
async function retrieveHead(dialogue: Dialogue): Promise<Retrieved<'nntp'>> {
  const { session, context } = dialogue
  const { reply, slot } = await askArticle(dialogue, 'HEAD', 221)
  const fields = await fieldsOf(session, slot, context)
  await loadCharsets([...fields.values()].flatMap((value) => [...wordCharsets(value)]))
  const header = Object.fromEntries([...fields].map(([name, value]) => [name, decodeWords(octetsToText(value))]))
  dialogue.done()
  const { metadata, ...rest } = described(dialogue, reply)
  return { ...rest, metadata: { ...metadata, header }, body: wholeSource() }
}

async function askArticle(
  dialogue: Dialogue,
  command: 'ARTICLE' | 'HEAD',
  success: number,
): Promise<{ readonly reply: Reply; readonly slot: PendingCommand }> {
  const { plan, context } = dialogue
  const byNumber = plan.select === 'article'
  const which = byNumber ? String(plan.articleNumber) : `<${plan.messageId}>`
  const answer = await exchange(dialogue, `${command} ${which}`, byNumber ? plan.newsgroup : null)
  const { reply } = answer
  if (reply.code >= 400)
    throw refusedByServer(context, reply, byNumber ? 'such article or group' : 'article of that id')
  expectReply(context, reply, success)
  checkAnswer(context, reply, plan)
  return answer
}

/**
 * A reply that nobody had asked for shifts all that follow it: the answer would be another retrieval's (security.md
 * case 39).
 */
export function checkAnswer(
  context: RetrievalContext,
  reply: Reply,
  plan: Pick<ServerPlan, 'articleNumber' | 'messageId'>,
): void {
  const { number, messageId } = articleOf(reply)
  const [wanted, sent] = plan.messageId === null ? [plan.articleNumber, number] : [plan.messageId, messageId]
  if (wanted === sent) return
  const what = sent === null ? 'does not say which article it sends' : 'sends another article than was asked for'
  const message = `The server ${what} ("${replyWords(reply)}"); try again.`
  throw context.error('protocol-violation', message, { reply: replyWords(reply) })
}

/** `220 31 <dots@example.net> article`; by message-id the number may be 0 (RFC 3977 6.2.1.2), or the group's (sn). */
function articleOf({ text }: Reply): { readonly number: number | null; readonly messageId: string | null } {
  const [, number, messageId = null] = /^(\d{1,16})(?:\s+<([^<>\s]+)>)?(?=\s|$)/.exec(text) ?? []
  return { number: number === undefined ? null : Number(number), messageId }
}

function described({ plan }: Dialogue, reply: Reply): Omit<Retrieved<'nntp'>, 'body'> {
  const { number, messageId } = articleOf(reply)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: 'message/rfc822',
    charset: null,
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: {
      ...(plan.newsgroup !== null && { newsgroup: plan.newsgroup }),
      ...(number !== null && number > 0 && { number }),
      ...(messageId !== null && { messageId }),
    },
  }
}
