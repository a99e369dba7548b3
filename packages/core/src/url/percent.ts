/**
 * Octets are kept as strings with one character an octet (U+0000 to U+00FF), so that code can compare, split and show
 * them without a buffer. `%XX` is decoded exactly once, after splitting (RFC 1738 2.2, RFC 3986 2.4).
 */

const beyondAscii = /[^\0-\x7F]/
const badEscape = /%(?![0-9A-Fa-f]{2})/

/** The offset of the first `%` without two hex digits behind it, or -1. */
export function findBadEscape(text: string): number {
  return text.search(badEscape)
}

/**
 * Decodes `%XX` once; a `%` without two hex digits stays. Characters beyond ASCII become their UTF-8 octets (RFC 3987
 * 3.1).
 */
export function decodeOctets(text: string): string {
  return decodeEscapes(utf8Octets(text))
}

/** How many octets become a string at once: one call takes all of them as arguments. */
const chunk = 8192

function decodeEscapes(text: string): string {
  const first = text.indexOf('%')
  if (first === -1) return text
  return text.length < chunk ? decodeShort(text, first) : decodeLong(text)
}

function decodeShort(text: string, first: number): string {
  let decoded = ''
  let done = 0
  for (let at = first; at !== -1; at = text.indexOf('%', at)) {
    const octet = escapedOctet(text, at)
    if (Number.isNaN(octet)) at++
    else {
      decoded += text.slice(done, at) + String.fromCharCode(octet)
      at += 3
      done = at
    }
  }
  return decoded + text.slice(done)
}

/** Joins strings pairwise, since a chain of sums takes ten times the memory for megabytes of data. */
function decodeLong(text: string): string {
  let decoded = ''
  let octets: number[] = []
  for (let at = 0; at < text.length; at++) {
    let octet = text.charCodeAt(at)
    const value = octet === 37 ? escapedOctet(text, at) : Number.NaN
    if (!Number.isNaN(value)) {
      octet = value
      at += 2
    }
    if (octets.push(octet) < chunk) continue
    decoded += String.fromCharCode(...octets)
    octets = []
  }
  return decoded + String.fromCharCode(...octets)
}

/** The octet that the escape at this `%` stands for; NaN if it is no escape. */
function escapedOctet(text: string, at: number): number {
  return hexValue(text.charCodeAt(at + 1)) * 16 + hexValue(text.charCodeAt(at + 2))
}

function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN
}

/** The UTF-8 octets of a text. Lone surrogates become U+FFFD. */
export function utf8Octets(text: string): string {
  return beyondAscii.test(text) ? decodeEscapes(encodeURIComponent(wellFormed(text))) : text
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD')
}

/** Octets as text for people: read as UTF-8 if they are valid UTF-8, else as Latin-1. */
export function octetsToText(octets: string): string {
  if (/^[\0-\x7F]*$/.test(octets)) return octets
  try {
    return decodeURIComponent(octets.replace(/[%\x80-\xFF]/g, hexEscape))
  } catch {
    return octets
  }
}

/**
 * Octets for people who must know exactly which they are. UTF-8 is shown as text. Otherwise octets beyond ASCII are
 * shown as `%XX`, since nothing says which characters they mean (RFC 3986 2.5).
 */
export function octetsToShow(octets: string): string {
  const text = octetsToText(octets)
  return text === octets && beyondAscii.test(octets) ? octets.replace(/[%\x80-\xFF]/g, hexEscape) : text
}

/** Escapes all characters but those that RFC 1738 and RFC 3986 both leave unescaped, and those that `keep` lists. */
export function encodeOctets(octets: string, keep = ''): string {
  return octets.replace(/[^A-Za-z0-9_.-]/g, (octet) => (keep.includes(octet) ? octet : hexEscape(octet)))
}

/**
 * The "unsafe" characters of RFC 1738 2.2: space, quotes, delimiters, and everything beyond ASCII. Without `~`, which
 * RFC 3986 made safe, `%`, which begins an escape, and `#`, which has already ended the URL.
 */
const unsafe = /[ "<>{}|\\^`[\]]|[^\0-\x7F]/

/** The offset of the first unsafe character, or -1. */
export function findUnsafe(text: string): number {
  return text.search(unsafe)
}

/**
 * Escapes unsafe characters; text without any comes back unchanged. In text without controls, encodeURI escapes the
 * same characters and also `%`, which it turns into `%25`.
 */
export function encodeUnsafe(text: string): string {
  return findUnsafe(text) === -1 ? text : encodeURI(wellFormed(text)).replaceAll('%25', '%')
}

/** The escapes of all octets, made once: making each one when it is needed takes three times as long. */
const escapes: readonly string[] = /* @__PURE__ */ Array.from(
  { length: 256 },
  (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`,
)

function hexEscape(octet: string): string {
  return escapes[octet.charCodeAt(0)] as string
}
