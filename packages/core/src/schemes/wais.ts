import type { Asked } from '../asked.ts'
import { findDelimiters } from '../finding.ts'
import type { WaisPlan } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * RFC 4156 (RFC 1738 3.9): `wais://host/database`, `wais://host/database?search`, `wais://host/database/wtype/wpath`.
 */
export const wais: Scheme = {
  name: 'wais',
  title: 'Wide Area Information Servers',
  spec: 'RFC 4156',
  mechanism: 'wais',
  defaultPort: 210,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: true,
  // The fields have lengths, but the URL decides octets that a server of another protocol would read as lines.
  lineParts: ['query'],
  sendsFirst: true,
  deprecated: 'wais is historic (RFC 4156).',
  resolve: waisPlan,
  reading,
  inspect: pathDelimiters,
}

function waisPlan({ urlPath, query }: Locator, place: Place): WaisPlan {
  const [database = '', wtype, ...rest] = (urlPath ?? '').split('/')
  if (database === '') place.fail('a database must follow the host, as in wais://host/database', 'urlPath')
  // The document-id is opaque, so its slashes stay (RFC 1738 3.9).
  const wpath = rest.length === 0 ? null : rest.join('/')
  if (wtype !== undefined && (wtype === '' || wpath === null || wpath === '')) {
    place.fail('a type and a document-id belong together, as in wais://host/database/TEXT/id', 'urlPath')
  }
  if (wtype !== undefined && query !== null) place.fail('a document has no search; write a literal ? as %3F', 'query')
  const document = wtype === undefined || wpath === null ? null : documentOf(decodeOctets(wtype), wpath)
  const plan = {
    database: decodeOctets(database),
    // Old clients wrote a blank as +, so + is replaced before decoding.
    search: query === null ? null : decodeOctets(query.replaceAll('+', ' ')),
    wtype: document?.wtype ?? null,
    wpath: wpath === null ? null : decodeOctets(wpath),
    length: document?.length ?? null,
    docid: document?.docid ?? null,
  }
  const sent =
    document === null ? searchSent(plan.database, plan.search, place.asked) : documentSent(plan.database, document)
  return { mechanism: 'wais', host: place.host, port: place.port, tls: 'none', ...plan, ...sent }
}

type Sent = Pick<WaisPlan, 'wire' | 'unknown'>

function searchSent(database: string, search: string | null, { limit, relevantTo = [] }: Asked): Sent {
  if (search === null) return { wire: [waisSearch(database, ''), described], unknown: { [described]: whyDescribed } }
  return { wire: [waisSearch(database, search, limit && Math.min(limit, waisLimit), relevantTo)] }
}

const described = '<description>'
const whyDescribed = 'the request for the document that the answer names'

function documentSent(database: string, document: WaisDocument): Sent {
  const { length } = document
  const wire = [waisRetrieval({ database, ...document }, 0, Math.min(waisPiece, length ?? waisPiece))]
  return length !== null && length <= waisPiece
    ? { wire }
    : {
        wire: [...wire, pieces],
        unknown: { [pieces]: 'the requests for what follows the first piece, which begin where it ends' },
      }
}

const pieces = '<pieces>'

/** The most documents that a search can ask for. */
export const waisLimit = 0xff_ffff

/** A document as a server knows it. All texts are octets, one a character. */
export interface WaisDocument {
  readonly wtype: string
  readonly docid: string
  /** The number of octets; null if unknown. */
  readonly length: number | null
}

/**
 * Reads `LENGTH/1=server;2=database;3=id;`, as libwww writes a document, with `=` and `;` escaped or not; the length
 * may be missing. Any other id is sent unchanged.
 */
function documentOf(wtype: string, wpath: string): WaisDocument {
  const [digits = ''] = /^\d{1,15}(?=\/)/.exec(wpath) ?? []
  const rest = digits === '' ? wpath : wpath.slice(digits.length + 1)
  const isEscaped = !rest.includes('=')
  const whole = isEscaped ? decodeOctets(rest) : rest
  const fields = whole
    .replace(/;$/, '')
    .split(';')
    .map((field) => /^(\d{1,9})=(.*)$/s.exec(field))
  const tagged = fields.map((field) => {
    const [, tag, value = ''] = field ?? []
    return tag === undefined ? null : fieldOf(Number(tag), isEscaped ? value : decodeOctets(value))
  })
  const isTagged = !tagged.includes(null)
  return {
    wtype,
    docid: isTagged ? tagged.join('') : decodeOctets(wpath),
    length: isTagged && digits !== '' ? Number(digits) : null,
  }
}

