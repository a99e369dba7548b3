import type { GroupSummary } from './group-reply.ts'

/** Numbers of articles, both inclusive. */
export interface ArticleRange {
  readonly first: number
  readonly last: number
}

/**
 * The numbers of a range that articles may have. Null: there are none. RFC 3977 6.1.1.2 has three ways to say empty: 0
 * 0 0, high one less than low, and count 0. INN answers `0 1 0`, sn `0 0 0`.
 */
export function boundsOf(
  { count, low, high }: GroupSummary,
  [from, to]: readonly [number, number | null],
): ArticleRange | null {
  const first = Math.max(low, from)
  const last = Math.min(high, to ?? high)
  return count === 0 || low > high || first > last ? null : { first, last }
}

/** Where the newest `limit` articles are, if they lie as close as the articles of the group do on the whole. */
export function likelyRange(
  { count, low, high }: GroupSummary,
  { first, last }: ArticleRange,
  limit: number,
): ArticleRange {
  const density = Math.min(1, count / (high - low + 1))
  return { first: Math.max(first, last + 1 - Math.ceil(limit / density)), last }
}

/** The numbers below a range: twice as many each time, so that a group with few articles takes few questions. */
export function rangeBelow(range: ArticleRange, bounds: ArticleRange, atLeast: number): ArticleRange {
  const size = Math.max(atLeast, 2 * (range.last + 1 - range.first))
  return { first: Math.max(bounds.first, range.first - size), last: range.first - 1 }
}

export function* numbersOf({ first, last }: ArticleRange): Generator<number, void, void> {
  for (let number = first; number <= last; number++) yield number
}
