/** The answer is no search response of WAIS. The message completes the sentence "The answer is damaged: ...". */
export class AnswerError extends Error {}

/** A document that a search found. Texts are octets, one a character. */
export interface FoundDocument {
  readonly docid: string
  readonly headline: string
  readonly score: number | null
  /** How many octets its first type has. */
  readonly length: number | null
  readonly lines: number | null
  /** The types in which the server has it: `TEXT`, `GIF`. */
  readonly types: readonly string[]
  /** `YYMMDD` or the like. "" if the server gives none. */
  readonly date: string
}

/** Why the server could not do something: a code of two characters, and words. */
export interface Diagnostic {
  readonly code: string
  readonly words: string
}

/** The records of a search response (RFC 1625 4 and 5). */
export interface WaisAnswer {
  readonly documents: readonly FoundDocument[]
  readonly texts: readonly Buffer[]
  readonly diagnostics: readonly Diagnostic[]
}

const searchResponse = 23
const diagnosticEnd = 0x1d
/** A server sends a field in two octets, but each takes far more memory here, so there is a limit. */
const maxFields = 20_000
/** The tags of RFC 1625 and of the WAIS protocol specification. */
const tags = {
  diagnostic: 28,
  userInformation: 99,
  docid: 116,
  score: 118,
  length: 120,
  date: 122,
  headline: 123,
  text: 127,
  lines: 131,
  typeBlock: 132,
  type: 133,
  header: 150,
  shortHeader: 151,
  longHeader: 152,
  documentText: 153,
  documentHeadline: 154,
} as const

/** Reads the APDU of a search response. Throws AnswerError for any other. */
export function readAnswer(apdu: Buffer): WaisAnswer {
  const documents: FoundDocument[] = []
  const texts: Buffer[] = []
  const diagnostics: Diagnostic[] = []
  // Length of the header, type, status, and three numbers of three octets, which real servers fill as they like.
  const headerEnd = apdu.length < 2 ? 0 : 2 + apdu.readUInt16BE()
  if (headerEnd < 3 || headerEnd > apdu.length) throw new AnswerError('its header is longer than it')
  if (apdu[2] !== searchResponse) throw new AnswerError(`it is no answer to a search, but of type ${apdu[2]}`)
  for (const record of fieldsOf(apdu.subarray(headerEnd))) {
    if (record.tag !== tags.userInformation) continue
    for (const { tag, value } of fieldsOf(record.value)) {
      if (tag === tags.header || tag === tags.shortHeader || tag === tags.longHeader)
        documents.push(readDocument(value))
      else if (tag === tags.documentText)
        texts.push(
          ...fieldsOf(value)
            .filter(isText)
            .map((field) => field.value),
        )
      else if (tag === tags.documentHeadline) documents.push(readDocument(value))
      else if (tag === tags.diagnostic) diagnostics.push(readDiagnostic(value))
    }
  }
  return { documents, texts, diagnostics }
}

interface Field {
  readonly tag: number
  readonly value: Buffer
}

function isText({ tag }: Field): boolean {
  return tag === tags.text
}

/** Reads the fields one after the other. */
function fieldsOf(octets: Buffer): Field[] {
  const fields: Field[] = []
  for (let at = 0; at < octets.length; ) {
    const tag = compressed(octets, at)
    // A diagnostic has its length in two octets, as Z39.50-1988 wants.
    const length =
      tag.value === tags.diagnostic && octets.length >= tag.end + 2
        ? { value: octets.readUInt16BE(tag.end), end: tag.end + 2 }
        : compressed(octets, tag.end)
    const end = length.end + length.value
    if (end > octets.length) throw new AnswerError(`a field of tag ${tag.value} is longer than its place`)
    if (fields.length === maxFields) throw new AnswerError(`it has over ${maxFields} fields in one place`)
    fields.push({ tag: tag.value, value: octets.subarray(length.end, end) })
    // A diagnostic ends with a mark that its length does not count.
    at = tag.value === tags.diagnostic && octets[end] === diagnosticEnd ? end + 1 : end
  }
  return fields
}

/** Reads a number of seven bits an octet, highest first. */
function compressed(octets: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let at = start; at < octets.length && at < start + 4; at++) {
    const octet = octets[at] ?? 0
    value = value * 128 + (octet & 127)
    if (octet < 128) return { value, end: at + 1 }
  }
  throw new AnswerError('a number has no end')
}

function readDocument(octets: Buffer): FoundDocument {
  const fields = fieldsOf(octets)
  const text = (tag: number): string => fields.find((field) => field.tag === tag)?.value.toString('latin1') ?? ''
  const number = (tag: number): number | null => {
    const value = fields.find((field) => field.tag === tag)?.value
    return value === undefined || value.length === 0 || value.length > 6 ? null : value.readUIntBE(0, value.length)
  }
  const blocks = fields.filter(({ tag }) => tag === tags.typeBlock).flatMap(({ value }) => fieldsOf(value))
  return {
    docid: text(tags.docid),
    headline: text(tags.headline),
    score: number(tags.score),
    length: number(tags.length),
    lines: number(tags.lines),
    types: blocks.filter(({ tag }) => tag === tags.type).map(({ value }) => value.toString('latin1')),
    date: text(tags.date),
  }
}

/** Reads the code, the words, and an octet that says whether only one document is concerned. */
function readDiagnostic(octets: Buffer): Diagnostic {
  return { code: octets.toString('latin1', 0, 2), words: octets.toString('latin1', 2, Math.max(2, octets.length - 1)) }
}
