import type { RetrievalError } from '@retriever/core'
import { wholeSource } from '../../plugin/byte-source.ts'
import type { Retrieved } from '../../plugin/fetcher.ts'
import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer, shownName } from '../control/replies.ts'
import { retrieveDirectory } from '../listing/listing.ts'
import { enter } from '../prepare.ts'
import { type Attributes, attributeSteps } from './attributes.ts'
import { checkModified, wantedRange } from './byte-range.ts'
import { described } from './description.ts'
import { isDirectory, slashAdvice } from './directories.ts'

/**
 * Metadata alone: SIZE and MDTM, and no transfer. Servers have no size for a directory, and some a time, so that a CWD
 * tells what it is that has none.
 */
export async function retrieveMetadata(dialogue: Dialogue): Promise<Retrieved<'ftp'>> {
  const { plan, context, session } = dialogue
  const attributes: Attributes = { size: null, modified: null }
  const refusals: Reply[] = []
  const questions = attributeSteps(dialogue, attributes).map((step) => noting(step, refusals))
  await enter(dialogue, plan.typecode === 'a' ? undefined : 'I', questions)
  const [refusal = null] = refusals
  if (attributes.size === null && (await isDirectory(dialogue))) return retrieveDirectory(dialogue, refusal)
  checkModified(dialogue, attributes)
  const part = wantedRange(dialogue, attributes)
  dialogue.done()
  session.hasAttributes = attributes.size !== null && attributes.modified !== null
  if (attributes.size === null && attributes.modified === null) {
    if (refusal !== null) throw missing(dialogue, refusal)
    context.emit({ type: 'remark', url: context.url, message: 'The server tells neither size nor time of it.' })
  }
  return { ...described(dialogue, part, attributes, null, sizeReply(attributes)), body: wholeSource() }
}

/** Keeps what says that there is no such file. */
function noting(step: Step, refusals: Reply[]): Step {
  return {
    ...step,
    take: (reply) => {
      if (reply.code === 550) refusals.push(reply)
      step.take(reply)
    },
  }
}

/** The error for a name that is neither a file nor a directory. */
export function missing({ plan, context }: Dialogue, reply: Reply): RetrievalError {
  const advice = reply.code === 550 ? { advice: 'It does not exist, or may not be read' } : {}
  return refusedByServer(context, reply, shownName(plan.name), { ...advice, ...slashAdvice(plan.cwd, reply) })
}

/** What SIZE has said, where nothing else is said. */
export function sizeReply({ size }: Attributes): Reply {
  return { code: 213, text: size === null ? '' : String(size) }
}
