import { splitByScheme } from '../resolve.ts'
import type { Scheme } from '../scheme.ts'
import { readHost } from './host.ts'
import { formatLocator, malformed } from './locator.ts'

/**
 * The URI of an IRI (RFC 3987 3.1): characters beyond ASCII become the escapes of their UTF-8 octets, a host name
 * becomes A-labels by `toAscii` (`domainToASCII` of node:url). A URI stays the same, except for unsafe characters, and
 * its scheme is in lower case. Throws `malformed-url`, also where the host has no A-labels: such an IRI cannot be
 * resolved.
 */
export function iriToUri(iri: string, toAscii: (name: string) => string, schemes?: readonly Scheme[]): string {
  const split = splitByScheme(iri, schemes)
  const { host } = split.locator
  if (host === null || /^[\0-\x7F]*$/.test(host)) return formatLocator(split.locator)
  const ascii = readHost(host, toAscii)
  if (ascii === undefined) {
    throw malformed(iri, 'its host name has no form in ASCII (RFC 5891)', [split.hostAt, split.hostEnd])
  }
  return formatLocator({ ...split.locator, host: ascii.name })
}
