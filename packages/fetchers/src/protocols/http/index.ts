import type { HttpPlan } from '@retriever/core/internal'
import type { Fetcher, Outcome, RetrievalContext } from '../../contract/fetcher.ts'
import { withDeadline } from '../../kit/deadline.ts'
import { checkOptions, flag, type OptionKind } from '../../kit/options.ts'
import { oneRange, resumePoint } from '../../kit/request-options.ts'
import { http } from './about.ts'
import type { Cache } from './cache/cache.ts'
import { type CacheOption, cacheOption, checkCache, openCache } from './cache/cache-options.ts'
import { decodeBody } from './coding/coding.ts'
import { ConnectionPool } from './connection/pool.ts'
import { sendRequest } from './connection/send-request.ts'
import type { Answer, RangeRequest, SendRequest } from './exchange.ts'
import { asListing } from './index-page/listing.ts'
import { retrieveObject } from './object.ts'
import { checkRanges, withRanges } from './range/ranges.ts'
import { retrieveRest } from './range/resume-from.ts'
import { connectionsFor } from './range/segments.ts'
import { retrieveSplit } from './range/split.ts'
import type { Logins } from './request.ts'
import { withLogin } from './server-login.ts'

export type { CacheOption, DirectoryCache } from './cache/cache-options.ts'

/** Options of httpFetcher(). All clients that get the fetcher share them. */
export interface HttpFetcherOptions {
  /** Where responses are stored, and served from as RFC 9111 allows a private cache. Default: nowhere. */
  readonly cache?: CacheOption
  /** Whether to offer HTTP/2 (RFC 9113) within TLS. Default true. */
  readonly http2?: boolean
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<`httpFetcher.${keyof HttpFetcherOptions}`, true>> {}
}

const optionKinds: Readonly<Record<keyof HttpFetcherOptions, OptionKind>> = { cache: cacheOption, http2: flag }

/**
 * Makes a fetcher for HTTP/1.1 (RFC 9110, RFC 9112) by undici, and for HTTP/2 by Node. It keeps connections between
 * retrievals, until dispose(). A redirect is an outcome: the fetcher does not follow it. Throws RetrievalError
 * `invalid-option`.
 */
export function httpFetcher(options: HttpFetcherOptions = {}): Fetcher<'http'> {
  checkOptions(options, optionKinds, 'httpFetcher.')
  if (options.cache !== undefined) checkCache(options.cache)
  const option = structuredClone(options.cache)
  const pool = new ConnectionPool(options.http2 ?? true)
  let cache: Promise<Cache> | undefined
  return {
    ...http,
    askedFor: async (asking) => (await import('./asked.ts')).askedOfHttp(asking),
    asked: { http2: options.http2 ?? true },
    retrieve: async (plan, context) => {
      if (option !== undefined) cache ??= openCache(option)
      return retrieve(pool, (await cache) ?? null, plan, context)
    },
    reread: asListing,
    dispose: async () => {
      await pool.close()
      await (await cache)?.close()
    },
  }
}

async function retrieve(
  pool: ConnectionPool,
  cache: Cache | null,
  plan: HttpPlan,
  given: RetrievalContext,
): Promise<Outcome<'http'>> {
  const context = withRanges(given)
  const { deadline } = context
  const send = withLogin(plan, context, async (request: RangeRequest, logins: Logins) => {
    const sendNow = (context: RetrievalContext) => sendRequest(pool, plan, withoutForeignTags(context), request, logins)
    const ask = (context: RetrievalContext): Promise<Answer> =>
      cache === null ? sendNow(context) : cache.answer(plan, context, request, logins, sendNow)
    const ofRequest = withDeadline(context, request.deadline ?? deadline)
    if (context.cookies === undefined) return ask(ofRequest)
    const { askWithCookies } = await import('./cookies.ts')
    return askWithCookies(plan, ofRequest, ask)
  })
  const outcome = await retrieveWith(send, context)
  if (context !== given) await checkRanges(outcome, given)
  return outcome.outcome === 'retrieved' ? asListing(decodeBody(outcome, context), plan, context) : outcome
}

/**
 * Removes the entity tag and date that the caller knows of the first origin's resource, if the request goes to another
 * origin.
 */
function withoutForeignTags(context: RetrievalContext): RetrievalContext {
  if (context.isOtherOrigin !== true) return context
  const {
    http: { ifNoneMatch: _tag, ...http } = {},
    ifChangedSince: _date,
    ifUnchangedSince: _other,
    ...request
  } = context.request
  return { ...context, request: { ...request, http } }
}

function retrieveWith(send: SendRequest, context: RetrievalContext): Promise<Outcome<'http'>> {
  const { request } = context
  const point = resumePoint(request)
  const connections = connectionsFor(request)
  // Range has no meaning for HEAD (RFC 9110 14.2).
  if (point !== undefined && point.offset > 0 && request.head !== true) return retrieveRest(send, point, context)
  if (connections > 1) return retrieveSplit(send, context, connections)
  return retrieveObject(send, context, request.range && oneRange(request.range, context))
}
