import { berOid, type Z3950Plan, z3950Search, z3950Term } from '@retriever/core/internal'
import type { SearchAnswer } from './answers.ts'
import { isAboutAttributes } from './diagnostics.ts'
import type { Z3950Session } from './session.ts'

/**
 * The attributes of a document id: use 1032 (Doc-id) and structure 104 (URx), as RFC 2056 4 wants. For servers that do
 * not know them, 12 (local number) and 1007 (standard identifier).
 */
const ways = [
  [
    [1, 1032],
    [4, 104],
  ],
  [[1, 12]],
  [[1, 1007]],
] as const

/**
 * Searches for a document id, one octet a character, in each way until something is found. If nothing is found, the
 * answer is that of RFC 2056, or else the first in which the server knows the attributes. `syntaxes` are OIDs, the
 * preferred one first.
 */
export async function searchDocid(
  { databases }: Z3950Plan,
  session: Z3950Session,
  docid: string,
  [syntax = '']: readonly string[],
): Promise<SearchAnswer> {
  let best: SearchAnswer | undefined
  for (const attributes of ways) {
    const request = z3950Search(databases, berOid(syntax) ?? '', z3950Term(attributes, docid))
    const answer = await session.search(request)
    const { hits, isDone, diagnostic } = answer
    const isUnknown = diagnostic !== null && isAboutAttributes(diagnostic)
    if ((isDone && hits !== 0) || (diagnostic !== null && !isUnknown)) return answer
    if (best === undefined || (best.diagnostic !== null && !isUnknown)) best = answer
  }
  return best ?? { hits: 0, isDone: true, diagnostic: null }
}
