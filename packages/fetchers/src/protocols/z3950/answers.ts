import { BerError } from '../../wire/framing/ber.ts'
import { type BerNode, context, universal } from '../../wire/framing/ber-tree.ts'
import { type Diagnostic, readDiagnostic } from './diagnostics.ts'

/** The tags of the messages (Z39.50-1995 4.1). */
export const pdus: Readonly<Record<'init' | 'search' | 'present' | 'accessControl' | 'segment' | 'close', number>> = {
  init: context(21),
  search: context(23),
  present: context(25),
  accessControl: context(28),
  segment: context(45),
  close: context(48),
}

/** A record as a server sends it. */
export interface ReceivedRecord {
  /** The database it is from, one octet a character. Null: the server does not tell. */
  readonly database: string | null
  /** The OID of its syntax. */
  readonly syntax: string
  /** The octets of an octet-aligned record; for any other record, those of its ASN.1. */
  readonly octets: Uint8Array
  /** The record of a syntax of ASN.1 (SUTRS, GRS-1, OPAC). Undefined: the record is octets. */
  readonly tree: BerNode | undefined
}

/** One place of the answer: a record, what the server says instead, or a piece of a long record. */
export type Item =
  | { readonly kind: 'record'; readonly record: ReceivedRecord }
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic }
  | {
      readonly kind: 'fragment'
      readonly part: 'first' | 'middle' | 'last'
      /** The OID of the record's syntax, if the fragment names it. Otherwise the fragments are those of an EXTERNAL. */
      readonly syntax: string | null
      readonly octets: Uint8Array
    }

/** The answer to the Init request (3.2.1). */
export interface InitAnswer {
  readonly isAccepted: boolean
  /** The server's own name, one octet a character. */
  readonly implementation: string
  /** Why the server refuses. Null: it gives no reason. */
  readonly diagnostic: Diagnostic | null
  /** The server's words in place of a diagnostic, one octet a character. "" if there are none. */
  readonly words: string
}

export function readInit(message: BerNode): InitAnswer {
  const name = [111, 112].flatMap((tag) => message.child(context(tag)) ?? []).map((node) => latin1(node.octets()))
  const information = message.child(context(11))
  return {
    isAccepted: message.needed(context(12), 'the result of the Init').boolean(),
    implementation: name.join(' ').trim(),
    diagnostic: readUserInformation(information),
    words: information === undefined ? '' : wordsIn(information),
  }
}

/** Reads the text in userInformationField, an EXTERNAL: a string of ASN.1, or octets. */
function wordsIn(node: BerNode): string {
  for (const child of node.children ?? []) {
    const isText = child.children === undefined && textTags.has(child.tag)
    const words = isText ? latin1(child.octets()) : wordsIn(child)
    if (words !== '') return words
  }
  return ''
}

const textTags: ReadonlySet<number> = new Set([
  universal.octetString,
  universal.visibleString,
  universal.generalString,
  context(1),
])

/** Reads the diagnostic in userInformationField: an EXTERNAL with DiagnosticFormat, perhaps within another one. */
function readUserInformation(field: BerNode | undefined): Diagnostic | null {
  const found = field === undefined ? undefined : findDefaultDiagnostic(field)
  return found === undefined ? null : readDiagnostic(found)
}

function findDefaultDiagnostic(node: BerNode): BerNode | undefined {
  const [set, condition] = node.children ?? []
  if (set?.tag === universal.oid && condition?.tag === universal.integer) return node
  for (const child of node.children ?? []) {
    const found = findDefaultDiagnostic(child)
    if (found !== undefined) return found
  }
  return undefined
}

/** The answer to a search (3.2.2). */
export interface SearchAnswer {
  readonly hits: number
  readonly isDone: boolean
  readonly diagnostic: Diagnostic | null
}

export function readSearch(message: BerNode): SearchAnswer {
  return {
    hits: message.needed(context(23), 'the number of hits').integer(),
    isDone: message.needed(context(22), 'the status of the search').boolean(),
    diagnostic: readFailure(message),
  }
}

/** Reads the diagnostic of a whole answer, which replaces its records. */
export function readFailure(message: BerNode): Diagnostic | null {
  const one = message.child(context(130))
  if (one !== undefined) return readDiagnostic(one)
  const [first] = message.child(context(205))?.children ?? []
  return first === undefined ? null : readDiagnostic(first)
}

/** Reads the records of a Present answer ([28]), or of a segment of it ([0]). */
export function readItems(message: BerNode): Item[] {
  const list = message.child(message.tag === pdus.segment ? context(0) : context(28))
  return (list?.children ?? []).map(readItem)
}

/** Reads NamePlusRecord: `[0]` is the database, `[1]` the record, a diagnostic, or a fragment. */
function readItem(node: BerNode): Item {
  const database = node.child(context(0))
  const [record] = node.needed(context(1), 'a record').children ?? []
  const [inner] = record?.children ?? []
  switch (record?.tag) {
    case context(1):
      if (inner?.tag !== universal.external) throw new BerError('a record is no EXTERNAL')
      return { kind: 'record', record: readExternal(inner, database === undefined ? null : latin1(database.octets())) }
    case context(2):
      return { kind: 'diagnostic', diagnostic: readDiagnostic(inner ?? record) }
    case context(3):
      return readFragment(record, 'first')
    case context(4):
      return readFragment(record, 'middle')
    case context(5):
      return readFragment(record, 'last')
    default:
      throw new BerError('a record is of no known kind')
  }
}

/** Reads FragmentSyntax: an EXTERNAL, or an OCTET STRING. */
function readFragment(node: BerNode, part: 'first' | 'middle' | 'last'): Item {
  const external = node.child(universal.external)
  if (external === undefined) return { kind: 'fragment', part, syntax: null, octets: node.octets() }
  const { syntax, octets } = readExternal(external, null)
  return { kind: 'fragment', part, syntax, octets }
}

/** Reads an EXTERNAL (X.690 8.18). RFC 1729 allows only direct references. */
export function readExternal(external: BerNode, database: string | null): ReceivedRecord {
  const syntax = external.needed(universal.oid, 'the syntax of a record').oid()
  const [tree] = external.child(context(0))?.children ?? []
  if (tree !== undefined) return { database, syntax, octets: tree.contents, tree }
  const aligned = external.child(context(1)) ?? external.needed(context(2), 'the octets of a record')
  return { database, syntax, octets: aligned.octets(), tree: undefined }
}

/** Reads the reason of a Close (3.2.11.1.1), and the server's words. */
export function readClose(message: BerNode): { readonly reason: number; readonly words: string } {
  const words = message.child(context(3))
  return {
    reason: message.child(context(211))?.integer() ?? 0,
    words: words === undefined ? '' : latin1(words.octets()),
  }
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}
