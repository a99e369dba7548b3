import type { HttpPlan } from '@retriever/core'
import type { Fetcher, Outcome, RetrievalContext } from '../plugin/fetcher.ts'
import { checkOptions, flag, type OptionKind } from '../plugin/options.ts'
import { resumePoint } from '../plugin/request-options.ts'
import { withDeadline } from '../plugin/retry.ts'
import type { Cache } from './cache/cache.ts'
import { type CacheOption, cacheOption, checkCache, openCache } from './cache/cache-options.ts'
import { decodeBody } from './coding/coding.ts'
import { Pool } from './connection/pool.ts'
import { sendRequest } from './connection/send-request.ts'
import type { RangeRequest, SendRequest } from './exchange.ts'
import { asListing } from './index-page/listing.ts'
import { withLogin } from './login.ts'
import { retrieveObject } from './object.ts'
import { retrieveRest } from './range/resume-from.ts'
import { connectionsFor, retrieveSplit } from './range/split.ts'
import type { Logins } from './request.ts'

export type { CacheOption, DirectoryCache } from './cache/cache-options.ts'

/** How HTTP is spoken by all clients that get the fetcher. */
export interface HttpFetcherOptions {
  /** Where answers are kept, and served from as RFC 9111 allows a private cache. Default: nowhere. */
  readonly cache?: CacheOption
  /** Offer HTTP/2 (RFC 9113) to servers within TLS. Default true. */
  readonly http2?: boolean
}

const optionKinds: Readonly<Record<keyof HttpFetcherOptions, OptionKind>> = { cache: cacheOption, http2: flag }

/**
 * HTTP/1.1 (RFC 9110, RFC 9112) by undici, HTTP/2 by Node. Connections are kept between retrievals, until dispose(). A
 * redirect is an outcome: nothing is followed here. Throws RetrievalError `invalid-option`.
 */
export function httpFetcher(options: HttpFetcherOptions = {}): Fetcher<'http'> {
  checkOptions(options, optionKinds, 'httpFetcher.')
  if (options.cache !== undefined) checkCache(options.cache)
  const option = structuredClone(options.cache)
  const pool = new Pool(options.http2 ?? true)
  let cache: Promise<Cache> | undefined
  return {
    mechanism: 'http',
    retrieve: async (plan, context) => {
      if (option !== undefined) cache ??= openCache(option)
      return retrieve(pool, (await cache) ?? null, plan, context)
    },
    dispose: async () => {
      await pool.close()
      await (await cache)?.close()
    },
  }
}

async function retrieve(pool: Pool, cache: Cache | null, plan: HttpPlan, context: RetrievalContext): Promise<Outcome> {
  const { deadline } = context
  const ask = withLogin(plan, context, (asking: RangeRequest, logins: Logins) => {
    const send = (context: RetrievalContext) => sendRequest(pool, plan, withoutForeignTags(context), asking, logins)
    const trying = withDeadline(context, asking.deadline ?? deadline)
    return cache === null ? send(trying) : cache.answer(plan, trying, asking, logins, send)
  })
  const outcome = await retrieveWith(ask, context)
  return outcome.outcome === 'retrieved' ? asListing(decodeBody(outcome, context), plan, context) : outcome
}

/** What the caller knows of a resource of the first origin is not told to another one. */
function withoutForeignTags(context: RetrievalContext): RetrievalContext {
  if (context.isOtherOrigin !== true) return context
  const { ifNoneMatch: _tag, ifChangedSince: _date, ...request } = context.request
  return { ...context, request }
}

function retrieveWith(ask: SendRequest, context: RetrievalContext): Promise<Outcome> {
  const { request } = context
  const point = resumePoint(request)
  const connections = connectionsFor(request)
  // Of HEAD, Range is no part (RFC 9110 14.2).
  if (point !== undefined && point.offset > 0 && request.head !== true) return retrieveRest(ask, point, context)
  if (connections > 1) return retrieveSplit(ask, context, connections)
  return retrieveObject(ask, context, request.range)
}
