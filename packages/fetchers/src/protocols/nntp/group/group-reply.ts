import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { type Reply, replyWords } from '../../../wire/framing/reply.ts'

/** The reply to GROUP (RFC 3977 6.1.1): the estimated number of articles, and their lowest and highest number. */
export interface GroupSummary {
  readonly count: number
  readonly low: number
  readonly high: number
}

/** Matches `211 40 10 49 test.alpha`. INN pads the numbers of LIST with zeros, and other servers may do so here. */
const summary = /^(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})(?:\s+(\S+))?/

/** Reads the numbers of a 211. Throws `protocol-violation` if one is missing, or is no safe integer. */
export function groupSummary(context: RetrievalContext, reply: Reply): GroupSummary {
  const [, count, low, high] = summary.exec(reply.text) ?? []
  const numbers = { count: Number(count), low: Number(low), high: Number(high) }
  if (Object.values(numbers).every(Number.isSafeInteger)) return numbers
  const message = `The server answered GROUP without the numbers of its articles: ${replyWords(reply)}`
  throw context.error('protocol-violation', message, { reply: replyWords(reply) })
}

/**
 * Throws `protocol-violation` if a 211 names another group than we asked for: an unexpected reply shifts all replies
 * after it (threats.md 39). Some servers name no group, and RFC 977 has `group selected` in its place.
 */
export function checkGroupName(context: RetrievalContext, reply: Reply, newsgroup: string): void {
  const name = reply.code === 211 ? summary.exec(reply.text)?.[4] : undefined
  if (name === undefined || name === newsgroup || /^(?:news)?group$/i.test(name)) return
  const words = replyWords(reply)
  const message = `The server selects another group than was asked for ("${words}"); try again.`
  throw context.error('protocol-violation', message, { reply: words })
}
