import type { Retrieved } from '../../plugin/fetcher.ts'
import type { Dialogue } from '../control/dialogue.ts'
import { type Reply, wordsOf } from '../control/replies.ts'
import type { Attributes } from './attributes.ts'
import type { ByteRange } from './byte-range.ts'

/** What is known of a file, or of the wanted part of it. `announced`: its size in the words of the reply to RETR. */
export function described(
  { plan, session }: Dialogue,
  part: ByteRange,
  { size, modified }: Attributes,
  announced: number | null,
  reply: Reply,
): Omit<Retrieved<'ftp'>, 'body'> {
  const isText = plan.typecode === 'a'
  const total = isText ? null : (size ?? (part.offset === 0 ? announced : null))
  const rest = total === null ? null : total - part.offset
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: isText ? 'text/plain' : null,
    charset: null,
    size: rest === null ? null : Math.min(rest, part.wanted ?? rest),
    offset: part.offset,
    modified,
    // The announced size is but a sentence for people.
    completeness: size === null || isText ? 'terminated' : 'verified',
    metadata: { welcome: session.welcome, reply: wordsOf(reply), typecode: isText ? 'a' : 'i' },
  }
}
