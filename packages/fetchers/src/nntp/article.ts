import type { RetrievalContext, Retrieved } from '../fetcher.ts'
import { messageEntries } from '../mime/entries.ts'
import { refused } from './refused.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** One article, as the server keeps it: headers, an empty line, the body; lines end in CRLF (RFC 3977 6.2.1). */
export async function retrieveArticle(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
): Promise<Retrieved> {
  // GROUP and ARTICLE go out together: one round trip. On a new connection no group is selected, so that after a refused GROUP
  // the ARTICLE can only fail (412).
  const byNumber = plan.select === 'article'
  const commands = byNumber
    ? [`GROUP ${plan.newsgroup}`, `ARTICLE ${plan.articleNumber}`]
    : [`ARTICLE <${plan.messageId}>`]
  const reply = await session.exchange(...commands)
  if (reply.code !== 220)
    throw refused(session, context, reply, byNumber ? 'such article or group' : 'article of that id')
  // `220 31 <dots@example.net> article`; by message-id the number may be 0 (RFC 3977 6.2.1.2), or the group's (sn).
  const [, number, messageId] = /^(\d+)\s+<([^<>\s]+)>/.exec(reply.text) ?? []
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
      ...(Number(number) > 0 && { number: Number(number) }),
      ...(messageId !== undefined && { messageId }),
    },
    body: session.block(),
    entries: (body) => messageEntries(body, context),
  }
}
