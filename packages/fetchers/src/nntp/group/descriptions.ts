import { chunksOf } from '../../plugin/byte-source.ts'
import { whenHeld } from '../../plugin/limits.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { expectReply } from '../../wire/framing/reply.ts'
import { BlockBody } from '../body.ts'
import { type Dialogue, exchange } from '../connection/exchange.ts'
import { refusedByServer } from '../nntp-errors.ts'

/**
 * The descriptions that a server has of its newsgroups, by name, octets as they came (LIST NEWSGROUPS, RFC 3977 7.6.6);
 * none where a server does not know the command, or does not keep such a list.
 */
export async function descriptionsOf(dialogue: Dialogue, wildmat: string | null): Promise<ReadonlyMap<string, string>> {
  const { context } = dialogue
  const descriptions = new Map<string, string>()
  const { reply, slot } = await exchange(dialogue, wildmat === null ? 'LIST NEWSGROUPS' : `LIST NEWSGROUPS ${wildmat}`)
  if ([500, 501, 503].includes(reply.code)) {
    dialogue.done()
    return descriptions
  }
  if (reply.code >= 400) throw refusedByServer(context, reply, 'descriptions of newsgroups')
  expectReply(context, reply, 215)
  const held = { ...context, limits: whenHeld(context.limits) }
  for await (const line of linesOf(chunksOf(new BlockBody(dialogue, slot)), held)) {
    const [, group, description] = /^(\S+)[ \t]+(\S.*)$/.exec(line) ?? []
    // INN writes `?` where a group has no description.
    if (group !== undefined && description !== undefined && description !== '?') descriptions.set(group, description)
  }
  return descriptions
}
