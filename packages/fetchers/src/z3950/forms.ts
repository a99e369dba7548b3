import { octetsToText } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { ReceivedRecord } from './answers.ts'

/** A record as the body of a retrieval. */
export interface RecordBody {
  readonly mediaType: string | null
  readonly charset: string | null
  readonly octets: Uint8Array
}

const root = '1.2.840.10003.5.'

/** The record syntaxes of ISO 2709: MARC and its kin. */
export function isMarc(syntax: string): boolean {
  if (!syntax.startsWith(root)) return false
  const arc = syntax.slice(root.length)
  return arc === '1' || arc === '2' || arc === '3' || (/^\d\d$/.test(arc) && Number(arc) >= 10 && Number(arc) <= 30)
}

export const syntaxes = {
  sutrs: '1.2.840.10003.5.101',
  opac: '1.2.840.10003.5.102',
  grs1: '1.2.840.10003.5.105',
  xml: '1.2.840.10003.5.109.10',
} as const

/** The media types of the syntaxes below 109, which are those of files (Z39.50 appendix REC). */
const fileTypes: Readonly<Record<string, string>> = {
  '109.1': 'application/pdf',
  '109.2': 'application/postscript',
  '109.3': 'text/html',
  '109.4': 'image/tiff',
  '109.5': 'image/gif',
  '109.6': 'image/jpeg',
  '109.7': 'image/png',
  '109.8': 'video/mpeg',
  '109.9': 'text/sgml',
  '109.10': 'application/xml',
}

/** The body of a record. */
export function bodyOf(record: ReceivedRecord, _context: RetrievalContext): RecordBody {
  const { syntax, octets, tree } = record
  if (isMarc(syntax)) return { mediaType: 'application/marc', charset: null, octets }
  if (syntax === syntaxes.sutrs) {
    // An InternationalString, whose charset nobody names: UTF-8 where it is valid, as for all texts of servers.
    const text = octetsToText(Buffer.from(tree === undefined ? octets : tree.octets()).toString('latin1'))
    return { mediaType: 'text/plain', charset: 'utf-8', octets: Buffer.from(text) }
  }
  const mediaType = fileTypes[syntax.slice(root.length)] ?? 'application/octet-stream'
  return { mediaType, charset: null, octets }
}