/** The octets of one request, as many as freeWAIS asks for. Old servers send at most 100000. */
export const waisPiece = 10_000

/** How many documents a search asks for unless the caller says. All old clients used 40. */
export const waisMost = 40

/**
 * A search (RFC 1625 4, query type 3) for words and for documents like those in `relevant`. If it has no words, the
 * server describes the database.
 */
export function waisSearch(
  database: string,
  words: string,
  most: number = waisMost,
  relevant: ReadonlyArray<Pick<WaisDocument, 'docid' | 'wtype'>> = [],
): string {
  const head = `\x16${uint(30, 3)}${uint(5000, 3)}${uint(30, 3)}\x01`
  const feedback = relevant.map(({ docid, wtype }) => fieldOf(116, docid) + fieldOf(133, wtype)).join('')
  return packet(
    head + fieldOf(17, '') + fieldOf(18, database) + fieldOf(20, '3'),
    fieldOf(99, fieldOf(106, words) + feedback + fieldOf(111, '\x01') + fieldOf(114, uint(most))),
  )
}

/** The request for octets of a document, from `start` up to `end` (RFC 1625 5, a search of query type 1). */
export function waisRetrieval(
  { database, docid, wtype }: Pick<WaisDocument, 'docid' | 'wtype'> & { readonly database: string },
  start: number,
  end: number,
): string {
  const head = `\x16${uint(10, 3)}${uint(16, 3)}${uint(15, 3)}\x01`
  const and = fieldOf(46, 'a')
  const query =
    term('un re', docid) + term('wt re', wtype) + and + term('wb ro', start) + and + term('wb rl', end) + and
  return packet(
    `${head + fieldOf(17, 'FOO') + fieldOf(18, database) + fieldOf(20, '1')}${fieldOf(19, ' \x1fDocument Text')}${fieldOf(2, '3')}`,
    fieldOf(21, query),
  )
}

/** A term of a query behind its attributes: use, relation, and four that servers ignore. */
function term(attributes: string, value: string | number): string {
  return fieldOf(44, `${attributes} ig ig ig ig`) + fieldOf(45, String(value))
}

/**
 * The header of WAIS (RFC 1625 3: length, type z, version 2, server, neither compression nor encoding), and the APDU.
 */
function packet(header: string, userInformation: string): string {
  const apdu = uint(header.length, 2) + header + userInformation
  return `${String(apdu.length).padStart(10, '0')}z2wais        0${apdu}`
}

/**
 * A field of Z39.50-1988: tag, length and value. Tag and length are written with seven bits an octet, the highest
 * first.
 */
function fieldOf(tag: number, value: string): string {
  return compressed(tag) + compressed(value.length) + value
}

function compressed(value: number): string {
  let octets = String.fromCharCode(value & 127)
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) octets = String.fromCharCode(128 | (rest & 127)) + octets
  return octets
}

/** A number in `size` octets, the highest first; by default in as few as it needs. */
function uint(value: number, size: number = value > 0xffff ? 3 : value > 0xff ? 2 : 1): string {
  return String.fromCharCode(...[16, 8, 0].slice(3 - size).map((shift) => (value >> shift) & 255))
}

function reading([octets = '']: readonly string[]): string[] {
  const what = octets.includes('\x14\x013c')
    ? 'search of query type 3; 12 database, 63 user information: 6a words, 6f date factor, 72 most documents'
    : 'search of query type 1; 12 database, 15 query in postfix: 2c attributes, 2d terms, 2e and'
  return [`10 digits of length, z: APDU, 2: version, 10 octets of server name; then ${what}`]
}

/** The finding for line ends in a document-id. It may hold any octet, and most end with a NUL, which ends no line. */
function pathDelimiters({ locator, written, span }: Inspection) {
  if (!locator.urlPath?.includes('%0')) return []
  const [database = '', wtype = '', ...id] = written('urlPath').split('/')
  const path = [database, wtype, id.join('/').replaceAll('%00', '---')].join('/')
  return findDelimiters(path, 'urlPath', span('urlPath')[0])
}
