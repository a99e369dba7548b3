import { redact } from '@retriever/core'
import type { EmittedEvent } from '../contract/events.ts'

/**
 * The event as a listener may log it, with the retrieval's URL without secrets (security.md case 47: a URL's query may
 * hold a token, which the request, the answer and remarks repeat). Commands with a password are built with `<password>`
 * in its place, maskResolution() masks plans, and errors hold no secrets.
 */
export function withoutSecrets(event: EmittedEvent, url: string): EmittedEvent {
  switch (event.type) {
    case 'sent':
    case 'received':
      return { ...event, url, octets: redact(event.octets) }
    case 'redirected':
      return { ...event, url, location: redact(event.location) }
    case 'remark':
      return { ...event, url, message: redact(event.message) }
    default:
      return event.url === url ? event : { ...event, url }
  }
}
