import { bracketed, encodeOctets } from '@retriever/core'
import type { ServerPlan } from './connection/session.ts'

/** `nntp://host/group`, on the same server and in the same way. */
export function groupUrl(plan: ServerPlan, newsgroup: string): string {
  // The user goes along, so that whoever follows the URL is asked for the right password; the password never does.
  const user = plan.user ? `${encodeOctets(plan.user)}@` : ''
  const host = bracketed(plan.host.replace('%', '%25'))
  const [scheme, defaultPort] = plan.tls === 'implicit' ? ['nntps', 563] : ['nntp', 119]
  const port = plan.port === defaultPort ? '' : `:${plan.port}`
  return `${scheme}://${user}${host}${port}/${encodeOctets(newsgroup, '+')}`
}

/** `nntp://host/group/12` */
export function articleUrl(plan: ServerPlan, newsgroup: string, number: number): string {
  return `${groupUrl(plan, newsgroup)}/${number}`
}
