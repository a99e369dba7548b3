import type { HttpPlan } from '@retriever/core'
import type { Dispatcher } from 'undici'
import type { RequestOptions } from '../fetcher.ts'
import { authority } from '../wire/authority.ts'
import { authorityOf } from './forward.ts'

/** A request for undici, and the same as octets with what is secret in it left out. */
export interface Request {
  readonly options: Dispatcher.DispatchOptions
  readonly shown: string
}

const userAgent = 'Retriever/0.1'

/** The values of the two fields, or null. */
export interface Logins {
  readonly authorization: string | null
  readonly proxyAuthorization: string | null
}

/** GET of exactly plan.target. */
export function getRequest(plan: HttpPlan, request: RequestOptions, logins: Logins): Request {
  const fields: [name: string, value: string][] = [
    ['User-Agent', userAgent],
    ['Accept', request.accept ?? '*/*'],
    // Downloads are what the server keeps. A coding that comes nevertheless stays, and metadata names it.
    ['Accept-Encoding', 'identity'],
  ]
  if (request.range !== undefined) fields.push(['Range', `bytes=${request.range[0]}-${request.range[1] ?? ''}`])
  // RFC 9110 13.1.3.
  if (request.ifChangedSince !== undefined) fields.push(['If-Modified-Since', request.ifChangedSince.toUTCString()])
  if (logins.proxyAuthorization !== null) fields.push(['Proxy-Authorization', logins.proxyAuthorization])
  if (logins.authorization !== null) fields.push(['Authorization', logins.authorization])
  const host = hostField(plan)
  const headers = ['Host', host, ...fields.flat()]
  // Line for line what undici writes, which puts these two first and their names in lower case.
  const lines = [`GET ${plan.target} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
  for (const [name, value] of fields)
    lines.push(`${name}: ${name.endsWith('Authorization') ? 'Basic <password>' : value}`)
  return { options: { method: 'GET', path: plan.target, headers }, shown: `${lines.join('\r\n')}\r\n\r\n` }
}

/** RFC 9112 3.2: the target's own, where it is in absolute form. */
function hostField(plan: HttpPlan): string {
  return authorityOf(plan.target) ?? authority(plan, plan.tls === 'none' ? 80 : 443)
}
