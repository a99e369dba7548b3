import { redact } from '@retriever/core'
import type { RetrievalEvent } from './events.ts'

/** Listeners write what they get into logs, where the query of a URL may hold a token, and the plan and the request it (case 47). */
export function withoutSecrets(event: RetrievalEvent): RetrievalEvent {
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value)
    return Array.isArray(value) ? value.map(hide) : value
  }
  const hideIn = <T extends object>(record: T): T =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, hide(value)])) as T
  return hideIn(event.type === 'resolved' ? { ...event, plan: hideIn(event.plan) } : event)
}
