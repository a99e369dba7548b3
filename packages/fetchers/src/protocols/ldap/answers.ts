import { pagedResults } from '@retriever/core/internal'
import { BerError, elementAt } from '../../wire/framing/ber.ts'

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

/** Those parts of a server's message that a search needs. */
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
      /** Where the next page begins (RFC 2696), one octet a character. Empty if there is no next page. */
      readonly cookie: string
    }
)

export const operations = { entry: 0x64, reference: 0x73, searchDone: 0x65, bind: 0x61, extended: 0x78 } as const

const boolean = 0x01
const integer = 0x02
const octetString = 0x04
const enumerated = 0x0a
const sequence = 0x30
const set = 0x31
/** The context-specific tag of the controls of a message (RFC 4511 4.1.1). */
const controls = 0xa0
/** The context-specific tags of LDAPResult.referral, and of an extended response's responseName. */
const referral = 0xa3
const responseName = 0x8a

/** Matches an attribute description (RFC 4512 2.5), and the `_` and `=` that some servers put into it. */
const description = /^[A-Za-z0-9][A-Za-z0-9.;_=-]*$/
/** Words that begin a line of LDIF which is no attribute (RFC 2849): they would turn an entry into a change. */
const reserved = /^(?:dn|changetype|control|version|changes)$/i

/** Reads a message, whose elements the MessageReader has checked. Throws BerError for anything but an answer. */
export function readAnswer(message: Uint8Array): Answer {
  const fields = new Elements(message).constructed(sequence)
  const id = fields.number(integer)
  const operation = fields.tag
  const answer = readOperation(fields.constructed(operation), operation)
  if (answer.kind !== 'result' || fields.tag !== controls) return { id, ...answer }
  return { id, ...answer, cookie: readCookie(fields.constructed(controls)) }
}

type Operation = Answer extends infer Each ? (Each extends Answer ? Omit<Each, 'id'> : never) : never

function readOperation(fields: Elements, operation: number | undefined): Operation {
  switch (operation) {
    case operations.entry:
      return readEntry(fields)
    case operations.reference:
      return { kind: 'reference', urls: readUrls(fields) }
    case operations.bind:
    case operations.searchDone:
    case operations.extended:
      return readResult(fields, operation)
    default:
      throw new BerError(`it has the operation 0x${operation?.toString(16)}, which answers nothing that was asked`)
  }
}

function readEntry(fields: Elements): Operation {
  const dn = fields.octets()
  const list = fields.constructed(sequence)
  const attributes: Attribute[] = []
  while (list.tag !== undefined) {
    const attribute = list.constructed(sequence)
    const type = latin1(attribute.octets())
    if (!description.test(type) || reserved.test(type)) throw new BerError('an attribute has a name that none can have')
    const octets = attribute.constructed(set)
    const values: Uint8Array[] = []
    while (octets.tag !== undefined) values.push(octets.octets())
    attributes.push({ type, values })
  }
  return { kind: 'entry', dn, attributes }
}

function readResult(fields: Elements, operation: (typeof operations)['bind' | 'searchDone' | 'extended']): Operation {
  const code = fields.number(enumerated)
  // The name of the entry up to which the server followed the DN.
  fields.octets()
  const words = fields.octets()
  const referrals = fields.tag === referral ? readUrls(fields.constructed(referral)) : []
  const isNamed = operation === operations.extended && fields.tag === responseName
  const name = isNamed ? latin1(fields.octets(responseName)) : null
  const of = operation === operations.bind ? 'bind' : operation === operations.extended ? 'extended' : 'search'
  return { kind: 'result', of, result: { code, words, referrals }, name, cookie: '' }
}

/** Reads the cookie in the control of a page (RFC 2696 2). Empty if there is no such control. */
function readCookie(list: Elements): string {
  while (list.tag !== undefined) {
    const control = list.constructed(sequence)
    const type = latin1(control.octets())
    if (type !== pagedResults) continue
    if (control.tag === boolean) control.octets(boolean)
    const value = control.constructed(octetString).constructed(sequence)
    // An estimate of how many entries there are.
    value.octets(integer)
    return latin1(value.octets())
  }
  return ''
}

function readUrls(fields: Elements): string[] {
  const urls: string[] = []
  while (fields.tag !== undefined) urls.push(latin1(fields.octets()))
  return urls
}

/** The elements in some octets, one after the other. */
class Elements {
  readonly #octets: Uint8Array
  #at = 0

  constructor(octets: Uint8Array) {
    this.#octets = octets
  }

  /** The tag of the next element. Undefined if there is none. */
  get tag(): number | undefined {
    return this.#octets[this.#at]
  }

  /** Reads the contents of the next element, which must have this tag. */
  octets(tag: number | undefined = octetString): Uint8Array {
    const element = elementAt(this.#octets, this.#at)
    if (element === undefined || element.tag !== tag) throw new BerError(wrongTag(element?.tag, tag))
    // The value of a control is a string, so nobody has checked its content.
    if (element.end > this.#octets.length) throw new BerError('an element is longer than its place')
    this.#at = element.end
    return this.#octets.subarray(element.start, element.end)
  }

  constructed(tag: number | undefined): Elements {
    return new Elements(this.octets(tag))
  }

  /** Reads a number of at most four octets (RFC 4511 4.1.1: maxInt). */
  number(tag: number): number {
    const octets = this.octets(tag)
    if (octets.length === 0 || octets.length > 4) throw new BerError(`a number has ${octets.length} octets`)
    return Buffer.from(octets.buffer, octets.byteOffset, octets.length).readIntBE(0, octets.length)
  }
}

function wrongTag(found: number | undefined, wanted: number | undefined): string {
  if (found === undefined) return 'an answer ends too early'
  return `an element has the tag 0x${found.toString(16)} instead of 0x${wanted?.toString(16)}`
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}
