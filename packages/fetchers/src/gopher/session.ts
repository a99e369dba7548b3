import { authority, type GopherPlan, octetsToText } from '@retriever/core'
import type { Handoff } from '../plugin/fetcher.ts'

/**
 * The handoff for an item that is a session (RFC 1436 3.8: types 8 and T), for which nothing is connected. The selector
 * is the name to log in with: it is shown to the person, and never an argument of the program. Undefined: the item is
 * no session.
 */
export function sessionOf(plan: GopherPlan): Handoff | undefined {
  const { gophertype, selector, host, port } = plan
  if (gophertype !== '8' && gophertype !== 'T') return undefined
  const isTelnet = gophertype === '8'
  return {
    outcome: 'handoff',
    service: isTelnet ? 'telnet' : 'tn3270',
    host,
    port,
    user: selector === '' ? null : octetsToText(selector),
    program: isTelnet ? 'telnet' : 'c3270',
    args: isTelnet ? [host, String(port)] : [authority({ host, port }, null)],
  }
}
