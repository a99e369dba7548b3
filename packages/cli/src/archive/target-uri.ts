import { redact } from '@retriever/core'

/**
 * The URL under which an archive keeps what was retrieved: without a password, and with `***` for the values that are
 * secret. URLs of HTTP have the form that other tools write, without a user and a fragment.
 */
export function targetUri(url: string): string {
  // Neither a field of WARC nor a line of an index can hold these.
  const shown = redact(url).replace(/[\0- \x7F]/g, encodeURIComponent)
  if (!/^https?:/i.test(shown)) return shown
  try {
    const parsed = new URL(shown)
    parsed.hash = ''
    parsed.username = ''
    parsed.password = ''
    return parsed.href
  } catch {
    return shown
  }
}
