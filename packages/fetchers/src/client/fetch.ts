import { type Resolution, RetrievalError } from '@retriever/core'
import { invalidOption } from '../plugin/limits.ts'
import type { Representation } from '../result/representation.ts'
import type { RetrieveOptions } from './client-options.ts'

/**
 * The members of the web's RequestInit that are known here. One that would change the result, and is not supported, is
 * `invalid-option`. Others are ignored.
 */
export interface FetchInit {
  readonly signal?: AbortSignal | null
  readonly method?: string
  /** Sent with HTTP requests only. */
  readonly headers?: Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  /** Refused: GET and HEAD have none. */
  readonly body?: unknown
  /** Only "follow": a caller who relies on another value must not be led elsewhere. */
  readonly redirect?: string
  /** Only "default": the option `cache` of httpFetcher() says whether there is a cache. */
  readonly cache?: string
  /** Only "": nothing here checks the integrity of a body. */
  readonly integrity?: string
}

/** The status of the Response for an error that is the server's answer. */
const statusOf: Readonly<Partial<Record<string, number>>> = {
  'not-found': 404,
  'access-denied': 403,
  'auth-required': 401,
  'auth-failed': 401,
}

/** The part of a Client that fetch() is made of. */
interface Retriever {
  retrieve(resolution: Resolution, options?: RetrieveOptions): Promise<Representation>
  resolve(url: string | URL): Resolution
}

/** Client.fetch: a server's refusal is a Response with its status; every other failure rejects. */
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
    // A Response of a status beyond 599 cannot be made; some servers send 999.
    if (status === undefined || status < 400 || status > 599) throw error
    const response = new Response(error.message, { status, headers: { 'content-type': 'text/plain;charset=utf-8' } })
    return Object.defineProperty(response, 'url', { value: error.url ?? String(url) })
  }
}

/** Throws `invalid-option` for a member that asks for something else than what would be done. */
function readMethod(init: FetchInit): 'GET' | 'HEAD' {
  const method = (init.method ?? 'GET').toUpperCase()
  if (method !== 'GET' && method !== 'HEAD') throw invalidOption('method', '"GET" or "HEAD"', init.method)
  const { redirect = 'follow', cache = 'default', integrity = '' } = init
  if (redirect !== 'follow') throw invalidOption('redirect', '"follow"; for none, limits.maxRedirects of 0', redirect)
  if (cache !== 'default') {
    throw invalidOption('cache', '"default"; whether there is a cache, httpFetcher({ cache }) says', cache)
  }
  if (integrity !== '') {
    throw invalidOption('integrity', 'absent, since nothing here checks it; hash the body that comes', integrity)
  }
  if (init.body != null) {
    // Its value is not shown: it may hold a secret.
    const message = `Expected \`body\` to be absent, since ${method} sends none, got one (${typeof init.body}).`
    throw new RetrievalError('invalid-option', message, { phase: 'resolve' })
  }
  return method
}
