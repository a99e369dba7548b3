import type { ByteSource } from '../../plugin/byte-source.ts'
import { expectReply } from '../../wire/framing/reply.ts'
import { BlockBody } from '../body.ts'
import { type Dialogue, exchange } from '../connection/exchange.ts'
import { blockText } from '../fields.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { type Extent, numbersIn } from './article-range.ts'
import { HeadOverview } from './head-overview.ts'

/** The lines of an overview about an extent; `body` null: no article has a number in it. */
export interface OverviewPiece {
  readonly extent: Extent
  readonly body: ByteSource | null
}

/** Of how many articles, and of which numbers at most. */
export interface OverviewLimits {
  readonly bounds: Extent
  readonly limit: number
}

/**
 * The overview of an extent: by OVER, by XOVER with servers that know only RFC 2980 (sn), or made of each article's
 * HEAD. A server that keeps no overview is asked for the numbers that exist, where it knows LISTGROUP: then the piece
 * has all articles that are wanted.
 */
export async function overviewPiece(
  dialogue: Dialogue,
  extent: Extent,
  limits: OverviewLimits,
): Promise<OverviewPiece> {
  const { session, plan, context } = dialogue
  const { quirks } = session
  while (quirks.overview !== 'HEAD') {
    const command = quirks.overview
    const { reply, slot } = await exchange(dialogue, `${command} ${extent.first}-${extent.last}`, plan.newsgroup)
    // No articles, and no such range, are the same.
    if (reply.code === 423 || reply.code === 420) return { extent, body: null }
    if (reply.code < 400) {
      expectReply(context, reply, 224)
      return { extent, body: new BlockBody(dialogue, slot) }
    }
    if (reply.code !== 500 && reply.code !== 503) throw refusedByServer(context, reply, 'overview of the group')
    quirks.overview = command === 'OVER' ? 'XOVER' : 'HEAD'
  }
  const numbers = await existingNumbers(dialogue, limits.bounds)
  if (numbers === null) return { extent, body: new HeadOverview(dialogue, numbersIn(extent)) }
  const newest = limits.limit < numbers.length ? numbers.slice(-limits.limit) : numbers
  return { extent: limits.bounds, body: new HeadOverview(dialogue, newest) }
}

/**
 * The numbers of the articles that exist, in ascending order (RFC 3977 6.1.2); null where the server does not know
 * LISTGROUP.
 */
async function existingNumbers(dialogue: Dialogue, { first, last }: Extent): Promise<readonly number[] | null> {
  const { session, plan, context } = dialogue
  if (!session.quirks.hasListGroup) return null
  // The session relies on the group that LISTGROUP selects, so GROUP goes before it where another one is selected.
  const { reply, slot } = await exchange(dialogue, `LISTGROUP ${plan.newsgroup}`, plan.newsgroup)
  if (reply.code !== 211) {
    expectReply(context, reply, 500, 501, 502, 503)
    session.quirks.hasListGroup = false
    return null
  }
  const text = await blockText(session, slot, context, context.limits.maxListing)
  const numbers = text.split('\r\n').flatMap((line) => (/^\d{1,15}\s*$/.test(line) ? [Number(line)] : []))
  return numbers.filter((number) => number >= first && number <= last).sort((one, other) => one - other)
}
