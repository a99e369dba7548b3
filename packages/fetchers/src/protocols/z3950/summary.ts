import { octetsToText } from '@retriever/core'
import { BerError } from '../../wire/framing/ber.ts'
import type { ReceivedRecord } from './answers.ts'
import { findGrs1, type GrsElement, readGrs1 } from './grs1.ts'
import { controlField, MarcError, type MarcRecord, readMarc, subfieldsOf } from './marc.ts'
import { readOpac } from './opac.ts'
import { isMarc, isMarc21, syntaxes } from './syntaxes.ts'

/** What a list shows of a record. Null: the record does not tell, or not in a form that we read. */
export interface Summary {
  readonly title: string | null
  readonly author: string | null
  readonly date: string | null
  /** The record's own identifier, which may be its document id: MARC 001, GRS-1 (1,14). */
  readonly identifier: string | null
}

/** How many octets of a text are searched for facts, which stand near its beginning. */
const searched = 65_536

const nothing: Summary = { title: null, author: null, date: null, identifier: null }

/** Returns what a list shows of a record. Nothing, if the record cannot be read. */
export function summaryOf(record: ReceivedRecord): Summary {
  try {
    return shortened(readSummary(record))
  } catch (error) {
    if (error instanceof BerError || error instanceof MarcError) return nothing
    throw error
  }
}

function readSummary(record: ReceivedRecord): Summary {
  const { syntax, octets, tree } = record
  if (isMarc(syntax))
    return syntax.endsWith('.5.1') ? ofUnimarc(readMarc(octets, false)) : ofMarc(readMarc(octets, isMarc21(syntax)))
  if (syntax === syntaxes.grs1 && tree !== undefined) return ofGrs1(readGrs1(tree))
  if (syntax === syntaxes.opac && tree !== undefined) {
    const { bibliographicRecord } = readOpac(tree)
    return bibliographicRecord === null ? nothing : readSummary(bibliographicRecord)
  }
  const text = octetsToText(Buffer.from((tree?.octets() ?? octets).subarray(0, searched)).toString('latin1'))
  if (syntax === syntaxes.sutrs) {
    const line = text.split(/[\r\n]+/).find((each) => each.trim() !== '')
    return { ...nothing, title: line?.trim() ?? null }
  }
  return syntax === syntaxes.xml ? ofXml(text) : nothing
}

function ofMarc(marc: MarcRecord): Summary {
  return {
    title: joined(subfieldsOf(marc, '245', 'abnp')),
    author: joined([...subfieldsOf(marc, '100', 'a'), ...subfieldsOf(marc, '110', 'a')].slice(0, 1)),
    date: joined([...subfieldsOf(marc, '260', 'c'), ...subfieldsOf(marc, '264', 'c')].slice(0, 1)),
    identifier: controlField(marc, '001')?.trim() || null,
  }
}

function ofUnimarc(marc: MarcRecord): Summary {
  return {
    title: joined(subfieldsOf(marc, '200', 'aei')),
    author: joined(subfieldsOf(marc, '700', 'ab')),
    date: joined(subfieldsOf(marc, '210', 'd').slice(0, 1)),
    identifier: controlField(marc, '001')?.trim() || null,
  }
}

/** Reads tagSet-G: 1 title, 2 author; and tagSet-M: 14 local control number (Z39.50 appendix TAG). */
function ofGrs1(elements: readonly GrsElement[]): Summary {
  return {
    title: findGrs1(elements, 2, 1) ?? null,
    author: findGrs1(elements, 2, 2) ?? null,
    date: findGrs1(elements, 2, 4) ?? null,
    identifier: findGrs1(elements, 1, 14) ?? null,
  }
}

/** Reads the first elements with names of Dublin Core, or the fields of MARC in MARCXML. */
function ofXml(text: string): Summary {
  return {
    title: elementText(text, 'title') ?? marcXmlText(text, 'datafield', '245'),
    author: elementText(text, 'creator') ?? marcXmlText(text, 'datafield', '100'),
    date: elementText(text, 'date') ?? marcXmlText(text, 'datafield', '260'),
    identifier: marcXmlText(text, 'controlfield', '001'),
  }
}

/**
 * Returns the text of the first element of a name, in any namespace. Null if there is none, or it contains elements.
 */
function elementText(text: string, name: string): string | null {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1)
    if ((before !== '<' && before !== ':') || !/[\s>]/.test(text.charAt(at + name.length))) continue
    const start = text.indexOf('>', at)
    const end = start === -1 ? -1 : text.indexOf('<', start)
    return end === -1 || !text.startsWith('</', end) ? null : unescapeXml(text.slice(start + 1, end))
  }
  return null
}

function marcXmlText(text: string, element: string, tag: string): string | null {
  const start = text.indexOf(`<${element} tag="${tag}"`)
  if (start === -1) return null
  const subfield = element === 'controlfield' ? start : text.indexOf('<subfield', start)
  const begin = text.indexOf('>', subfield)
  const end = text.indexOf('<', begin)
  return subfield === -1 || begin === -1 || end === -1 ? null : unescapeXml(text.slice(begin + 1, end))
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '').trim()
}

function joined(values: readonly string[]): string | null {
  let text = values.join(' ').trim()
  // Removes the punctuation of catalogues (ISBD), which precedes the next part.
  while (text !== '' && ' /:;,='.includes(text.slice(-1))) text = text.slice(0, -1)
  return text === '' ? null : text
}

/** How many characters a fact may have: a line of a list has several, and at most limits.maxLine octets. */
export const maxText: number = 200

function shortened(summary: Summary): Summary {
  const cut = (text: string | null): string | null => (text === null ? null : text.slice(0, maxText))
  const { title, author, date, identifier } = summary
  const isLong = identifier !== null && identifier.length > maxText
  return { title: cut(title), author: cut(author), date: cut(date), identifier: isLong ? null : identifier }
}
