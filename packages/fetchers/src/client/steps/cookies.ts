import type { Hop, Next } from './hop.ts'

/** Lets the fetcher ask for the caller's cookies, and keep those that come: the store decides by the URL. */
export function cookies<Result>(hop: Hop, next: Next<Result>): Promise<Result> {
  hop.context.cookies = hop.retrieval.settings.cookies
  return next(hop)
}
