import type { Resolution } from '@retriever/core'

/** Whether the URL names a service that the command can open: a telnet URL, or a Gopher item of type 8. */
export function isOpenable({ plan }: Resolution): boolean {
  return plan.mechanism === 'telnet' || (plan.mechanism === 'gopher' && plan.gophertype === '8')
}
