import { type ErrorCode, octetsToText, printable, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { type BerNode, universal } from '../../wire/framing/ber-tree.ts'

/** What a server says of a failure (Z39.50 appendix ERR). */
export interface Diagnostic {
  /** The OID of the set that defines the condition. Bib-1 is 1.2.840.10003.4.1. */
  readonly set: string
  readonly condition: number
  /** The server's own words, one octet a character. */
  readonly words: string
}

/** The conditions of Bib-1 that a search or a record often meets. Others have only their number. */
const names: ReadonlyMap<number, string> = new Map([
  [1, 'permanent system error'],
  [2, 'temporary system error'],
  [3, 'unsupported search'],
  [4, 'all terms are words that are not indexed'],
  [12, 'too many records found'],
  [13, 'present request out of range'],
  [14, 'system error in presenting records'],
  [15, 'record not authorized to be sent intersystem'],
  [16, 'record exceeds preferred message size'],
  [17, 'record exceeds exceptional record size'],
  [22, 'unknown result set'],
  [23, 'this combination of databases is not supported'],
  [24, 'element set names are not supported'],
  [25, 'element set name is not valid for this database'],
  [27, 'the result set no longer exists'],
  [30, 'the result set does not exist'],
  [31, 'resources exhausted, no results'],
  [100, 'unspecified error'],
  [101, 'access control failure'],
  [106, 'no record syntax was agreed on'],
  [107, 'query type is not supported'],
  [108, 'malformed query'],
  [109, 'database unavailable'],
  [110, 'operator is not supported'],
  [111, 'too many databases'],
  [113, 'attribute type is not supported'],
  [114, 'use attribute is not supported'],
  [116, 'attribute value must be numeric'],
  [117, 'relation attribute is not supported'],
  [118, 'structure attribute is not supported'],
  [120, 'truncation attribute is not supported'],
  [121, 'attribute set is not supported'],
  [122, 'completeness attribute is not supported'],
  [123, 'combination of attributes is not supported'],
  [125, 'malformed search term'],
  [227, 'no data is available in the requested record syntax'],
  [235, 'the database does not exist'],
  [236, 'access to the database is denied'],
  [238, 'record is not available in the requested syntax'],
  [239, 'record syntax is not supported'],
  [1010, 'invalid user or password'],
  [1011, 'bad user or password'],
  [1014, 'the authentication system failed'],
])

const bib1 = '1.2.840.10003.4.1'

/** The conditions that have an error code of their own. The others are `server-refused`. */
const codes: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [15, 'access-denied'],
  [101, 'access-denied'],
  [109, 'not-found'],
  [235, 'not-found'],
  [236, 'access-denied'],
  [1010, 'access-denied'],
  [1011, 'access-denied'],
])

/** Whether another record syntax may help. */
export function isAboutSyntax({ set, condition }: Diagnostic): boolean {
  return set === bib1 && [14, 106, 227, 238, 239].includes(condition)
}

/** Whether other attributes may help: the server knows no such use attribute, structure or combination. */
export function isAboutAttributes({ set, condition }: Diagnostic): boolean {
  return set === bib1 && [113, 114, 116, 117, 118, 119, 121, 123].includes(condition)
}

/** Whether another element set, or none, may help. yaz-ztest answers 14 for the set F of its XML. */
export function isAboutElementSet({ set, condition }: Diagnostic): boolean {
  return set === bib1 && [14, 24, 25].includes(condition)
}

/** Reads the diagnostic in a DefaultDiagFormat, or in a DiagRec of any other form. Throws BerError. */
export function readDiagnostic(node: BerNode): Diagnostic {
  const [set, condition, words] = node.children ?? []
  if (set?.tag !== universal.oid || condition?.tag !== universal.integer) {
    // An EXTERNAL, such as the diagnostic format diag-1, begins with the OID of its form.
    return { set: set?.tag === universal.oid ? set.oid() : '', condition: 0, words: '' }
  }
  const text = words === undefined ? '' : Buffer.from(words.octets()).toString('latin1')
  return { set: set.oid(), condition: condition.integer(), words: text }
}

/** Shows the diagnostic to people, safe on a terminal: `109 database unavailable: Sales`. */
export function diagnosticWords({ set, condition, words }: Diagnostic): string {
  const name = set === bib1 ? names.get(condition) : `of ${set === '' ? 'an unknown set' : set}`
  const head = name === undefined ? String(condition) : `${condition} ${name}`
  const said = printable(octetsToText(words)).trim()
  const text = said === '' ? head : `${head}: ${said}`
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** Makes the error for an answer that is a diagnostic. `what` begins its message: `The server refused the search`. */
export function diagnosticError(context: RetrievalContext, what: string, diagnostic: Diagnostic): RetrievalError {
  const { set, condition } = diagnostic
  const code = (set === bib1 && codes.get(condition)) || 'server-refused'
  const reply = diagnosticWords(diagnostic)
  const isTransient = set === bib1 && (condition === 2 || condition === 1014)
  return context.error(code, `${what}: ${reply}`, { reply, transient: isTransient })
}
