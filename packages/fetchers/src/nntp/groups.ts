import { octetsToText } from '@retriever/core'
import type { Entry, RetrievalContext, Retrieved } from '../fetcher.ts'
import { linesOf } from '../wire/lines.ts'
import { expectReply } from '../wire/reply.ts'
import { textListing } from '../wire/text-listing.ts'
import { groupUrl } from './entry-url.ts'
import { refused } from './refused.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** The newsgroups of a server, all or those that fit a wildmat (RFC 3977 7.6.3): `group high low status` lines. */
export async function retrieveGroups(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
): Promise<Retrieved> {
  const wildmat = plan.newsgroup
  let reply = await session.exchange(wildmat === null ? 'LIST ACTIVE' : `LIST ACTIVE ${wildmat}`)
  // RFC 977 servers know only LIST, without a wildmat.
  const plain = reply.code === 500 || reply.code === 501 || reply.code === 503
  if (plain) reply = await session.exchange('LIST')
  if (reply.code >= 400) throw refused(session, context, reply, 'list of newsgroups')
  expectReply(context, reply, 215)
  return textListing({
    // false: the server could not choose, and the list holds all its groups.
    metadata: wildmat === null ? {} : { wildmat, wildmatApplied: !plain },
    body: session.block(),
    entries: async function* (body) {
      for await (const line of linesOf(body, context)) yield groupEntry(line, plan)
    },
  })
}

/** `test.alpha 0000000040 0000000001 y`; a line that is none is passed on as it is. */
function groupEntry(line: string, plan: ServerPlan): Entry {
  const [, group, high, low, posting] = /^(\S+)\s+(\d{1,16})\s+(\d{1,16})\s+(\S+)/.exec(line) ?? []
  if (group === undefined) return { name: octetsToText(line), kind: 'other', url: null }
  return {
    name: octetsToText(group),
    kind: 'group',
    url: groupUrl(plan, group),
    details: { low: Number(low), high: Number(high), posting: octetsToText(posting ?? '') },
  }
}
