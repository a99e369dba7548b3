import { encodeOctets } from '@retriever/core'

/** Writes a document's path in a WAIS URL, as libwww does: `TEXT/99/1=host%3A210;2=database;3=0%2099%20/file;`. */
export function documentPath(docid: string, wtype: string, length: number | null): string {
  const fields = docidFields(docid)
  const written = fields === null ? escaped(docid) : fields.map(([tag, value]) => `${tag}=${escaped(value)};`).join('')
  const size = fields === null || length === null ? '' : `${length}/`
  return `${encodeOctets(wtype)}/${size}${written}`
}

/** Returns the tags and values of a document-id. Null if it is not made of fields. */
export function docidFields(docid: string): (readonly [tag: number, value: string])[] | null {
  const fields: (readonly [number, string])[] = []
  for (let at = 0; at < docid.length; ) {
    const tag = compressed(docid, at)
    const length = compressed(docid, tag.end)
    const end = length.end + length.value
    if (Number.isNaN(end) || end > docid.length) return null
    fields.push([tag.value, docid.slice(length.end, end)])
    at = end
  }
  return fields.length === 0 ? null : fields
}

/** Returns the document's size by its local id (tag 3), in freeWAIS `start end path`. Null if it does not tell. */
export function sizeIn(docid: string): number | null {
  const local = docidFields(docid)?.find(([tag]) => tag === 3)?.[1] ?? ''
  const [, start = '', end = ''] = /^(\d{1,12}) (\d{1,12}) /.exec(local) ?? []
  // Both are 0 for a whole file.
  return Number(end) > Number(start) ? Number(end) - Number(start) : null
}

function compressed(octets: string, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let at = start; at < octets.length && at < start + 3; at++) {
    const octet = octets.charCodeAt(at)
    // A number with leading zeros would come back from a URL without them, as another id.
    if (at === start && octet === 128) break
    value = value * 128 + (octet & 127)
    if (octet < 128) return { value, end: at + 1 }
  }
  return { value: Number.NaN, end: Number.NaN }
}

/** Escapes `;` and `=`: old clients read them as delimiters even within a value. */
function escaped(octets: string): string {
  return encodeOctets(octets, '/$')
}

const mediaTypes: Readonly<Record<string, string>> = {
  TEXT: 'text/plain',
  WSRC: 'application/x-wais-source',
  WCAT: 'text/plain',
  HTML: 'text/html',
  URL: 'text/html',
  GIF: 'image/gif',
  JPEG: 'image/jpeg',
  JFIF: 'image/jpeg',
  JPG: 'image/jpeg',
  TIFF: 'image/tiff',
  PICT: 'image/x-pict',
  PS: 'application/postscript',
  DVI: 'application/x-dvi',
  PDF: 'application/pdf',
  MIME: 'message/rfc822',
}

/** Returns the media type of a WAIS type. Null if it is not known. */
export function mediaTypeOf(wtype: string): string | null {
  const name = wtype.toUpperCase()
  return Object.hasOwn(mediaTypes, name) ? (mediaTypes[name] ?? null) : null
}

/** Whether documents of a type are texts. In those, servers mark words and paragraphs by escape sequences. */
export function isTextType(wtype: string): boolean {
  return /^(?:TEXT|WSRC|WCAT|HTML|URL)$/i.test(wtype)
}
