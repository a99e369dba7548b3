/** What is known about how one server behaves, for the life of a fetcher. */
export interface NntpQuirks {
  /** Retrievals that may be under way in one session at a time. */
  depth: number
  /** The command that lists the articles of a group: OVER (RFC 3977), XOVER (RFC 2980), or HEAD for each article. */
  overview: 'OVER' | 'XOVER' | 'HEAD'
  /** The server lists the numbers of a group's articles (LISTGROUP); true until it has said otherwise. */
  hasListGroup: boolean
}

/** Retrievals under way in one session at a time: of articles of 2 KiB over 100 ms that is a window of 20 Mbit/s. */
export const maxDepth = 128
