import { encodeOctets } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { ResponseHead } from './response.ts'

/**
 * Where a redirect leads, as a URL reference; null where it does not say: an empty one leads nowhere, as in curl. Of several fields the first counts, as in
 * browsers.
 */
export function locationOf(head: ResponseHead, { emit, url }: RetrievalContext): string | null {
  const values = head.asSent.flatMap(([name, value]) => (name.toLowerCase() === 'location' ? [value] : []))
  const [first] = values
  if (first === undefined) return null
  if (values.some((value) => value !== first)) {
    emit({ type: 'remark', url, message: `The server sent ${values.length} Location fields; the first one counts.` })
  }
  return first === '' ? null : asReference(first)
}

/**
 * As browsers read it (WHATWG URL 4.4): a backslash before the query is a slash, and octets beyond ASCII, which are
 * none of a URL, keep their values, since what the server wrote is what it is asked for next. A % that encodes
 * nothing stands for itself.
 */
function asReference(location: string): string {
  const octets = location.replace(/[\x80-\xFF]/g, (octet) => encodeOctets(octet)).replace(/%(?![\dA-F]{2})/gi, '%25')
  const isOther = /^[a-z][a-z0-9+.-]*:/i.test(octets) && !/^https?:/i.test(octets)
  const end = octets.search(/[?#]/)
  const path = end < 0 ? octets : octets.slice(0, end)
  return isOther ? octets : path.replaceAll('\\', '/') + octets.slice(path.length)
}
