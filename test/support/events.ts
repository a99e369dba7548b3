/** The lines and remarks in a client's events. */
import type { RetrievalError } from '@retriever/core'
import type { RetrievalEvent } from '@retriever/fetchers'

/** The errors of the events that say something is tried again. */
export function retries(events: readonly RetrievalEvent[]): readonly RetrievalError[] {
  return events.flatMap((event) => (event.type === 'retried' ? [event.error] : []))
}

export function remarks(events: readonly RetrievalEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
}

/** Commands and requests, with their line ends, secrets left out. */
export function sent(events: readonly RetrievalEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
}

/** The ports that were dialled, in order. */
export function dialled(events: readonly RetrievalEvent[]): readonly number[] {
  return events.flatMap((event) => (event.type === 'connected' ? [event.port] : []))
}
