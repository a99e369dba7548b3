import type { AccessPlan, Resolution } from '@retriever/core'
import type { Fetcher, Outcome } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { Retrieval } from '../retrieval.ts'
import { contextOf, type HopContext } from './context.ts'

/** One URL of a retrieval, which passes through the steps. Each step notes in it what it finds out. */
export interface Hop {
  readonly retrieval: Retrieval
  /** The URL that is retrieved now: a redirect or a gateway replaces it. */
  resolution: Resolution
  /** What the fetcher gets. Each try has its own, with its own deadline. */
  context: HopContext
  /** The plan that the fetcher carries out. It differs from the URL's plan if a proxy retrieves the URL. */
  routed: AccessPlan
  proxy: ProxyServer | null
  /** Undefined for a service that no fetcher knows, and before step `route`. */
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

/** Makes one function of the steps. */
export function composed<Result>(
  steps: readonly ((hop: Hop, next: Next<Result>) => Promise<Result>)[],
  last: Next<Result>,
): Next<Result> {
  return steps.reduceRight<Next<Result>>((next, step) => (hop) => step(hop, next), last)
}
