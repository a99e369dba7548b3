import { berElement } from '../../../wire/ber.ts'
import { z3950Term } from '../pdus.ts'
import { readCcl } from './ccl.ts'
import { readPqf } from './pqf.ts'

/** A query as a tree: operands with the attributes of Bib-1, and the operators of type 1. */
export type Query =
  | { readonly kind: 'term'; readonly attributes: readonly Attribute[]; readonly term: string }
  | { readonly kind: Operator; readonly left: Query; readonly right: Query }

export type Operator = 'and' | 'or' | 'not'

/** Type and value: [1, 4] is the use attribute "title". A text is a value of version 3, which Zebra supports. */
export type Attribute = readonly [type: number, value: number | string]

/** A query that cannot be read. The message completes "The query is wrong at its character N: ...". */
export class QueryError extends Error {
  readonly offset: number

  constructor(offset: number, what: string) {
    super(what)
    this.offset = offset
  }
}

/** No person needs deeper nesting. */
export const maxQueryDepth = 64

/**
 * Reads a query, one octet a character: PQF (the prefix query format of YAZ) if it begins with `@`, else CCL (ISO
 * 8777). Throws QueryError.
 */
export function readQuery(text: string): Query {
  return /^\s*@/.test(text) ? readPqf(text) : readCcl(text)
}

const operators: Readonly<Record<Operator, string>> = { and: '\x80\0', or: '\x81\0', not: '\x82\0' }

/** The query as an RPNStructure of BER, one octet a character. */
export function rpnOf(query: Query): string {
  if (query.kind === 'term') return z3950Term(query.attributes, query.term)
  const operator = berElement('\xbf\x2e', operators[query.kind])
  return berElement('\xa1', rpnOf(query.left), rpnOf(query.right), operator)
}
