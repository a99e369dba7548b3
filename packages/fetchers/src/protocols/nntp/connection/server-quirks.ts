/** What we learnt of one server while the fetcher lives. */
export interface NntpQuirks {
  /** How many retrievals may use one session at a time. */
  depth: number
  /** The command that lists the articles of a group: OVER (RFC 3977), XOVER (RFC 2980), or HEAD for each article. */
  overview: 'OVER' | 'XOVER' | 'HEAD'
  /** Whether the server lists the numbers of a group's articles (LISTGROUP). True until it has refused. */
  hasListGroup: boolean
}

/**
 * How many retrievals may use one session at a time. For articles of 2 KiB and 100 ms of delay, this is a window of 80
 * Mbit/s. So many commands are 8 to 12 KiB, for which the buffers of any connection have room, even while the server
 * writes an answer and reads nothing.
 */
export const maxDepth = 512
