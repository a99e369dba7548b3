/** How one server likes to be spoken to, as far as it is known; for the life of a fetcher. */
export interface NntpQuirks {
  /** Retrievals that may be under way in one session at a time. */
  depth: number
  /** What lists the articles of a group: RFC 3977's OVER, RFC 2980's XOVER, or each article's HEAD. */
  overview: 'OVER' | 'XOVER' | 'HEAD'
  /** The server lists the numbers of a group's articles (LISTGROUP); true until it has said otherwise. */
  hasListGroup: boolean
}

/** Retrievals under way in one session at a time: of articles of 2 KiB over 100 ms that is a window of 20 Mbit/s. */
export const maxDepth = 128
