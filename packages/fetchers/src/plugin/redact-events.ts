import { redact } from '@retriever/core'
import type { RetrievalEvent } from './events.ts'

/**
 * The event as a listener may log it, with the URL of its retrieval without secrets (security.md case 47: the query of
 * a URL may hold a token, and the request, the answer and the remarks repeat it). Commands that hold a password are
 * built with `<password>` in its place, plans are masked by maskResolution(), and errors hold no secrets.
 */
export function withoutSecrets(event: RetrievalEvent, url: string): RetrievalEvent {
  switch (event.type) {
    case 'sent':
    case 'received':
      return { ...event, url, octets: redact(event.octets) }
    case 'redirected':
      return { ...event, url, location: redact(event.location) }
    case 'remark':
      return { ...event, url, message: redact(event.message) }
    default:
      return { ...event, url }
  }
}
