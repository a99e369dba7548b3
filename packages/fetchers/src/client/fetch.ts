import { type Resolution, RetrievalError } from '@retriever/core'
import { invalidOption } from '../plugin/limits.ts'
import type { Representation } from '../result/representation.ts'
import type { RetrieveOptions } from './client-options.ts'

/**
 * The supported members of the web's RequestInit. Unsupported ones that would change the result are `invalid-option`;
 * others are ignored.
 */
export interface FetchInit {
  readonly signal?: AbortSignal | null
  readonly method?: string
  /** Sent with HTTP requests only. */
  readonly headers?: Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  /** Refused: GET and HEAD have no body. */
  readonly body?: unknown
  /** Only "follow": a caller who relies on another value must not be redirected. */
  readonly redirect?: string
  /** Only "default": the option `cache` of httpFetcher() decides whether there is a cache. */
  readonly cache?: string
  /** Only "": the integrity of a body is not checked. */
  readonly integrity?: string
}

/** The status of the Response for an error that is the server's answer. */
const statusOf: Readonly<Partial<Record<string, number>>> = {
  'not-found': 404,
  'access-denied': 403,
  'auth-required': 401,
  'auth-failed': 401,
}

/** The methods of a Client that fetch() uses. */
interface Retriever {
  retrieve(resolution: Resolution, options?: RetrieveOptions): Promise<Representation>
  resolve(url: string | URL): Resolution
}

/** Implements Client.fetch: a server's refusal is a Response with its status; every other failure rejects. */
export async function fetchResponse(client: Retriever, url: string | URL, init: FetchInit = {}): Promise<Response> {
  const method = readMethod(init)
  try {
    const resolution = client.resolve(url)
    const representation = await client.retrieve(resolution, {
      ...(init.signal && { signal: init.signal }),
      ...(init.headers !== undefined && {
        headers: Object.fromEntries(new Headers(init.headers as Record<string, string>)),
      }),
      head: method === 'HEAD',
      // With other mechanisms, these options would cause remarks that they have no effect.
      ...(resolution.plan.mechanism === 'http' && { compressed: true, fail: false }),
    })
    return representation.toResponse()
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const status = error.status ?? statusOf[error.code]
    // The constructor of Response refuses a status above 599; some servers send 999.
    if (status === undefined || status < 400 || status > 599) throw error
    const response = new Response(error.message, { status, headers: { 'content-type': 'text/plain;charset=utf-8' } })
    return Object.defineProperty(response, 'url', { value: error.url ?? String(url) })
  }
}

/** Throws `invalid-option` for a member that asks for something unsupported. */
function readMethod(init: FetchInit): 'GET' | 'HEAD' {
  const method = (init.method ?? 'GET').toUpperCase()
  if (method !== 'GET' && method !== 'HEAD') throw invalidOption('method', '"GET" or "HEAD"', init.method)
  const { redirect = 'follow', cache = 'default', integrity = '' } = init
  if (redirect !== 'follow') throw invalidOption('redirect', '"follow"; for none, limits.maxRedirects of 0', redirect)
  if (cache !== 'default') {
    throw invalidOption('cache', '"default"; choose the cache by httpFetcher({ cache })', cache)
  }
  if (integrity !== '') {
    throw invalidOption('integrity', 'absent, since it is not checked; hash the body yourself', integrity)
  }
  if (init.body != null) {
    // The body is not shown, because it may hold a secret.
    const message = `Expected \`body\` to be absent, since ${method} sends no body, got one (${typeof init.body}).`
    throw new RetrievalError('invalid-option', message, { phase: 'resolve' })
  }
  return method
}
