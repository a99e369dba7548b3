import type { RetrievalError } from '@retriever/core'
import { ftpCommands } from '@retriever/core/internal'
import type { Retrieved } from '../../../contract/fetcher.ts'
import { wholeSource } from '../../../kit/byte-source.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer, shownName } from '../control/replies.ts'
import { enter, isDirectory, slashAdvice } from '../prepare.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { type Attributes, attributeSteps, checkModified, described, wantedRange } from './byte-range.ts'

/**
 * Retrieves only metadata: SIZE and MDTM, without a transfer. Servers give no size for a directory, but some give a
 * time, so a CWD decides if there is no size.
 */
export async function retrieveMetadata(retrieval: FtpRetrieval): Promise<Retrieved<'ftp'>> {
  const { plan, context, session } = retrieval
  const attributes: Attributes = { size: null, modified: null }
  const refusals: Reply[] = []
  const questions = attributeSteps(retrieval, attributes).map((step) => noting(step, refusals))
  await enter(retrieval, plan.typecode === 'a' ? undefined : ftpCommands(plan).type, questions)
  const [refusal = null] = refusals
  if (attributes.size === null && (await isDirectory(retrieval))) {
    const { retrieveDirectory } = await import('../listing/listing.ts')
    return retrieveDirectory(retrieval, refusal)
  }
  checkModified(retrieval, attributes)
  const part = wantedRange(retrieval, attributes)
  retrieval.done()
  session.hasAttributes = attributes.size !== null && attributes.modified !== null
  if (attributes.size === null && attributes.modified === null) {
    if (refusal !== null) throw missing(retrieval, refusal)
    context.emit({ type: 'remark', url: context.url, message: 'The server tells neither size nor time of it.' })
  }
  return { ...described(retrieval, part, attributes, null, sizeReply(attributes)), body: wholeSource() }
}

/** Collects the replies that say that there is no such file. */
function noting(step: Step, refusals: Reply[]): Step {
  return {
    ...step,
    onReply: (reply) => {
      if (reply.code === 550) refusals.push(reply)
      step.onReply(reply)
    },
  }
}

/** Makes the error for a name that is neither a file nor a directory. */
export function missing({ plan, context }: FtpRetrieval, reply: Reply): RetrievalError {
  const advice = reply.code === 550 ? { advice: 'It does not exist, or may not be read' } : {}
  return refusedByServer(context, reply, shownName(plan.name), { ...advice, ...slashAdvice(plan.cwd, reply) })
}

/** Writes the answer to SIZE as a reply, for the metadata of a retrieval that has no other reply. */
export function sizeReply({ size }: Attributes): Reply {
  return { code: 213, text: size === null ? '' : String(size) }
}
