import type { DataPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2397: `data:[<mediatype>][;base64],<data>`. The data is in the URL; nothing is contacted. */
export const data: Scheme = {
  name: 'data',
  title: 'Data within the URL',
  spec: 'RFC 2397',
  mechanism: 'data',
  defaultPort: null,
  tls: 'none',
  host: 'none',
  userinfo: 'forbidden',
  query: false,
  lineParts: [],
  // A picture in a page fits in this, a film does not.
  maxLength: 8 * 1024 * 1024,
  resolve: dataPlan,
}

function dataPlan({ urlPath }: Locator, place: Place): DataPlan {
  const text = urlPath ?? ''
  const comma = text.indexOf(',')
  if (comma === -1) return place.fail('a comma must stand before the data, as in data:,text', 'urlPath')
  const head = text.slice(0, comma)
  // Blanks may stand around the word (Fetch Standard 6). They are unsafe characters, and so are already escaped.
  const word = /;(?:%20)*base64(?:%20)*$/i.exec(head)
  const base64 = word !== null
  const type = decodeOctets(base64 ? head.slice(0, word.index) : head)
  const octets = decodeOctets(text.slice(comma + 1))
  const decoded = base64 ? decodeBase64(octets) : octets
  if (decoded === undefined) return place.fail('the data behind ;base64, is no Base64', 'urlPath')
  // RFC 2397 3: a URL without a type means text/plain;charset=US-ASCII; one with parameters alone means text/plain.
  const mediaType = type === '' ? 'text/plain;charset=US-ASCII' : type.startsWith(';') ? `text/plain${type}` : type
  // The type has the form type/subtype of RFC 2045 (RFC 2397 3), whose tokens have no control characters. None may
  // pass: other code puts the type into a header field.
  if (!/^[^/;,\0-\x20\x7F]+\/[^/;,\0-\x20\x7F]+(?:;[^\0-\x1F\x7F]*)?$/.test(mediaType)) {
    return place.fail('a media type has the form type/subtype, as in data:text/plain,text', 'urlPath')
  }
  return { mechanism: 'data', mediaType, size: decoded.length, octets: decoded, wire: [] }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The values of digits by their character codes. */
const values = new Uint8Array(128)
for (let value = 0; value < 64; value++) values[alphabet.charCodeAt(value)] = value

/** How many Base64 digits are decoded at once: one call takes all of them as arguments. */
const chunk = 16_384

/** Decodes Base64 (RFC 4648 4); ignores blanks and missing padding. Returns undefined for invalid Base64. */
function decodeBase64(text: string): string | undefined {
  const digits = text.replace(/[\t\n\f\r ]+/g, '').replace(/={0,2}$/, '')
  if (/[^A-Za-z0-9+/]/.test(digits) || digits.length % 4 === 1) return undefined
  let decoded = ''
  for (let at = 0; at < digits.length; at += chunk) decoded += decodeDigits(digits.slice(at, at + chunk))
  return decoded
}

/** Decodes six bits a digit, and drops bits that fill no octet. */
function decodeDigits(digits: string): string {
  const octets: number[] = []
  let bits = 0
  for (let at = 0; at < digits.length; at++) {
    bits = ((bits << 6) | (values[digits.charCodeAt(at)] ?? 0)) & 0xffff
    if (at % 4 !== 0) octets.push((bits >> (6 - 2 * (at % 4))) & 255)
  }
  return String.fromCharCode(...octets)
}
