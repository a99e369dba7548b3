import type { Fetcher } from '../../contract/fetcher.ts'
import { lineAnswer } from '../../wire/line-answer.ts'
import { finger } from './about.ts'

/**
 * Makes a fetcher that asks who is on a host (RFC 1288). It sends one line, and the answer lasts to the end of the
 * connection (2.3). The answer may be empty (2.5.3 demands none). 2.2 promises ASCII, but servers send what the users
 * wrote.
 */
export function fingerFetcher(): Fetcher<'finger'> {
  return {
    ...finger,
    retrieve: async (plan, context) => ({ ...(await lineAnswer(plan, context, finger.title)), metadata: {} }),
  }
}
