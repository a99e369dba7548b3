import { enforce } from '../policy.ts'
import type { Hop, Next } from './hop.ts'
import { resolved } from './resolved-event.ts'

/** Tells what the URL means, and refuses it, before anything is contacted, if the policy does not allow it. */
export function policy<Result>(hop: Hop, next: Next<Result>): Promise<Result> {
  const { resolution, context, retrieval } = hop
  if (retrieval.events.hears('resolved')) context.emit(resolved(resolution, context.url, retrieval.settings.resolving))
  enforce(retrieval.settings.policy, resolution)
  return next(hop)
}
