/** What workers have done with a list, in virtual time. Times are in seconds. */
export interface Simulated {
  readonly done: number
  readonly lost: number
  readonly total: number
  readonly overlaps: number
  readonly deaths: number
  /** When each hundredth of the URLs was done. */
  readonly marks: readonly number[]
}

export function simulate(options?: {
  urls?: number
  hosts?: number
  workers?: number
  turns?: number
  shards?: number
  seed?: number
}): Simulated
