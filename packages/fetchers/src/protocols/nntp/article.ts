import { octetsToText } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { wholeSource } from '../../kit/byte-source.ts'
import { loadCharsets, wordCharsets } from '../../mime/charset/charset.ts'
import { decodeWords } from '../../mime/encoded-words.ts'
import { messageEntries } from '../../mime/entries.ts'
import { expectReply, type Reply, replyWords } from '../../wire/framing/reply.ts'
import { OverlapProof } from '../../wire/overlap.ts'
import { type Portion, ResumingSource, withoutFirst } from '../../wire/resuming-source.ts'
import { BlockBody } from './body.ts'
import type { PendingCommand } from './connection/command-queue.ts'
import { exchange, type NntpLease } from './connection/exchange.ts'
import type { InSession } from './connection/in-session.ts'
import type { ServerPlan } from './connection/session.ts'
import { fieldsOf } from './fields.ts'
import { refusedByServer } from './nntp-errors.ts'
import { plannedCommand } from './planned-command.ts'

/** Retrieves an article as the server keeps it: header, empty line, body. Lines end in CRLF (RFC 3977 6.2.1). */
export async function retrieveArticle(lease: NntpLease, inSession: InSession): Promise<Retrieved<'nntp'>> {
  const { context } = lease
  if (context.request.head === true) return retrieveHead(lease)
  const { reply, pending } = await askArticle(lease, 'ARTICLE', 220)
  // A message-id names the same article for ever (RFC 5536 3.1.3), so a body that breaks off is sent again (threats.md
  // R28).
  const resume = (offset: number): Promise<Portion> => {
    return inSession(async (other) => {
      const { pending } = await askArticle(other, 'ARTICLE', 220)
      const block = new BlockBody(other, pending)
      return { octets: withoutFirst(offset, block), connection: block }
    })
  }
  const block = new BlockBody(lease, pending)
  const portion = { octets: block, connection: block }
  const beginning = { offset: 0, portion, isFirstTryAtOnce: true }
  return {
    ...described(lease, reply),
    body: new ResumingSource(context, new OverlapProof(context, resume), beginning),
    entries: (body) => messageEntries(body, context),
  }
}

/** Retrieves only the header of an article, by HEAD (RFC 3977 6.2.2). */
async function retrieveHead(lease: NntpLease): Promise<Retrieved<'nntp'>> {
  const { session, context } = lease
  const { reply, pending } = await askArticle(lease, 'HEAD', 221)
  const fields = await fieldsOf(session, pending, context)
  await loadCharsets([...fields.values()].flatMap((value) => [...wordCharsets(value)]))
  const header = Object.fromEntries([...fields].map(([name, value]) => [name, decodeWords(octetsToText(value))]))
  lease.giveBack()
  const { metadata, ...rest } = described(lease, reply)
  return { ...rest, metadata: { ...metadata, header }, body: wholeSource() }
}

async function askArticle(
  lease: NntpLease,
  verb: 'ARTICLE' | 'HEAD',
  success: number,
): Promise<{ readonly reply: Reply; readonly pending: PendingCommand }> {
  const { plan, context } = lease
  const byNumber = plan.select === 'article'
  // HEAD names the article in the same way (RFC 3977 6.2.2).
  const command = plannedCommand(plan, 'ARTICLE').replace('ARTICLE', verb)
  const answer = await exchange(lease, command, byNumber ? plannedCommand(plan, 'GROUP') : null)
  const { reply } = answer
  if (reply.code >= 400)
    throw refusedByServer(context, reply, byNumber ? 'such article or group' : 'article of that id')
  expectReply(context, reply, success)
  checkAnswer(context, reply, plan)
  return answer
}

/**
 * Throws `protocol-violation` if the server sends another article. An unexpected reply (threats.md 39) shifts all
 * replies after it, and each retrieval would get another one's answer.
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

/**
 * Reads `220 31 <dots@example.net> article`. By message-id the number is 0 (RFC 3977 6.2.1.2), or that in the group
 * (sn).
 */
function articleOf({ text }: Reply): { readonly number: number | null; readonly messageId: string | null } {
  const [, number, messageId = null] = /^(\d{1,16})(?:\s+<([^<>\s]+)>)?(?=\s|$)/.exec(text) ?? []
  return { number: number === undefined ? null : Number(number), messageId }
}

function described({ plan }: NntpLease, reply: Reply): Omit<Retrieved<'nntp'>, 'body'> {
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
