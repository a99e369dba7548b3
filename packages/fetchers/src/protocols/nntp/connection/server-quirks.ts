/** Known behaviour of one server, for the life of a fetcher. */
export interface NntpQuirks {
  /** The number of retrievals that may be under way in one session at a time. */
  depth: number
  /** The command that lists the articles of a group: OVER (RFC 3977), XOVER (RFC 2980), or HEAD for each article. */
  overview: 'OVER' | 'XOVER' | 'HEAD'
  /** Whether the server lists the numbers of a group's articles (LISTGROUP); true until it has refused. */
  hasListGroup: boolean
}

/**
 * The most retrievals under way in one session at a time: with articles of 2 KiB over 100 ms that is a window of 20
 * Mbit/s.
 */
export const maxDepth = 128
