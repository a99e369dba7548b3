import { type RetrievalError, redact } from '@retriever/core'

/** What an error says, without the URL at the beginning. */
export function messageWithoutUrl({ message, url }: RetrievalError): string {
  const shown = url === undefined ? '' : `${redact(url)}: `
  return message.startsWith(shown) ? message.slice(shown.length) : message
}
