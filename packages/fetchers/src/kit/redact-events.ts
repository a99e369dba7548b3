import { redact } from '@retriever/core'
import type { EmittedEvent } from '../contract/events.ts'

/**
 * Makes the event safe to log by removing the secrets of the retrieval's URL. A URL's query may hold a token, which the
 * request, the answer and remarks repeat (threats.md case 47). Other secrets are removed elsewhere: commands are built
 * with `<password>`, maskResolution() masks plans, and errors hold no secrets.
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
