/** Jobs without retrievals, for the parts of the scheduler alone. */
import type { RetrievalError } from '@retriever/core'
import { Host, type Rate } from '../../../packages/fetchers/src/client/batch/host.ts'
import type { Job, Seen } from '../../../packages/fetchers/src/client/batch/job.ts'
import { Share } from '../../../packages/fetchers/src/client/batch/share.ts'
import { defaultLimits } from '../../../packages/fetchers/src/kit/limits.ts'

export const limits = defaultLimits

export interface Details {
  readonly host?: string
  readonly isBack?: boolean
  readonly priority?: number
  readonly index?: number
  readonly inFlight?: number
  /** The answers of its server when it began. */
  readonly seen?: Seen
  /** Of its batch. */
  readonly givesUp?: boolean
  readonly onBegin?: () => void
  readonly onRefused?: (error: RetrievalError) => void
}

/** A job that has no place, and waits for none. */
export function waiting(url: string, details: Details = {}): Job {
  const { onBegin = () => {}, onRefused = () => {} } = details
  const { hostname } = new URL(url)
  return { ...jobAt(url, { host: hostname, ...details }), lane: null, begin: onBegin, refuse: onRefused }
}

/** A job that has a place. */
export function jobAt(url: string, details: Details = {}): Job {
  const { host = 'a', isBack = false, priority = 0, index = 0, inFlight = 1, givesUp = true } = details
  const site = { host, port: Number(new URL(url).port || 80), inFlight }
  const seen = details.seen ?? { answers: 0, bodies: 0, failures: 0, running: 0 }
  const lane = new Host(() => {}).laneOf(shareOf({ givesUp }), site)
  return { url, site, priority, index, isBack, lane, seen, begin: () => {}, refuse: () => {} }
}

/** The share of a batch. */
export function shareOf({
  concurrency = 16,
  perHost = 4,
  rates = [] as readonly Rate[],
  givesUp = true,
  onNoneReady = (): void => {},
} = {}): Share {
  return new Share({ concurrency, perHost, rates, givesUp }, onNoneReady)
}
