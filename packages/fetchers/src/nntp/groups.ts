import { octetsToText } from '@retriever/core'
import type { Entry, Retrieved } from '../fetcher.ts'
import { linesOf } from '../wire/lines.ts'
import { expectReply } from '../wire/reply.ts'
import { textListing } from '../wire/text-listing.ts'
import { BlockBody } from './body.ts'
import { groupUrl } from './entry-url.ts'
import { type Dialogue, exchange } from './exchange.ts'
import { refused } from './refused.ts'
import type { ServerPlan } from './session.ts'
import { fitsWildmat } from './wildmat.ts'

/** The newsgroups of a server, all or those that fit a wildmat (RFC 3977 7.6.3): `group high low status` lines. */
export async function retrieveGroups(dialogue: Dialogue): Promise<Retrieved> {
  const { plan, context } = dialogue
  const wildmat = plan.newsgroup
  let answer = await exchange(dialogue, wildmat === null ? 'LIST ACTIVE' : `LIST ACTIVE ${wildmat}`)
  // RFC 977 servers know only LIST, without a wildmat.
  const plain = [500, 501, 503].includes(answer.reply.code)
  if (plain) answer = await exchange(dialogue, 'LIST')
  const { reply, slot } = answer
  if (reply.code >= 400) throw refused(context, reply, 'list of newsgroups')
  expectReply(context, reply, 215)
  return textListing({
    metadata: wildmat === null ? {} : { wildmat },
    body: new BlockBody(dialogue, slot),
    entries: async function* (body) {
      for await (const line of linesOf(body, context)) {
        const entry = groupEntry(line, plan)
        // sn takes a wildmat, and sends them all.
        if (wildmat === null || entry.kind !== 'group' || fitsWildmat(octetsToText(wildmat), entry.name)) yield entry
      }
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
