import type { BerReader } from 'ldapts'
import { BerError } from '../wire/framing/ber.ts'
import type { Ldapts } from './library.ts'

/** An attribute of an entry, with the octets of its values. */
export interface Attribute {
  /** The attribute description: `cn`, `userCertificate;binary`, `2.5.4.3`. */
  readonly type: string
  readonly values: readonly Uint8Array[]
}

/** The outcome of an operation (RFC 4511 4.1.9). */
export interface LdapResult {
  readonly code: number
  /** The server's own words, in UTF-8; often empty. */
  readonly words: Uint8Array
  /** The URLs that a referral names. */
  readonly referrals: readonly string[]
}

/** A message of the server, as far as a search needs it. */
export type Answer = { readonly id: number } & (
  | { readonly kind: 'entry'; readonly dn: Uint8Array; readonly attributes: readonly Attribute[] }
  /** Where the search could be continued (RFC 4511 4.5.3). One octet a character. */
  | { readonly kind: 'reference'; readonly urls: readonly string[] }
  | {
      readonly kind: 'result'
      readonly of: 'bind' | 'search' | 'extended'
      readonly result: LdapResult
      /** The object identifier of an extended response (RFC 4511 4.12). */
      readonly name: string | null
    }
)

export const operations = { entry: 0x64, reference: 0x73, searchDone: 0x65, bind: 0x61, extended: 0x78 } as const

const sequence = 0x30
const set = 0x31
const octetString = 0x04
/** The context-specific tags of LDAPResult.referral, and of an extended response's responseName. */
const referral = 0xa3
const responseName = 0x8a

/** An attribute description (RFC 4512 2.5), with the `_` and `=` that some servers have in it. */
const description = /^[A-Za-z0-9][A-Za-z0-9.;_=-]*$/
/** Words that begin a line of LDIF which is no attribute (RFC 2849), and would make a change out of an entry. */
const reserved = /^(?:dn|changetype|control|version|changes)$/i

/** Reads a message, whose elements the MessageReader has checked. Throws BerError for anything but an answer. */
export function readAnswer({ BerReader }: Ldapts, message: Uint8Array): Answer {
  const reader = new BerReader(Buffer.from(message.buffer, message.byteOffset, message.length))
  try {
    reader.readSequence(sequence)
    const id = needed(reader.readInt())
    const operation = needed(reader.readSequence())
    const end = reader.offset + reader.length
    const answer = readOperation(reader, operation, end)
    if (reader.offset > end) throw new BerError('an answer is longer than its place')
    return { id, ...answer }
  } catch (error) {
    throw error instanceof BerError ? error : new BerError(error instanceof Error ? error.message : String(error))
  }
}

type Operation = Answer extends infer Each ? (Each extends Answer ? Omit<Each, 'id'> : never) : never

function readOperation(reader: BerReader, operation: number, end: number): Operation {
  switch (operation) {
    case operations.entry:
      return readEntry(reader)
    case operations.reference:
      return { kind: 'reference', urls: readUrls(reader, end) }
    case operations.bind:
    case operations.searchDone:
    case operations.extended:
      return readResult(reader, operation, end)
    default:
      throw new BerError(`it has the operation 0x${operation.toString(16)}, which answers nothing that was asked`)
  }
}

function readEntry(reader: BerReader): Operation {
  const dn = octetsOf(reader)
  reader.readSequence(sequence)
  const end = reader.offset + reader.length
  const attributes: Attribute[] = []
  while (reader.offset < end) {
    reader.readSequence(sequence)
    const type = latin1(octetsOf(reader))
    if (!description.test(type) || reserved.test(type)) throw new BerError('an attribute has a name that none can have')
    reader.readSequence(set)
    const last = reader.offset + reader.length
    const values: Uint8Array[] = []
    while (reader.offset < last) values.push(octetsOf(reader))
    attributes.push({ type, values })
  }
  return { kind: 'entry', dn, attributes }
}

function readResult(
  reader: BerReader,
  operation: (typeof operations)['bind' | 'searchDone' | 'extended'],
  end: number,
): Operation {
  const code = needed(reader.readEnumeration())
  // The name of the entry up to which the server followed the DN.
  octetsOf(reader)
  const words = octetsOf(reader)
  let referrals: readonly string[] = []
  if (reader.offset < end && reader.peek() === referral) {
    reader.readSequence(referral)
    referrals = readUrls(reader, reader.offset + reader.length)
  }
  const isNamed = operation === operations.extended && reader.offset < end && reader.peek() === responseName
  const name = isNamed ? latin1(octetsOf(reader, responseName)) : null
  const of = operation === operations.bind ? 'bind' : operation === operations.extended ? 'extended' : 'search'
  return { kind: 'result', of, result: { code, words, referrals }, name }
}

function readUrls(reader: BerReader, end: number): string[] {
  const urls: string[] = []
  while (reader.offset < end) urls.push(latin1(octetsOf(reader)))
  return urls
}

function octetsOf(reader: BerReader, tag: number = octetString): Uint8Array {
  return needed(reader.readString(tag, true))
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}

function needed<T>(value: T | null): T {
  if (value === null) throw new BerError('an answer ends too early')
  return value
}
