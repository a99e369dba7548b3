import type { NfsPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'

/** RFC 2224: `nfs://host:port/path`, by the public filehandle of WebNFS (RFC 2054, 2055). */
export const nfs: Scheme = {
  name: 'nfs',
  title: 'Network File System, as WebNFS',
  spec: 'RFC 2224',
  mechanism: 'nfs',
  defaultPort: 2049,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  // XDR frames everything, and the path is sent with its escapes, so no part is on a line.
  lineParts: [],
  reading: ([message = '']) => readCall(message),
  resolve: nfsPlan,
}

/**
 * Makes the plan. The path is relative to the public filehandle, or absolute if it begins with a second slash. It is
 * sent with its escapes (RFC 2054 6.1), so that `%2f` is a slash within a name.
 */
function nfsPlan({ urlPath }: Locator, place: Place): NfsPlan {
  const path = urlPath ?? ''
  if (path.includes('%00')) place.fail('a name cannot hold an encoded NUL', 'urlPath')
  const { host, port } = place
  const plan = path === '' ? '.' : path
  return { mechanism: 'nfs', host, port, tls: 'none', path: plan, wire: [lookupOf(plan), calls], unknown }
}

const calls = '<calls>'
const unknown = { [calls]: 'the calls that read what was found: they name it by the filehandle of the answer' }

/**
 * The first message: a record (RFC 5531 11) with call 1. It calls LOOKUP, procedure 3 of program 100003 version 3,
 * without authentication; the arguments are the public filehandle, which is empty, and the path.
 */
function lookupOf(path: string): string {
  // A slash at the end only says that the path is a directory; it is no part of the name.
  const name = path.replace(/([^/])\/+$/, '$1')
  const numbers = [1, 0, 2, 100_003, 3, 3, 0, 0, 0, 0, 0, name.length]
  const call = `${numbers.map(word).join('')}${name}${'\0'.repeat(-name.length & 3)}`
  return word(0x8000_0000 + call.length) + call
}

/** An unsigned integer of XDR (RFC 4506 4.2). */
function word(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
}

/** Lines of hexadecimal octets that lookupOf() made, with their meaning. */
function readCall(message: string): string[] {
  const octets = [...message].map((octet) => octet.charCodeAt(0).toString(16).padStart(2, '0'))
  const word = (at: number): string => octets.slice(at * 4, at * 4 + 4).join('')
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => word(from + index)).join(' ')
  return [
    `${word(0)} (record of ${message.length - 4} octets, in one fragment)`,
    `${words(1, 4)} (call 1 of RPC version 2)`,
    `${words(4, 7)} (NFS version 3, LOOKUP)`,
    `${words(7, 11)} (no authentication, no verifier)`,
    `${word(11)} (the public filehandle) ${word(12)} ${octets.slice(52).join('')} (the path, padded)`,
  ]
}
