import type { GroupSummary } from './group-reply.ts'

/** The numbers of the first and last article. Both are included. */
export interface ArticleRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the part of a range in which a group can have articles, or null if there is none. RFC 3977 6.1.1.2 has three
 * ways to call a group empty: `0 0 0`, a high number below the low one, and a count of 0. INN answers `0 1 0`, sn `0 0
 * 0`.
 */
export function boundsOf(
  { count, low, high }: GroupSummary,
  [from, to]: readonly [number, number | null],
): ArticleRange | null {
  const first = Math.max(low, from)
  const last = Math.min(high, to ?? high)
  return count === 0 || low > high || first > last ? null : { first, last }
}

/** Returns the range of the newest `limit` articles, supposing that gaps are spread evenly over the group. */
export function likelyRange(
  { count, low, high }: GroupSummary,
  { first, last }: ArticleRange,
  limit: number,
): ArticleRange {
  const density = Math.min(1, count / (high - low + 1))
  return { first: Math.max(first, last + 1 - Math.ceil(limit / density)), last }
}

/** Returns the range below. It is twice as long each time, so that a group with large gaps takes few commands. */
export function rangeBelow(range: ArticleRange, bounds: ArticleRange, atLeast: number): ArticleRange {
  const size = Math.max(atLeast, 2 * (range.last + 1 - range.first))
  return { first: Math.max(bounds.first, range.first - size), last: range.first - 1 }
}

export function* numbersOf({ first, last }: ArticleRange): Generator<number, void, void> {
  for (let number = first; number <= last; number++) yield number
}
