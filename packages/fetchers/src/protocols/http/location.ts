import { encodeOctets } from '@retriever/core'
import type { Redirect, RetrievalContext } from '../../contract/fetcher.ts'
import type { ResponseHead } from './response.ts'

/**
 * Returns the target of a redirect as a URL reference. Null if the response has none, or an empty one, which curl does
 * not follow either. If there are several fields, the first one counts, as in browsers.
 */
export function locationOf(
  head: ResponseHead,
  { emit, url }: RetrievalContext,
): Pick<Redirect, 'location' | 'shown'> | null {
  const values = head.asSent.flatMap(([name, value]) => (name.toLowerCase() === 'location' ? [value] : []))
  const [first] = values
  if (first === undefined) return null
  if (values.some((value) => value !== first)) {
    emit({ type: 'remark', url, message: `The server sent ${values.length} Location fields; the first one counts.` })
  }
  return first === '' ? null : { location: asReference(first), shown: asReference(head.hide(first)) }
}

/**
 * Reads a Location as browsers do (WHATWG URL 4.4). A backslash before the query is a slash. Octets beyond ASCII are
 * percent-encoded as octets, since the server will look for those that it wrote. A % that begins no escape is encoded,
 * too.
 */
function asReference(location: string): string {
  const octets = location.replace(/[\x80-\xFF]/g, (octet) => encodeOctets(octet)).replace(/%(?![\dA-F]{2})/gi, '%25')
  const isOther = /^[a-z][a-z0-9+.-]*:/i.test(octets) && !/^https?:/i.test(octets)
  const end = octets.search(/[?#]/)
  const path = end < 0 ? octets : octets.slice(0, end)
  return isOther ? octets : path.replaceAll('\\', '/') + octets.slice(path.length)
}
