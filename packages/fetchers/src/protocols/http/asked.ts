import type { Asked } from '@retriever/core/internal'
import type { Asking, RequestOptions } from '../../contract/fetcher.ts'
import { ownField, resumePoint } from '../../kit/request-options.ts'
import { connectionsFor, segmentSize } from './range/segments.ts'

/** Tells what a request asks for in HTTP's own way: fields, ranges, several connections. */
export async function askedOfHttp(asking: Asking): Promise<Asked> {
  const { request } = asking
  const { compressed, ifNoneMatch, virtualHost } = request.http ?? {}
  const cookie = await cookieField(asking)
  return {
    ifNoneMatch,
    virtualHost,
    ...(compressed === true && { acceptEncoding: await codings(request) }),
    ...(cookie !== null && { headers: { ...withoutCookie(request.headers), Cookie: cookie } }),
    ...(connectionsFor(request) > 1 && { segment: segmentSize }),
    ...(await restAsked(request)),
  }
}

/** Returns the store's cookies for the request, before those of the caller's own field. Null if the store has none. */
async function cookieField({ request, resolution, cookies }: Asking): Promise<string | null> {
  const { url, locator } = resolution
  const own = ownField(request, 'cookie')
  if (cookies === undefined || own === null) return null
  const stored = await cookies.cookiesFor(locator.user === null ? url : url.replace(/\/\/[^/?#]*@/, '//'))
  if (stored === null || stored === '') return null
  return own === undefined ? stored : `${stored}; ${own}`
}

function withoutCookie(headers: RequestOptions['headers'] = {}): Record<string, string | null> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^cookie$/i.test(name)))
}

async function codings(request: RequestOptions): Promise<string> {
  const { acceptEncoding } = await import('./coding/coding.ts')
  return acceptEncoding(request)
}

async function restAsked(request: RequestOptions): Promise<Pick<Asked, 'resumeFrom' | 'ifRange'>> {
  const point = resumePoint(request)
  if (point === undefined || point.offset === 0) return {}
  const { restRequest } = await import('./range/rest-request.ts')
  const rest = restRequest(point)
  return rest === null ? {} : { resumeFrom: rest.range[0], ifRange: rest.ifRange }
}
