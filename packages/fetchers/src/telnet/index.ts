import type { Fetcher } from '../plugin/fetcher.ts'

/**
 * A fetcher for telnet URLs. Such a URL "does not designate a data object, but rather an interactive service" (RFC 4248
 * 2), so it is handed to the telnet program, and no connection is made.
 */
export function telnetFetcher(): Fetcher<'telnet'> {
  return { mechanism: 'telnet', retrieve: async (_plan, context) => context.handoff() }
}
