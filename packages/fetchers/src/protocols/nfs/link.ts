import { type AccessPlans, encodeOctets, resolveReference } from '@retriever/core'
import { authority } from '@retriever/core/internal'
import type { Redirect } from '../../contract/fetcher.ts'

/** A symbolic link on the way to a file. */
interface Link {
  /** The text of the link, one octet a character. */
  readonly text: string
  /** The canonical path of the link, and the rest of the URL's path after it. */
  readonly path: string
  readonly rest: string
  /**
   * Whether the text is a relative URL, as WebNFS has it (RFC 2224 6.2). Otherwise it is a path of the server's system,
   * in which `%` is an ordinary character.
   */
  readonly isUrl: boolean
}

/** Makes a redirect of a link: it means a relative URL (RFC 2224 6.2). Its status is the number of ftype3 for links. */
export function followLink(
  plan: AccessPlans['nfs'],
  { text, path, rest, isUrl }: Link,
  peerAddress: string | undefined,
): Redirect {
  const at = `nfs://${authority({ host: plan.host.replace('%', '%25'), port: plan.port }, 2049)}/${path}`
  const to = resolveReference(`${referenceOf(text, isUrl)}${rest === '' ? '' : `/${rest}`}`, at)
  return { outcome: 'redirect', location: to, status: 5, peerAddress }
}

function referenceOf(text: string, isUrl: boolean): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  // Two slashes would begin a host.
  const path = text.replace(/^\/+/, '/')
  if (!isUrl) return encodeOctets(path, '/')
  return path.replace(/%[\da-f]{2}|[^/]/gi, (part) => (part.length === 3 ? part : encodeOctets(part)))
}
