import { type RetrievalError, redact } from '@retriever/core'

/** The message of an error, without the URL at its beginning. */
export function messageWithoutUrl({ message, url }: RetrievalError): string {
  const shown = url === undefined ? '' : `${redact(url)}: `
  return message.startsWith(shown) ? message.slice(shown.length) : message
}
