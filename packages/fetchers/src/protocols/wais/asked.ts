import { type Resolution, RetrievalError, resolve } from '@retriever/core'
import type { Asked } from '@retriever/core/internal'
import type { Asking } from '../../contract/fetcher.ts'

/** Tells what a request asks for in WAIS's own way: the documents to which those found should be similar. */
export async function askedOfWais({ request }: Asking): Promise<Asked> {
  const { relevantTo } = request.wais ?? {}
  return relevantTo === undefined ? {} : { relevantTo: relevantTo.flatMap(documentOf) }
}

/** The document that a URL names. None: the fetcher will refuse it. */
function documentOf(url: string): NonNullable<Asked['relevantTo']> {
  const plan = resolved(url)?.plan
  if (plan?.mechanism !== 'wais' || plan.docid === null || plan.wtype === null) return []
  return [{ docid: plan.docid, wtype: plan.wtype }]
}

function resolved(url: string): Resolution | null {
  try {
    return resolve(url)
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}
