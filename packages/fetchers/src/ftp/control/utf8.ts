import { isUtf8 } from 'node:buffer'
import type { Dialogue } from './dialogue.ts'
import type { Step } from './pipeline.ts'
import { isPositive } from './replies.ts'

/** Whether the path has names in UTF-8 that are more than ASCII. */
function hasUtf8Names({ plan }: Dialogue): boolean {
  const octets = Buffer.from([...plan.cwd, plan.name].join('/'), 'latin1')
  return octets.some((octet) => octet >= 0x80) && isUtf8(octets)
}

/** Whether something is to be asked or said before names in UTF-8 go out in this session. */
export function needsUtf8(dialogue: Dialogue): boolean {
  const { quirks, isInUtf8 } = dialogue.session
  return quirks.utf8 !== false && !isInUtf8 && hasUtf8Names(dialogue)
}

/** RFC 2389: `211-Features:`, ` UTF8`. Asked once of a server, where it matters. */
export async function askForUtf8({ session }: Dialogue): Promise<void> {
  const reply = await session.control.ask('request', 'FEAT')
  session.quirks.utf8 = isPositive(reply) && /^[ \t]{0,8}UTF8[ \t]*$/im.test(reply.text)
}

/** Servers that list UTF8 (RFC 2640) may not take names so before this: IIS, and others on Windows. */
export function utf8Steps(dialogue: Dialogue): readonly Step[] {
  const { session } = dialogue
  if (!needsUtf8(dialogue)) return []
  const take = (): void => {
    session.isInUtf8 = true
  }
  return [{ phase: 'request', command: 'OPTS UTF8 ON', take }]
}
