import { splitByScheme } from '../builtin.ts'
import type { Scheme } from '../scheme.ts'
import { readHost } from './host.ts'
import { formatLocator, malformed } from './locator.ts'

/**
 * The URI of an IRI (RFC 3987 3.1). Characters beyond ASCII become the escapes of their UTF-8 octets; `toAscii`
 * (`domainToASCII` of node:url) turns a host name into A-labels. A URI stays the same, except that unsafe characters
 * are escaped and its scheme is in lower case. Throws `malformed-url`, also if the host has no A-labels, since such an
 * IRI cannot be resolved.
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
