import { octetsToText, RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { chunksOf, sourceOf } from '../../../kit/byte-source.ts'
import { whenHeld } from '../../../kit/limits.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import { expectReply } from '../../../wire/framing/reply.ts'
import { textListing } from '../../../wire/text-listing.ts'
import { BlockBody } from '../body.ts'
import { exchange, type NntpLease } from '../connection/exchange.ts'
import type { InSession } from '../connection/in-session.ts'
import type { ServerPlan } from '../connection/session.ts'
import { groupUrl } from '../entry-url.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { plannedCommand } from '../planned-command.ts'
import { descriptionsOf } from './descriptions.ts'
import { matchesWildmat } from './wildmat.ts'

/** Retrieves the list of all newsgroups, or of those that match a wildmat (RFC 3977 7.6.3): `group high low status`. */
export async function retrieveGroups(lease: NntpLease, inSession: InSession): Promise<Retrieved<'nntp'>> {
  const { plan, context } = lease
  const wildmat = plan.newsgroup
  let answer = await exchange(lease, plannedCommand(plan, 'LIST'))
  // Servers of RFC 977 know only LIST, without a wildmat.
  const plain = [500, 501, 503].includes(answer.reply.code)
  if (plain) answer = await exchange(lease, 'LIST')
  const { reply, pending } = answer
  if (reply.code >= 400) throw refusedByServer(context, reply, 'list of newsgroups')
  expectReply(context, reply, 215)
  const body = new GroupsBody(new BlockBody(lease, pending), wildmat, context)
  return textListing({
    metadata: wildmat === null ? {} : { wildmat },
    body,
    entries: (octets) => {
      let descriptions: ReadonlyMap<string, string> = new Map()
      body.beforeEnd = async () => {
        descriptions = await descriptionsIfAny(wildmat, inSession, context)
      }
      return groupEntries(plan, context, () => descriptions)(octets)
    },
  })
}

/** The entries of a list of groups. `descriptions` gives what is known of them when all lines have come. */
export function groupEntries(
  plan: ServerPlan,
  context: RetrievalContext,
  descriptions: () => ReadonlyMap<string, string> = () => new Map(),
): NonNullable<Retrieved['entries']> {
  return async function* (octets) {
    const lines: string[] = []
    const held = { ...context, limits: whenHeld(context.limits) }
    for await (const line of linesOf(octets, held)) lines.push(line)
    const known = descriptions()
    for (const line of lines) yield groupEntry(line, plan, known)
  }
}

/** Retrieves the descriptions. The list is useful without them, so if they cannot be retrieved, a remark says so. */
async function descriptionsIfAny(
  wildmat: string | null,
  inSession: InSession,
  context: RetrievalContext,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await inSession((lease) => descriptionsOf(lease, wildmat))
  } catch (error) {
    if (!RetrievalError.is(error) || context.deadline.reason !== null) throw error
    const message = `The groups come without their descriptions: ${error.message}`
    context.emit({ type: 'remark', url: context.url, message })
    return new Map()
  }
}

/** The groups that match the wildmat. sn takes a wildmat but sends all groups; RFC 977 has no wildmats. */
class GroupsBody implements ByteSource {
  readonly #block: BlockBody
  readonly #octets: ByteSource
  /** Called after the last line, before the retrieval ends. */
  beforeEnd: (() => Promise<void>) | null = null

  constructor(block: BlockBody, wildmat: string | null, context: RetrievalContext) {
    this.#block = block
    // Servers may give brackets and backslashes a meaning (RFC 3977 4.1). All lines that the server sends are then
    // kept.
    const isLeftToServer = wildmat === null || /[[\\]/.test(wildmat)
    this.#octets = isLeftToServer ? block : sourceOf(matchingLines(block, wildmat, context))
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

async function* matchingLines(
  block: BlockBody,
  wildmat: string,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  const pattern = octetsToText(wildmat)
  for await (const line of linesOf(chunksOf(block), context)) {
    const group = groupLine.exec(line)?.[1]
    if (group === undefined || matchesWildmat(pattern, octetsToText(group))) yield Buffer.from(`${line}\r\n`, 'latin1')
  }
}

/** Matches `test.alpha 0000000040 0000000001 y`. */
const groupLine = /^([^\0-\x20]+)[ \t]+(\d{1,16})[ \t]+(\d{1,16})[ \t]+([^\0-\x20]+)/

/** Makes an entry of a line. If the line has another form, the entry has the line as its name. */
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
