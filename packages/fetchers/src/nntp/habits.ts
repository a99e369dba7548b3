/** How one server likes to be spoken to, as far as it is known; for the life of a fetcher. */
export interface Habits {
  /** Retrievals that may be under way in one session at a time. */
  depth: number
  /** What lists the articles of a group: RFC 3977's OVER, RFC 2980's XOVER, or each article's HEAD. */
  overview: 'OVER' | 'XOVER' | 'HEAD'
}

/** Commands of one session that wait for their answers: a window of 100 ms and 2 KB an article is 10 Mbit/s then. */
export const maxDepth = 64
