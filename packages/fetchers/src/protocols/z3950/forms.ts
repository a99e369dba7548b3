import { octetsToText } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { typeQuality } from '../../kit/accept.ts'
import { BerError } from '../../wire/framing/ber.ts'
import type { BerNode } from '../../wire/framing/ber-tree.ts'
import type { ReceivedRecord } from './answers.ts'
import { grs1Text, readGrs1 } from './grs1.ts'
import { MarcError, marcJson, readMarc } from './marc.ts'
import { noZ3950 } from './messages.ts'
import { opacXml, readOpac } from './opac.ts'
import { isMarc, isMarc21, syntaxes, typeOfFile } from './syntaxes.ts'
import { marcXml, xmlHead } from './xml.ts'

/** A record as the body of a retrieval. */
export interface RecordBody {
  readonly mediaType: string | null
  readonly charset: string | null
  readonly octets: Uint8Array
}

/** Returns the media types that a record of a syntax can have. Its own is first. */
export function formsOf(syntax: string): readonly string[] {
  if (isMarc(syntax)) return ['application/marc', 'application/marcxml+xml', 'application/json']
  if (syntax === syntaxes.sutrs) return ['text/plain']
  if (syntax === syntaxes.grs1) return ['text/plain', 'application/json']
  if (syntax === syntaxes.opac) return ['application/xml', 'application/json']
  return [typeOfFile(syntax)]
}

/** Returns how well the best form of a syntax fits the request's `accept`, from 0 to 1. */
export function formQuality(syntax: string, accept: string | undefined): number {
  return Math.max(...formsOf(syntax).map((form) => typeQuality(accept, form)))
}

/** Makes the body of a record, in the form that `accept` prefers. */
export function bodyOf(record: ReceivedRecord, context: RetrievalContext): RecordBody {
  const form = chooseForm(record.syntax, context)
  try {
    const body = writeForm(record, form)
    if (form !== 'application/marc') tellUnread(body, context)
    return body
  } catch (error) {
    if (error instanceof BerError) throw noZ3950(context, error)
    if (!(error instanceof MarcError)) throw error
    const { emit, url } = context
    emit({ type: 'remark', url, message: `The record is no MARC (${error.message}), and stays as it came.` })
    return { mediaType: 'application/octet-stream', charset: null, octets: record.octets }
  }
}

/** Says that characters are lost, if the form was made of a record in MARC-8. */
function tellUnread({ octets, charset }: RecordBody, { emit, url }: RetrievalContext): void {
  if (charset !== 'utf-8' || !Buffer.from(octets).includes('\ufffd')) return
  const message = 'Some characters of the record are in unsupported sets, and became U+FFFD.'
  emit({ type: 'remark', url, message })
}

function chooseForm(syntax: string, { request: { accept }, emit, url }: RetrievalContext): string {
  const forms = formsOf(syntax)
  const [first = ''] = forms
  let best = first
  for (const form of forms) if (typeQuality(accept, form) > typeQuality(accept, best)) best = form
  if (accept !== undefined && typeQuality(accept, best) === 0) {
    emit({ type: 'remark', url, message: `The record can be had as ${forms.join(', ')}; you asked for ${accept}.` })
  }
  return best
}

function writeForm(record: ReceivedRecord, form: string): RecordBody {
  const { syntax, octets, tree } = record
  if (isMarc(syntax)) {
    if (form === 'application/marc') return { mediaType: form, charset: null, octets }
    const marc = readMarc(octets, isMarc21(syntax))
    return form === 'application/json' ? jsonBody(marcJson(marc)) : textBody(form, xmlHead + marcXml(marc))
  }
  if (syntax === syntaxes.sutrs) return textBody(form, textOf(tree?.octets() ?? octets))
  if (tree === undefined) return { mediaType: typeOfFile(syntax), charset: null, octets }
  if (syntax === syntaxes.grs1) {
    const elements = readGrs1(tree)
    return form === 'application/json' ? jsonBody(elements) : textBody(form, grs1Text(elements))
  }
  if (syntax === syntaxes.opac) return opacBody(tree, form)
  return { mediaType: 'application/octet-stream', charset: null, octets }
}

function opacBody(tree: BerNode, form: string): RecordBody {
  const { bibliographicRecord: inner, holdings } = readOpac(tree)
  const marc = inner !== null && isMarc(inner.syntax) ? readMarc(inner.octets, isMarc21(inner.syntax)) : null
  if (form === 'application/json') {
    return jsonBody({ bibliographicRecord: marc === null ? null : marcJson(marc), holdings })
  }
  return textBody(form, xmlHead + opacXml(marc === null ? '' : marcXml(marc), holdings))
}

/** Decodes a text whose charset the server does not name: UTF-8 if it is valid, else Latin-1. */
function textOf(octets: Uint8Array): string {
  return octetsToText(Buffer.from(octets).toString('latin1'))
}

function textBody(mediaType: string, text: string): RecordBody {
  return { mediaType, charset: 'utf-8', octets: Buffer.from(text) }
}

function jsonBody(value: unknown): RecordBody {
  return { mediaType: 'application/json', charset: 'utf-8', octets: Buffer.from(`${JSON.stringify(value)}\n`) }
}
