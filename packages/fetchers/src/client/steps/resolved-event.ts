import { type AccessPlan, type Resolution, redact } from '@retriever/core'
import { type Explained, explainResolutionBy, type FindingOptions, maskBy } from '@retriever/core/internal'
import type { EmittedEvent } from '../../contract/events.ts'

/**
 * The event of a URL that has been resolved. The plan is masked when a listener looks at it: that takes as long as many
 * steps of a small retrieval.
 */
export function resolved(resolution: Resolution, url: string, resolving: FindingOptions): EmittedEvent {
  let plan: AccessPlan | undefined
  let explanation: Explained | undefined
  return {
    type: 'resolved',
    url,
    get plan() {
      plan ??= maskBy(resolution, resolving).plan
      return plan
    },
    findings: resolution.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
    get explanation() {
      explanation ??= explainResolutionBy(resolution, resolving)
      return explanation
    },
  }
}
