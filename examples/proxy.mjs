// What the two proxies share: a client for URLs that strangers give, and the status for each of its errors.
import { createClient } from '@retriever/fetchers'

/** A client that reaches public addresses only, so that no URL leads into the network of this machine. */
export function publicClient(options = {}) {
  return createClient({
    policy: { publicOnly: true, schemes: ['http', 'https', 'ftp', 'gopher'] },
    limits: { maxSize: 50 * 1024 * 1024, totalTimeout: 60_000, maxRedirects: 5 },
    ...options,
  })
}

const statuses = {
  'malformed-url': 400,
  'unknown-scheme': 400,
  'no-fetcher': 400,
  'invalid-option': 400,
  refused: 403,
  'not-found': 404,
  'limit-exceeded': 413,
  timeout: 504,
}

/** The HTTP status for an error of the client. */
export function statusOf(error) {
  return statuses[error.code] ?? 502
}

/** The header fields of an answer. A stranger's page must not run as a page of this server. */
export function fieldsOf({ mediaType, charset, size }) {
  const type = mediaType ?? 'application/octet-stream'
  return {
    'content-type': charset === null ? type : `${type};charset=${charset}`,
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    ...(size !== null && { 'content-length': String(size) }),
  }
}
