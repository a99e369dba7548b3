import { authority, type HttpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { invalidOption, optionThrew } from '../../kit/limits.ts'
import { ownField } from '../../kit/request-options.ts'
import { discard } from './connection/discard.ts'
import type { Answer } from './exchange.ts'
import { originForm } from './request.ts'

/** Sends a request with the cookies of the client's store. The store keeps the cookies that the answer sets. */
export async function askWithCookies(
  plan: HttpPlan,
  context: RetrievalContext,
  ask: (context: RetrievalContext) => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask(await withCookies(plan, context))
  await keepCookies(plan, context, answer)
  return answer
}

/** Adds the store's cookies for this request, before those of the caller's own field. */
async function withCookies(plan: HttpPlan, context: RetrievalContext): Promise<RetrievalContext> {
  const { cookies, request, deadline } = context
  if (cookies === undefined) return context
  const stored: unknown = await deadline.unlimited(() => asked(async () => cookies.cookiesFor(urlOf(plan, context))))
  if (stored === null || stored === '') return context
  // The value is secret, so it is not shown.
  if (!isValue(stored)) throw invalidOption('cookies', 'a store whose cookies fit into a header field', typeof stored)
  const own = ownField(request, 'cookie')
  if (own === null) return context
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !/^cookie$/i.test(name))
  const Cookie = own === undefined ? stored : `${stored}; ${own}`
  return { ...context, request: { ...request, headers: { ...Object.fromEntries(others), Cookie } } }
}

/**
 * Gives the cookies of an answer to the client's store. If the answer came from the cache, it gave them when it
 * arrived.
 */
async function keepCookies(plan: HttpPlan, context: RetrievalContext, answer: Answer): Promise<void> {
  const { cookies, deadline } = context
  if (cookies === undefined || answer.cache?.hit === true) return
  const set = answer.head.asSent.flatMap(([name, value]) => (/^set-cookie$/i.test(name) ? [value] : []))
  if (set.length === 0) return
  try {
    await deadline.unlimited(() => asked(async () => cookies.keep(urlOf(plan, context), set)))
  } catch (error) {
    await discard(answer.body, context)
    throw error
  }
}

/** Asks the caller's store. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    throw optionThrew('cookies', cause, 'request')
  }
}

/** Whether octets may stand in a value (RFC 9110 5.5): a line end would begin another field. */
function isValue(cookie: unknown): cookie is string {
  return typeof cookie === 'string' && /^[\t\x20-\x7E\x80-\xFF]*$/.test(cookie)
}

/** Returns the URL that the cookies belong to: without a user, and with the virtual host that the caller names. */
function urlOf(plan: HttpPlan, { request }: RetrievalContext): string {
  const [scheme, port] = plan.tls === 'none' ? (['http', 80] as const) : (['https', 443] as const)
  return `${scheme}://${request.http?.virtualHost ?? authority(plan, port)}${originForm(plan.target)}`
}
