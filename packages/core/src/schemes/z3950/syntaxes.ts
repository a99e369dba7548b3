import { berOid } from '../../wire/ber.ts'

/** The record syntaxes by name, below 1.2.840.10003.5 (Z39.50 appendix REC). */
const arcs: Readonly<Record<string, string>> = {
  unimarc: '1',
  intermarc: '2',
  ccf: '3',
  usmarc: '10',
  marc: '10',
  marc21: '10',
  ukmarc: '11',
  normarc: '12',
  librismarc: '13',
  danmarc: '14',
  finmarc: '15',
  mab: '16',
  canmarc: '17',
  sbn: '18',
  picamarc: '19',
  ausmarc: '20',
  ibermarc: '21',
  explain: '100',
  sutrs: '101',
  opac: '102',
  summary: '103',
  grs0: '104',
  grs1: '105',
  html: '109.3',
  sgml: '109.9',
  xml: '109.10',
}

const root = '1.2.840.10003.5.'

/** The OID of a record syntax, from its name in any case (`USMARC`, `grs-1`) or its OID; undefined if it is unknown. */
export function z3950SyntaxOid(name: string): string | undefined {
  const key = name.toLowerCase().replaceAll('-', '')
  if (Object.hasOwn(arcs, key)) return root + arcs[key]
  return berOid(name) === undefined ? undefined : name
}

/** The name of a record syntax, such as `usmarc`; the OID itself if it has no name. */
export function z3950SyntaxName(oid: string): string {
  const found = Object.entries(arcs).find(([, arc]) => root + arc === oid)?.[0] ?? oid
  return found === 'grs1' || found === 'grs0' ? `grs-${found.at(-1)}` : found
}
