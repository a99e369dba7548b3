import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { isPositive, isUnknownCommand } from '../control/replies.ts'
import { readTime, safeSize } from '../listing/facts.ts'

/** What the server says of a file before it sends it (RFC 3659 3 and 4). Null: it does not say. */
export interface Attributes {
  /** Octets, of TYPE I. */
  size: number | null
  modified: Date | null
}

/**
 * SIZE and MDTM, which only ask. A server that does not know one (500, 502) is not asked again. That a file is missing is for RETR
 * to say.
 */
export function attributeSteps({ plan, session }: Dialogue, attributes: Attributes): readonly Step[] {
  const { unknown } = session.quirks
  const step = (verb: 'SIZE' | 'MDTM', read: (text: string) => void): Step => ({
    phase: 'request',
    command: `${verb} ${plan.name}`,
    take: (reply) => {
      if (isPositive(reply)) read(reply.text)
      else if (isUnknownCommand(reply)) unknown.add(verb)
    },
  })
  const size = step('SIZE', (text) => {
    attributes.size = safeSize(text.trim()) ?? null
  })
  const modified = step('MDTM', (text) => {
    attributes.modified = readTime(text.trim()) ?? null
  })
  // In TYPE A servers count before or after the conversion, or not at all.
  const asked = plan.typecode === 'a' ? [modified] : [size, modified]
  return asked.filter(({ command }) => !unknown.has(command.split(' ')[0] ?? ''))
}
