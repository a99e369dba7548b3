import type { Z3950Plan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2056 3: `z39.50s://host:port/db+db?docid;esn=elements;rs=syntax+syntax`: a session for the person. */
export const z3950s: Scheme = {
  name: 'z39.50s',
  title: 'Z39.50 session',
  spec: 'RFC 2056 3',
  mechanism: 'z3950',
  defaultPort: 210,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  // A ; may follow the ?, so the parts are found by their own rules.
  query: false,
  // BER frames everything, but the URL decides octets that a server of another protocol would read as lines.
  lineParts: ['urlPath'],
  hint: 'Use yaz-client, which opens a session.',
  resolve: (locator, place) => z3950Plan(locator, place, 'session'),
}

/** RFC 2056 4: one record. */
export const z3950r: Scheme = {
  ...z3950s,
  name: 'z39.50r',
  title: 'Z39.50 record',
  spec: 'RFC 2056 4',
  hint: 'Use yaz-client: find @attr 1=1032 docid, then show 1.',
  resolve: (locator, place) => z3950Plan(locator, place, 'retrieval'),
}

/** RFC 1738 reserved the name and never defined it. */
export const z3950: Scheme = {
  ...z3950s,
  name: 'z39.50',
  spec: 'RFC 1738 5 (reserved)',
  deprecated: 'z39.50 was reserved and never defined; it is read as z39.50s, a session.',
}

function z3950Plan({ urlPath }: Locator, place: Place, operation: Z3950Plan['operation']): Z3950Plan {
  const [path = '', ...keywords] = (urlPath ?? '').split(';')
  const [list = '', docid] = path.split(/\?(.*)/s)
  const databases = list.split('+').filter(Boolean).map(decodeOctets)
  if (docid !== undefined && databases.length === 0)
    place.fail('a database must stand before the document-id', 'urlPath')
  if (operation === 'retrieval' && !docid) {
    place.fail('a record needs a database and a document-id, as in z39.50r://host/db?id', 'urlPath')
  }
  const values = new Map(keywords.map((keyword) => readKeyword(keyword, place)))
  return {
    mechanism: 'z3950',
    host: place.host,
    port: place.port,
    tls: 'none',
    operation,
    databases,
    docid: docid === undefined ? null : decodeOctets(docid),
    elementSet: values.has('esn') ? decodeOctets(values.get('esn') ?? '') : null,
    recordSyntaxes: (values.get('rs') ?? '').split('+').filter(Boolean).map(decodeOctets),
    wire: [],
  }
}

/** Reads a keyword. Unknown ones may be future extensions (RFC 2056 5) and are accepted. */
function readKeyword(keyword: string, place: Place): [name: string, value: string] {
  const [name = '', value] = keyword.split(/=(.*)/s)
  if (value === undefined) place.fail('what follows a ; has the form keyword=value', 'urlPath')
  return [name.toLowerCase(), value ?? '']
}
