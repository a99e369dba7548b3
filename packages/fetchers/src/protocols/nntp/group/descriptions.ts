import { chunksOf } from '../../../kit/byte-source.ts'
import { whenHeld } from '../../../kit/limits.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import { expectReply } from '../../../wire/framing/reply.ts'
import { BlockBody } from '../body.ts'
import { exchange, type NntpLease } from '../connection/exchange.ts'
import { refusedByServer } from '../nntp-errors.ts'

/**
 * Returns the descriptions of newsgroups by name, octets as they came (LIST NEWSGROUPS, RFC 3977 7.6.6). Empty if the
 * server does not know the command or keeps no such list.
 */
export async function descriptionsOf(lease: NntpLease, wildmat: string | null): Promise<ReadonlyMap<string, string>> {
  const { context } = lease
  const descriptions = new Map<string, string>()
  const { reply, pending } = await exchange(lease, wildmat === null ? 'LIST NEWSGROUPS' : `LIST NEWSGROUPS ${wildmat}`)
  if ([500, 501, 503].includes(reply.code)) {
    lease.giveBack()
    return descriptions
  }
  if (reply.code >= 400) throw refusedByServer(context, reply, 'descriptions of newsgroups')
  expectReply(context, reply, 215)
  const held = { ...context, limits: whenHeld(context.limits) }
  for await (const line of linesOf(chunksOf(new BlockBody(lease, pending)), held)) {
    const [, group, description] = /^([^\0-\x20]+)[ \t]+([^ \t].*)$/.exec(line) ?? []
    // INN writes `?` if a group has no description.
    if (group !== undefined && description !== undefined && description !== '?') descriptions.set(group, description)
  }
  return descriptions
}
