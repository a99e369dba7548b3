import type { Z3950Plan } from '../../plan.ts'
import { type Place, type Scheme, variant } from '../../scheme.ts'
import type { Locator } from '../../url/locator.ts'
import { decodeOctets } from '../../url/percent.ts'
import { berOid, berReading } from '../../wire/ber.ts'
import { z3950DocidQuery, z3950Init, z3950Present, z3950Search } from './pdus.ts'
import { QueryError, readQuery, rpnOf } from './query/query.ts'
import { z3950SyntaxOid } from './syntaxes.ts'

/** RFC 2056 4: `z39.50r://host:port/db+db?docid;esn=elements;rs=syntax+syntax`: one record. */
export const z3950r: Scheme = {
  name: 'z39.50r',
  title: 'Z39.50 record',
  spec: 'RFC 2056 4',
  mechanism: 'z3950',
  defaultPort: 210,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  // A ; may follow the ?, so z3950Plan() splits the path itself.
  query: false,
  // BER frames everything, but the URL decides octets that a server of another protocol would read as lines.
  lineParts: ['urlPath'],
  resolve: (locator, place) => z3950Plan(locator, place, 'retrieval'),
  reading: (wire) =>
    wire.flatMap((message, at) => (message === records ? [] : [`${readings[at]}: ${berReading(message)}`])),
}

/** RFC 2056 3: an interactive session. With `;query=`, an extension, the URL means the list of the records found. */
export const z3950s: Scheme = /* @__PURE__ */ variant(z3950r, {
  name: 'z39.50s',
  title: 'Z39.50 session',
  spec: 'RFC 2056 3',
  handoff: true,
  isData: (plan) => plan.mechanism === 'z3950' && plan.operation === 'search',
  resolve: (locator, place) => z3950Plan(locator, place, 'session'),
})

/** RFC 1738 reserved the name, and nobody defined it. */
export const z3950: Scheme = /* @__PURE__ */ variant(z3950s, {
  name: 'z39.50',
  spec: 'RFC 1738 5 (reserved)',
  deprecated: 'z39.50 was reserved and never defined; it is read as z39.50s, a session.',
})

/** The record syntax for a URL that names none: most catalogues have it. */
const usmarc = '1.2.840.10003.5.10'

/** The element set for a URL that names none: the full record. */
const full = 'F'

/** What the messages of a retrieval mean. */
const readings = [
  'InitializeRequest, 83 versions 1 to 3, 84 search and present, 85 and 86 messages of up to 1 MiB',
  'SearchRequest, 9f69 the database, bf2c attributes of Bib-1 (0408 is 1032, Doc-id; 68 is 104, URx), 9f2d a term',
  'PresentRequest, 9e record 1, 9d one record, b3 the element set, 9f68 the record syntax',
]

function z3950Plan({ urlPath }: Locator, place: Place, kind: 'session' | 'retrieval'): Z3950Plan {
  const [path = '', ...keywords] = (urlPath ?? '').split(';')
  const [list = '', docid] = path.split(/\?(.*)/s)
  const databases = list.split('+').filter(Boolean).map(decodeOctets)
  if (docid !== undefined && databases.length === 0)
    place.fail('a database must stand before the document-id', 'urlPath')
  if (kind === 'retrieval' && !docid) {
    place.fail('a record needs a database and a document-id, as in z39.50r://host/db?id', 'urlPath')
  }
  const values = new Map(keywords.map((keyword) => readKeyword(keyword, place)))
  const query = kind === 'session' ? (values.get('query') ?? null) : null
  if (query !== null && (databases.length === 0 || docid !== undefined)) {
    place.fail('a query needs a database, and no document-id, as in z39.50s://host/db;query=words', 'urlPath')
  }
  const record = values.get('record')
  if (record !== undefined && (query === null || !/^[1-9]\d{0,8}$/.test(record))) {
    place.fail('a record has a number from 1 up, and a query, as in z39.50s://host/db;query=words;record=1', 'urlPath')
  }
  const plan = {
    mechanism: 'z3950',
    host: place.host,
    port: place.port,
    tls: 'none',
    operation: query === null ? kind : 'search',
    databases,
    docid: docid === undefined ? null : decodeOctets(docid),
    query: query === null ? null : decodeOctets(query),
    record: record === undefined ? null : Number(record),
    elementSet: values.has('esn') ? decodeOctets(values.get('esn') ?? '') : null,
    recordSyntaxes: (values.get('rs') ?? '').split('+').filter(Boolean).map(decodeOctets),
  } as const
  const wire = wireOf(plan, place)
  return wire.at(-1) === records ? { ...plan, wire, unknown } : { ...plan, wire }
}

/**
 * The requests for a record, if the server has it and knows its syntax, or the first requests for a list.
 */
function wireOf({ operation, ...plan }: Omit<Z3950Plan, 'wire'>, place: Place): string[] {
  if (operation === 'session') return []
  const { recordSyntaxes, databases, docid, elementSet, query } = plan
  const known = recordSyntaxes.flatMap((name) => z3950SyntaxOid(name) ?? [])
  if (recordSyntaxes.length > 0 && known.length === 0) {
    place.fail('none of the record syntaxes behind rs= is known; usmarc, sutrs and xml are, for example', 'urlPath')
  }
  const syntax = berOid(known[0] ?? usmarc) ?? ''
  if (operation === 'search') return [z3950Init, z3950Search(databases, syntax, queryOf(query ?? '', place)), records]
  return [
    z3950Init,
    z3950Search(databases, syntax, z3950DocidQuery(docid ?? '')),
    z3950Present(1, 1, elementSet ?? full, syntax),
  ]
}

const records = '<records>'
const unknown = {
  [records]: 'requests for the records that were found, in the first syntax that the server has, and a search for one',
}

/** The query as an RPNStructure. Throws `malformed-url`. */
function queryOf(text: string, place: Place): string {
  try {
    return rpnOf(readQuery(text))
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return place.fail(`the query is wrong at its character ${error.offset + 1}: ${error.message}`, 'urlPath')
  }
}

/** Reads a keyword. Unknown ones may be future extensions (RFC 2056 5) and are accepted. */
function readKeyword(keyword: string, place: Place): [name: string, value: string] {
  const [name = '', value] = keyword.split(/=(.*)/s)
  if (value === undefined) place.fail('what follows a ; has the form keyword=value', 'urlPath')
  return [name.toLowerCase(), value ?? '']
}
