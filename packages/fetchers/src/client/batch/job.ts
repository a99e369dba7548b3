import type { RetrievalError } from '@retriever/core'
import type { Lane } from './host.ts'

/** A server, as the scheduler sees it. */
export interface Site {
  /** "" if the URL has no host. */
  readonly host: string
  /** 0 if the URL has no port. */
  readonly port: number
  /** The number of jobs like this one that share a connection, and so count as one. */
  readonly inFlight: number
}

/** One URL of a batch, as the scheduler sees it. */
export interface Job {
  /** The URL as it was given. */
  readonly url: string
  /** Where its next try goes: a redirect changes it. */
  readonly site: Site
  /** A higher one begins first. */
  readonly priority: number
  /** The position of its URL in the list. */
  readonly index: number
  /** True: it had a place before, so it begins before new ones. */
  readonly isBack: boolean
  /** The lane in which it waits, or has a place; null: neither. Only the scheduler sets it. */
  lane: Lane | null
  /** What its server had done when the job got its place. Only the scheduler sets it. */
  seen: Seen
  /** The job has a place now. */
  begin(): void
  /** Its server was given up, so the job fails. */
  refuse(error: RetrievalError): void
}

/**
 * How many tries at a server had been answered, bodies had come, and failures were counted, and how many jobs ran, when
 * a job began there.
 */
export interface Seen {
  readonly answers: number
  readonly bodies: number
  readonly failures: number
  readonly running: number
}
