import { adviceText } from '@retriever/core/internal'
import type { Fetcher } from '../../contract/fetcher.ts'
import { urn } from './about.ts'

/**
 * Makes a fetcher for URNs (RFC 8141) whose place is not known: a name alone retrieves nothing. Other URNs are
 * retrieved from the place that the client's gateways or core's table of namespaces give.
 */
export function urnFetcher(): Fetcher<'urn'> {
  return {
    ...urn,
    retrieve: async ({ nid }, context) => {
      const advice = { option: 'gateways', value: `urn:${nid}` } as const
      const message = `No place is known for names of the namespace "${nid}"; give one by ${adviceText(advice)}.`
      throw context.error('no-fetcher', message, { phase: 'resolve', advice })
    },
  }
}
