import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { type Reply, replyWords } from '../../wire/framing/reply.ts'

/** What GROUP answers (RFC 3977 6.1.1): an estimate of how many articles there are, and their numbers' bounds. */
export interface GroupSummary {
  readonly count: number
  readonly low: number
  readonly high: number
}

/** `211 40 10 49 test.alpha`; INN pads the numbers of LIST with zeros, and other servers may do so here. */
const summary = /^(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})(?:\s+(\S+))?/

/**
 * The numbers of a 211. Throws `protocol-violation` where they are missing, or larger than any article's number can be.
 */
export function groupSummary(context: RetrievalContext, reply: Reply): GroupSummary {
  const [, count, low, high] = summary.exec(reply.text) ?? []
  const numbers = { count: Number(count), low: Number(low), high: Number(high) }
  if (Object.values(numbers).every(Number.isSafeInteger)) return numbers
  const message = `The server answered GROUP without the numbers of its articles: ${replyWords(reply)}`
  throw context.error('protocol-violation', message, { reply: replyWords(reply) })
}

/**
 * Throws `protocol-violation` where a 211 names another group than was asked for: a reply that nothing had asked for
 * shifts all replies behind it (security.md case 39). Some servers name none, and `group selected` of RFC 977's text
 * follows the numbers.
 */
export function checkGroupName(context: RetrievalContext, reply: Reply, newsgroup: string): void {
  const name = reply.code === 211 ? summary.exec(reply.text)?.[4] : undefined
  if (name === undefined || name === newsgroup || /^(?:news)?group$/i.test(name)) return
  const words = replyWords(reply)
  const message = `The server selects another group than was asked for ("${words}"); try again.`
  throw context.error('protocol-violation', message, { reply: words })
}
