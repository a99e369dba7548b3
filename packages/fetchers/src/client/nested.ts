import { type Resolution, RetrievalError, redact, resolveReference } from '@retriever/core'
import { resolveBy, splitBy } from '@retriever/core/internal'
import type { NestedOptions } from '../contract/nested.ts'
import type { TlsOptions } from '../contract/network.ts'
import { checkOptions, flag } from '../kit/options.ts'
import type { KnownOptions } from './options/known.ts'
import { enforceLink, isLocal } from './policy.ts'
import { isFromHere, isSameOrigin, tlsForOtherOrigin, withLoginOf } from './redirect.ts'
import type { Settings } from './settings.ts'

/** The most retrievals within each other: fetchers that retrieve each other for ever end here. */
const maxDepth = 20
/** The most retrievals that fetchers may begin for one retrieval of the caller. */
const maxNested = 1000

/** The place of a retrieval among those that fetchers begin by RetrievalContext.retrieve. */
export interface Nesting {
  /** 0: the retrieval of the caller. */
  readonly depth: number
  /** The number of retrievals that fetchers have begun for the caller's one; null before the first of them. */
  begun: { count: number } | null
  readonly tls: TlsOptions
  /** True: it is not at the origin that the caller has named. */
  readonly isOtherOrigin: boolean
  /** True: a gateway stands for the URL that the caller has named, or for one before this. */
  readonly isAtGateway: boolean
  /** True: a server may have chosen the URL, or one before it. */
  readonly isNamedByServer: boolean
  /** True: the URL must not lead inward. */
  readonly isPointedTo: boolean
  /** The caller's option `base`; undefined if there is none, or the URL is not the caller's. */
  readonly base?: string | undefined
}

/** The nesting of a caller's retrieval. */
export function outermost(tls: TlsOptions, base?: string): Nesting {
  const flags = { isOtherOrigin: false, isAtGateway: false, isNamedByServer: false, isPointedTo: false }
  return { depth: 0, begun: null, tls, ...flags, base }
}

/**
 * The nesting of a caller's retrieval of a URL that a server has named on the page `from`. Throws `refused` by the
 * rules for links.
 */
export function linked(from: Resolution, to: Resolution, { policy, tls, resolving }: Settings, base?: string): Nesting {
  const isFromInside = isFromHere(from, {})
  enforceLink(policy, from, to, isFromInside)
  const isPointedTo = !isFromInside && !policy.allowInward
  if (to.plan.mechanism !== 'message' || base === undefined) {
    return { ...outermost(tls), isNamedByServer: true, isPointedTo }
  }
  // The message is the caller's choice, but a server's page must not reach one that is nearer than the page.
  enforceLink(policy, from, resolveBy(base, resolving), isFromInside)
  return { ...outermost(tls, base), isPointedTo }
}

/** Resolves a URL that a fetcher retrieves while it retrieves `from`, and enforces the rules for links. */
export function nest(
  from: Resolution,
  url: string,
  { pointedTo = true }: NestedOptions,
  parent: Nesting,
  { policy, resolving }: Settings,
): { readonly to: Resolution; readonly nesting: Nesting } {
  parent.begun ??= { count: 0 }
  const { depth, begun } = parent
  if (depth >= maxDepth || begun.count >= maxNested) throw endless(from.url, depth >= maxDepth)
  const isNamedByServer = pointedTo || parent.isNamedByServer
  const reference = resolveReference(url, from.url)
  const to = isNamedByServer
    ? withLoginOf(from, splitBy(reference, resolving.find).locator, resolving)
    : resolveBy(reference, resolving)
  // Files that no server has named are as many as their folder has.
  if (isNamedByServer || !isLocal(to.scheme)) begun.count++
  const isFromInside = isFromHere(from, {})
  if (isNamedByServer) enforceLink(policy, from, to, isFromInside)
  const isOther = !isSameOrigin(from, to)
  return {
    to,
    nesting: {
      depth: depth + 1,
      begun,
      tls: isOther ? tlsForOtherOrigin(parent.tls) : parent.tls,
      isOtherOrigin: parent.isOtherOrigin || isOther,
      isAtGateway: parent.isAtGateway,
      isNamedByServer,
      isPointedTo: parent.isPointedTo || (isNamedByServer && !isFromInside && !policy.allowInward),
    },
  }
}

/** Throws `invalid-option`. */
export function checkNested(options: NestedOptions, { request }: KnownOptions): void {
  checkOptions(options, { pointedTo: flag, ...request })
}

export function outerIsOver(): RetrievalError {
  return new RetrievalError('aborted', 'The retrieval for which a fetcher has begun this one is over.', {
    phase: 'body',
  })
}

function endless(url: string, isDeep: boolean): RetrievalError {
  const what = isDeep ? `${maxDepth} URLs within each other` : `${maxNested} URLs for one`
  const message = `${redact(url)}: Fetchers have retrieved ${what}; one of them seems to retrieve itself for ever.`
  return new RetrievalError('too-many-redirects', message, { phase: 'policy', url })
}
