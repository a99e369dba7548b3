import type { Outcome } from '../../contract/fetcher.ts'
import { handoffOf } from '../handoff/handoff-of.ts'
import { remarkOf } from '../network/route.ts'
import { tellPassedOver } from '../options/honoured.ts'
import type { Hop } from './hop.ts'

/** Makes the fetcher carry out the plan, and tells what it passes over. */
export async function fetch({ retrieval, resolution, context, routed, proxy, fetcher }: Hop): Promise<Outcome> {
  if (fetcher === undefined) return handoffOf(resolution)
  // The context belongs to this try.
  context.proxy = proxy
  const outcome = await fetcher.retrieve(routed, context)
  const remark = outcome.outcome === 'retrieved' ? remarkOf(resolution.plan, routed, proxy) : null
  if (remark !== null) context.emit({ type: 'remark', url: context.url, ...remark })
  const { registry } = retrieval.settings
  tellPassedOver(fetcher, registry.about(fetcher.mechanism), outcome, context, registry.options)
  return outcome
}
