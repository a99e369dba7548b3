/**
 * Reads and writes what the recordings have, apart from the code that is tested: by RFC 1625 alone, for messages of
 * which the recordings show that they are right. One octet a character.
 */

/** A tag, and its value. */
export type Field = readonly [tag: number, value: string]

/** A search: its words, or the part of a document. */
export type RecordedRequest =
  | { readonly kind: 'search'; readonly database: string; readonly words: string; readonly most: number }
  | {
      readonly kind: 'document'
      readonly database: string
      readonly docid: string
      readonly wtype: string
      readonly start: number
      readonly end: number
    }

/** The request of a packet; null: it is another one, or one that our client has no way to write. */
export function readRequest(packet: string): RecordedRequest | null {
  const request = /^\d{10}z2wais {8}0/.test(packet) ? readLoosely(packet) : null
  return request !== null && writeRequest(request) === packet ? request : null
}

/** The same of a packet that differs from those of freeWAIS's own client; without a range, it begins and ends at 0. */
export function readLoosely(packet: string): RecordedRequest | null {
  if (packet.charCodeAt(27) !== 22) return null
  const [head, tail] = partsOf(packet, 38)
  const database = fieldValue(head, 18) ?? ''
  const words = fieldValue(fieldsOf(fieldValue(tail, 99) ?? ''), 106)
  const most = fieldValue(fieldsOf(fieldValue(tail, 99) ?? ''), 114)
  if (words !== undefined && most !== undefined) return { kind: 'search', database, words, most: numberOf(most) }
  const [docid, wtype, start = '0', end = '0'] = fieldsOf(fieldValue(tail, 21) ?? '')
    .filter(([tag]) => tag === 45)
    .map(([, value]) => value)
  if (docid === undefined || wtype === undefined) return null
  return { kind: 'document', database, docid, wtype, start: Number(start), end: Number(end) }
}

/** The octets that freeWAIS's own client sends for a request. */
export function writeRequest(request: RecordedRequest): string {
  const { kind, database } = request
  if (kind === 'search') {
    const head = `\x16\0\0\x1e\0\x13\x88\0\0\x1e\x01${field(17, '')}${field(18, database)}${field(20, '3')}`
    const most = request.most > 255 ? String.fromCharCode(request.most >> 8, request.most & 255) : undefined
    const asked = field(114, most ?? String.fromCharCode(request.most))
    return packetOf(head, field(99, field(106, request.words) + field(111, '\x01') + asked))
  }
  const names = `${field(19, ' \x1fDocument Text')}${field(2, '3')}`
  const head = `\x16\0\0\x0a\0\0\x10\0\0\x0f\x01${field(17, 'FOO')}${field(18, database)}${field(20, '1')}${names}`
  const terms = [
    ['un re', request.docid],
    ['wt re', request.wtype],
    ['wb ro', String(request.start)],
    ['wb rl', String(request.end)],
  ].map(([use, value], at) => field(44, `${use} ig ig ig ig`) + field(45, value ?? '') + (at > 0 ? field(46, 'a') : ''))
  return packetOf(head, field(21, terms.join('')))
}

/** What an answer has: documents as their fields, the texts, and the words of diagnostics behind their codes. */
export interface RecordedAnswer {
  readonly documents: readonly (readonly Field[])[]
  readonly texts: readonly string[]
  readonly diagnostics: readonly string[]
}

/** The records of an answer; null: it is none to a search. */
export function readRecordedAnswer(packet: string | null): RecordedAnswer | null {
  if (packet === null || packet.charCodeAt(27) !== 23) return null
  const [, tail] = partsOf(packet, 38)
  const records = fieldsOf(fieldValue(tail, 99) ?? '')
  return {
    documents: records.filter(([tag]) => tag === 150).map(([, value]) => fieldsOf(value)),
    texts: records.filter(([tag]) => tag === 153).map(([, value]) => fieldValue(fieldsOf(value), 127) ?? ''),
    diagnostics: records.filter(([tag]) => tag === 28).map(([, value]) => `${value.slice(0, 2)} ${value.slice(2, -1)}`),
  }
}

/** The fields up to the user information, and those behind. `fixed`: where the first field begins. */
function partsOf(packet: string, fixed: number): [head: Field[], tail: Field[]] {
  const end = 27 + packet.charCodeAt(25) * 256 + packet.charCodeAt(26)
  return [fieldsOf(packet.slice(fixed, end)), fieldsOf(packet.slice(end))]
}

export function fieldValue(fields: readonly Field[], tag: number): string | undefined {
  return fields.find(([each]) => each === tag)?.[1]
}

export function numberOf(octets: string): number {
  return [...octets].reduce((sum, octet) => sum * 256 + octet.charCodeAt(0), 0)
}

export function fieldsOf(octets: string): Field[] {
  const fields: Field[] = []
  let at = 0
  const number = (): number => {
    for (let value = 0; ; ) {
      const octet = octets.charCodeAt(at++)
      value = value * 128 + (octet & 127)
      if (!(octet & 128)) return value
    }
  }
  while (at < octets.length) {
    const tag = number()
    // The length of a diagnostic has two octets, and leaves out the octet 1D at its end.
    const length = tag === 28 ? numberOf(octets.slice(at, at + 2)) : number()
    if (tag === 28) at += 2
    fields.push([tag, octets.slice(at, at + length)])
    at += length
    if (tag === 28 && octets[at] === '\x1d') at++
  }
  return fields
}

export function field(tag: number, value: string): string {
  return compressed(tag) + compressed(value.length) + value
}

function compressed(value: number): string {
  let octets = String.fromCharCode(value & 127)
  for (let rest = value >> 7; rest > 0; rest >>= 7) octets = String.fromCharCode(128 | (rest & 127)) + octets
  return octets
}

function packetOf(head: string, tail: string): string {
  const apdu = `${String.fromCharCode(head.length >> 8, head.length & 255)}${head}${tail}`
  return `${String(apdu.length).padStart(10, '0')}z2wais        0${apdu}`
}
