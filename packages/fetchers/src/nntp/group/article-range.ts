import type { GroupSummary } from './group-reply.ts'

/** Numbers of articles, both inclusive. */
export interface Extent {
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
): Extent | null {
  const first = Math.max(low, from)
  const last = Math.min(high, to ?? high)
  return count === 0 || low > high || first > last ? null : { first, last }
}

/** Where the newest `limit` articles are, if they lie as close as the articles of the group do on the whole. */
export function likelyExtent({ count, low, high }: GroupSummary, { first, last }: Extent, limit: number): Extent {
  const density = Math.min(1, count / (high - low + 1))
  return { first: Math.max(first, last + 1 - Math.ceil(limit / density)), last }
}

/** The numbers below an extent: twice as many each time, so that a group with few articles takes few questions. */
export function extentBelow(extent: Extent, bounds: Extent, atLeast: number): Extent {
  const size = Math.max(atLeast, 2 * (extent.last + 1 - extent.first))
  return { first: Math.max(bounds.first, extent.first - size), last: extent.first - 1 }
}

export function* numbersIn({ first, last }: Extent): Generator<number, void, void> {
  for (let number = first; number <= last; number++) yield number
}
