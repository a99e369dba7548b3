import { encodeOctets } from '@retriever/core'
import { bracketed } from '@retriever/core/internal'
import type { ServerPlan } from './connection/session.ts'

/** Makes the URL of a group on the same server, over the same transport: `nntp://host/group`. */
export function groupUrl(plan: ServerPlan, newsgroup: string): string {
  // The user stays in the URL, so that whoever follows it is asked for the right password. The password does not stay.
  const user = plan.user ? `${encodeOctets(plan.user)}@` : ''
  const host = bracketed(plan.host.replace('%', '%25'))
  const [scheme, defaultPort] = plan.tls === 'implicit' ? ['nntps', 563] : ['nntp', 119]
  const port = plan.port === defaultPort ? '' : `:${plan.port}`
  return `${scheme}://${user}${host}${port}/${encodeOctets(newsgroup, '+')}`
}

/** Makes the URL of an article: `nntp://host/group/12`. */
export function articleUrl(plan: ServerPlan, newsgroup: string, number: number): string {
  return `${groupUrl(plan, newsgroup)}/${number}`
}
