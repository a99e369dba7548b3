import { authority, type HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { invalidOption } from '../../kit/limits.ts'
import { ownField } from '../../kit/request-options.ts'
import { discard } from './connection/discard.ts'
import type { Answer } from './exchange.ts'
import { originForm } from './request.ts'

/** The answer to a request with the cookies of the client's store, which keeps those that the answer sets. */
export async function askWithCookies(
  plan: HttpPlan,
  context: RetrievalContext,
  ask: (context: RetrievalContext) => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask(await withCookies(plan, context))
  await keepCookies(plan, context, answer)
  return answer
}

/** The context with the cookies of the client's store for this request, before those of the caller's own field. */
async function withCookies(plan: HttpPlan, context: RetrievalContext): Promise<RetrievalContext> {
  const { cookies, request, deadline } = context
  if (cookies === undefined) return context
  const stored: unknown = await deadline.unlimited(async () => cookies.cookiesFor(urlOf(plan, context)))
  if (stored === null || stored === '') return context
  // The value is not shown, because it is secret.
  if (!isValue(stored)) throw invalidOption('cookies', 'a store whose cookies fit into a header field', typeof stored)
  const own = ownField(request, 'cookie')
  if (own === null) return context
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !/^cookie$/i.test(name))
  const Cookie = own === undefined ? stored : `${stored}; ${own}`
  return { ...context, request: { ...request, headers: { ...Object.fromEntries(others), Cookie } } }
}

/** Gives the cookies of an answer to the client's store. One out of the cache set them when it came. */
async function keepCookies(plan: HttpPlan, context: RetrievalContext, answer: Answer): Promise<void> {
  const { cookies, deadline } = context
  if (cookies === undefined || answer.cache?.hit === true) return
  const set = answer.head.asSent.flatMap(([name, value]) => (/^set-cookie$/i.test(name) ? [value] : []))
  if (set.length === 0) return
  try {
    await deadline.unlimited(async () => cookies.keep(urlOf(plan, context), set))
  } catch (error) {
    await discard(answer.body, context)
    throw error
  }
}

/** Octets that may stand in a value (RFC 9110 5.5): a line end would begin another field. */
function isValue(cookie: unknown): cookie is string {
  return typeof cookie === 'string' && /^[\t\x20-\x7E\x80-\xFF]*$/.test(cookie)
}

/** The URL that the cookies belong to: without a user, and with the virtual host that the caller names. */
function urlOf(plan: HttpPlan, { request }: RetrievalContext): string {
  const [scheme, port] = plan.tls === 'none' ? (['http', 80] as const) : (['https', 443] as const)
  return `${scheme}://${request.virtualHost ?? authority(plan, port)}${originForm(plan.target)}`
}
