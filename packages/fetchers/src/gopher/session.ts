import { authority, type GopherPlan, octetsToText } from '@retriever/core'
import type { Handoff } from '../plugin/fetcher.ts'

/**
 * Items that are sessions (RFC 1436 3.8: types 8 and T) are handed to a program; nothing is connected here. The
 * selector is the name to log in with: advice for the person, and none of the program's arguments. Undefined: the item
 * is no session.
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
