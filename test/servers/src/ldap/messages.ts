import { element, integer, octetString } from './ber.ts'
import { type DirectoryEntry, operational } from './directory.ts'

/** The tags of the operations (RFC 4511 4.2 to 4.14). */
export const operations = {
  bind: 0x60,
  bindAnswer: 0x61,
  unbind: 0x42,
  search: 0x63,
  entry: 0x64,
  done: 0x65,
  reference: 0x73,
  abandon: 0x50,
  extended: 0x77,
  extendedAnswer: 0x78,
} as const

export const startTlsName = '1.3.6.1.4.1.1466.20037'

const disconnectionName = '1.3.6.1.4.1.1466.20036'

export function message(id: number, operation: Buffer, ...controls: readonly Buffer[]): Buffer {
  const list = controls.length === 0 ? [] : [element(0xa0, ...controls)]
  return element(0x30, integer(id), operation, ...list)
}

/** The control of a page (RFC 2696). The cookie says where the next page begins; it is empty if there is none. */
export function pageControl(cookie: string): Buffer {
  const value = element(0x30, integer(0), octetString(cookie))
  return element(0x30, octetString(pagedResultsName), octetString(value))
}

export const pagedResultsName = '1.2.840.113556.1.4.319'

/** An LDAPResult with its tag: a code, the matched DN, the server's words, and the URLs of referrals. */
export function result(tag: number, code: number, words = '', referrals: readonly string[] = []): Buffer {
  const urls = referrals.length === 0 ? [] : [element(0xa3, ...referrals.map((url) => octetString(url)))]
  return element(tag, integer(code, 0x0a), octetString(''), octetString(words), ...urls)
}

/** The server's notice that it will close the connection (RFC 4511 4.4.1). */
export function disconnection(words: string): Buffer {
  const fields = [integer(52, 0x0a), octetString(''), octetString(words), octetString(disconnectionName, 0x8a)]
  return message(0, element(operations.extendedAnswer, ...fields))
}

/**
 * An entry with the requested attributes: nothing or `*` asks for those of users, `+` for the others, `1.1` for none.
 */
export function entryMessage(
  id: number,
  entry: DirectoryEntry,
  requested: readonly string[],
  typesOnly = false,
): Buffer {
  const names = requested.map((name) => name.toLowerCase())
  const attributes = Object.entries(entry.attributes).filter(([name]) => isRequested(name.toLowerCase(), names))
  const list = attributes.map(([name, values]) => {
    const octets = typesOnly ? [] : values.map((value) => octetString(Buffer.from(value)))
    return element(0x30, octetString(name), element(0x31, ...octets))
  })
  return message(id, element(operations.entry, octetString(entry.dn), element(0x30, ...list)))
}

function isRequested(name: string, requested: readonly string[]): boolean {
  if (requested.some((each) => name === each || name.startsWith(`${each};`))) return true
  return requested.includes(operational.has(name) ? '+' : '*') || (requested.length === 0 && !operational.has(name))
}
