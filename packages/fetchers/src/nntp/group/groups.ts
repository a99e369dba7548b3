import { octetsToText, RetrievalError } from '@retriever/core'
import { type ByteSource, chunksOf, sourceOf } from '../../plugin/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { whenHeld } from '../../plugin/limits.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { expectReply } from '../../wire/framing/reply.ts'
import { textListing } from '../../wire/text-listing.ts'
import { BlockBody } from '../body.ts'
import { type Dialogue, exchange } from '../connection/exchange.ts'
import type { InSession } from '../connection/pool.ts'
import type { ServerPlan } from '../connection/session.ts'
import { groupUrl } from '../entry-url.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { descriptionsOf } from './descriptions.ts'
import { fitsWildmat } from './wildmat.ts'

/** The newsgroups of a server, all or those that fit a wildmat (RFC 3977 7.6.3): `group high low status` lines. */
export async function retrieveGroups(dialogue: Dialogue, inSession: InSession): Promise<Retrieved<'nntp'>> {
  const { plan, context } = dialogue
  const wildmat = plan.newsgroup
  let answer = await exchange(dialogue, wildmat === null ? 'LIST ACTIVE' : `LIST ACTIVE ${wildmat}`)
  // RFC 977 servers know only LIST, without a wildmat.
  const plain = [500, 501, 503].includes(answer.reply.code)
  if (plain) answer = await exchange(dialogue, 'LIST')
  const { reply, slot } = answer
  if (reply.code >= 400) throw refusedByServer(context, reply, 'list of newsgroups')
  expectReply(context, reply, 215)
  const body = new GroupsBody(new BlockBody(dialogue, slot), wildmat, context)
  return textListing({
    metadata: wildmat === null ? {} : { wildmat },
    body,
    entries: async function* (octets) {
      let descriptions: ReadonlyMap<string, string> = new Map()
      body.beforeEnd = async () => {
        descriptions = await descriptionsIfAny(wildmat, inSession, context)
      }
      const lines: string[] = []
      const held = { ...context, limits: whenHeld(context.limits) }
      for await (const line of linesOf(octets, held)) lines.push(line)
      for (const line of lines) yield groupEntry(line, plan, descriptions)
    },
  })
}

/** The groups are known without their descriptions, too: where those cannot be had, a remark says so. */
async function descriptionsIfAny(
  wildmat: string | null,
  inSession: InSession,
  context: RetrievalContext,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await inSession((dialogue) => descriptionsOf(dialogue, wildmat))
  } catch (error) {
    if (!RetrievalError.is(error) || context.deadline.reason !== null) throw error
    const message = `The groups come without their descriptions: ${error.message}`
    context.emit({ type: 'remark', url: context.url, message })
    return new Map()
  }
}

/**
 * The list of groups, without those that do not fit the wildmat: sn takes one and sends all groups, and RFC 977 has
 * none.
 */
class GroupsBody implements ByteSource {
  readonly #block: BlockBody
  readonly #octets: ByteSource
  /** Runs once all lines have come, while the retrieval still goes on. */
  beforeEnd: (() => Promise<void>) | null = null

  constructor(block: BlockBody, wildmat: string | null, context: RetrievalContext) {
    this.#block = block
    // RFC 3977 4.1 leaves brackets and backslashes to servers, which may have a meaning for them.
    const isLeftToServer = wildmat === null || /[[\\]/.test(wildmat)
    this.#octets = isLeftToServer ? block : sourceOf(fittingLines(block, wildmat, context))
  }

  async read(): Promise<Uint8Array | null> {
    const chunk = await this.#octets.read()
    if (chunk !== null) return chunk
    const { beforeEnd } = this
    this.beforeEnd = null
    await beforeEnd?.()
    return null
  }

  cancel(): Promise<void> {
    return this.#block.cancel()
  }
}

async function* fittingLines(
  block: BlockBody,
  wildmat: string,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  const pattern = octetsToText(wildmat)
  for await (const line of linesOf(chunksOf(block), context)) {
    const group = groupLine.exec(line)?.[1]
    if (group === undefined || fitsWildmat(pattern, octetsToText(group))) yield Buffer.from(`${line}\r\n`, 'latin1')
  }
}

/** `test.alpha 0000000040 0000000001 y` */
const groupLine = /^(\S+)\s+(\d{1,16})\s+(\d{1,16})\s+(\S+)/

/** A line that is none is passed on as it is. */
function groupEntry(line: string, plan: ServerPlan, descriptions: ReadonlyMap<string, string>): Entry {
  const [, group, high, low, posting] = groupLine.exec(line) ?? []
  if (group === undefined) return { name: octetsToText(line), kind: 'other', url: null }
  const description = descriptions.get(group)
  return {
    name: octetsToText(group),
    kind: 'group',
    url: groupUrl(plan, group),
    details: {
      low: Number(low),
      high: Number(high),
      posting: octetsToText(posting ?? ''),
      ...(description !== undefined && { description: octetsToText(description) }),
    },
  }
}
