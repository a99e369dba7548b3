import type { AccessPlan, Resolution } from '@retriever/core'
import type { Fetcher, Outcome, RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { Retrieval } from '../retrieval.ts'
import { contextOf } from './context.ts'

/** The request that passes through the steps: one URL of a retrieval. Each step notes what it finds out. */
export interface Hop {
  readonly retrieval: Retrieval
  /** The URL that is retrieved now: a redirect or a gateway replaces it. */
  resolution: Resolution
  /** What the fetcher gets. Each try has its own, with its own deadline. */
  context: RetrievalContext
  /** The plan that is carried out; it differs from that of the URL if a proxy is asked for the URL. */
  routed: AccessPlan
  proxy: ProxyServer | null
  /** Undefined for a service that no fetcher knows. */
  fetcher: Fetcher | undefined
  /** The number of the try of this URL, from 1. */
  attempt: number
}

/** The steps below one step. */
export type Next<Result = Outcome> = (hop: Hop) => Promise<Result>

/** One part of what happens to a URL. It calls the next one, perhaps several times, or answers by itself. */
export type Step<Result = Outcome> = (hop: Hop, next: Next) => Promise<Result>

export function hopOf(retrieval: Retrieval, resolution: Resolution): Hop {
  const context = contextOf(retrieval, resolution)
  return { retrieval, resolution, context, routed: resolution.plan, proxy: null, fetcher: undefined, attempt: 1 }
}

/** Makes a hop lead to another URL. */
export function lead(hop: Hop, to: Resolution): void {
  hop.resolution = to
  hop.context = contextOf(hop.retrieval, to)
  hop.routed = to.plan
  hop.attempt = 1
}

/** The steps as one function. */
export function composed(steps: readonly Step[], last: Next): Next {
  return steps.reduceRight<Next>((next, step) => (hop) => step(hop, next), last)
}
