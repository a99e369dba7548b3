/**
 * undici's readers of Cache-Control and of dates: all of its cache that is used here, for the reasons that
 * cache.ts gives.
 */
declare module 'undici/lib/util/cache.js' {
  import type CacheHandler from 'undici/types/cache-interceptor.js'

  /** What is malformed, and each that is given twice, is read as the stricter. */
  export function parseCacheControlHeader(value: string): CacheHandler.CacheControlDirectives
  export function hasInvalidCacheControlDirective(
    directives: CacheHandler.CacheControlDirectives,
    name: 'max-age',
  ): boolean
}

declare module 'undici/lib/util/date.js' {
  /** RFC 9110 5.6.7, all three forms; undefined for what is none. */
  export function parseHttpDate(value: string): Date | undefined
}
