import { octetsToText } from '@retriever/core'
import { trimBlanks } from '../kit/text/blanks.ts'
import { withoutBrackets } from './header-fields.ts'
import { type ParsedField, parameterText, parseField } from './parameters.ts'

/** The header of a message or of a part of one (an entity, RFC 2045 2.4), as far as MIME defines it. */
export class Entity {
  /** The multipart that contains this entity; null for the message itself. */
  readonly parent: Entity | null
  /** The header fields with their folds, one octet a character. */
  readonly fields: readonly string[]
  /** The subtype of a multipart, such as `mixed`. Null for other entities. */
  readonly multipart: string | null
  /** The line between the parts of a multipart, one octet a character (RFC 2046 5.1.1). */
  readonly boundary: string | null
  readonly #contentType: ParsedField | null
  readonly #disposition: ParsedField

  constructor(parent: Entity | null, header: string) {
    this.parent = parent
    // The line `From user date`, which begins each message of a mailbox file (RFC 4155), is no field.
    const lines = header.replace(/\r?\n$/, '').split(/\r?\n(?![ \t])/)
    this.fields = /^From [^\s:]/i.test(header) ? lines.slice(1) : lines
    const contentType = this.#field('content-type')
    this.#contentType = contentType === null ? null : parseField(contentType)
    this.#disposition = parseField(this.#field('content-disposition') ?? '')
    // A missing subtype counts as mixed, as an unknown one does (RFC 2046 5.1.3).
    const [type = '', subtype = ''] = (this.#contentType?.value ?? '').toLowerCase().split(/\/(.*)/s)
    this.multipart = type === 'multipart' ? subtype || 'mixed' : null
    this.boundary = (this.multipart !== null && this.#parameter('boundary')) || null
  }

  /** The media type of an entity that is shown as one part: `type/subtype` in lower case. */
  get mediaType(): string {
    // A multipart without parts is shown as text.
    if (this.multipart !== null) return 'text/plain'
    if (this.#contentType !== null) {
      const { value } = this.#contentType
      // An invalid media type counts as plain text (RFC 2045 5.2).
      return /^[^\s/]+\/[^\s/]+$/.test(value) ? value.toLowerCase() : 'text/plain'
    }
    // In a digest, this is the default (RFC 2046 5.1.5).
    if (this.parent?.multipart === 'digest') return 'message/rfc822'
    const extension = /\.([^./\\]+)$/.exec(this.#disposition.parameters.get('filename')?.octets ?? '')?.[1]
    if (extension !== undefined) return mediaTypes.get(extension.toLowerCase()) ?? 'application/octet-stream'
    return this.disposition === 'attachment' ? 'application/octet-stream' : 'text/plain'
  }

  /** The charset as the entity names it, in lower case. */
  get charset(): string | null {
    return octetsToText(this.#parameter('charset') ?? '').toLowerCase() || null
  }

  get disposition(): string | null {
    return this.#disposition.value.toLowerCase() || null
  }

  /** The decoded file name. The charsets that it names must be loaded. */
  get fileName(): string | null {
    const names = [this.#disposition.parameters.get('filename'), this.#contentType?.parameters.get('name')]
    const name = names.find((parameter) => parameter?.octets)
    return name === undefined ? null : parameterText(name) || null
  }

  /** The Content-ID without its angle brackets. */
  get contentId(): string | null {
    return withoutBrackets(octetsToText(this.#field('content-id') ?? ''))
  }

  /** Content-Transfer-Encoding in lower case, without comments; "" if it is missing. */
  get encoding(): string {
    const field = this.#field('content-transfer-encoding') ?? ''
    const [start, end] = [field.indexOf('('), field.lastIndexOf(')')]
    return (start >= 0 && end > start ? field.slice(0, start) + field.slice(end + 1) : field).trim().toLowerCase()
  }

  /** Whether format=flowed text deletes the blanks at line ends (RFC 3676). Null for other texts. */
  get flowed(): { readonly deleteBlank: boolean } | null {
    if (this.#parameter('format')?.toLowerCase() !== 'flowed') return null
    return { deleteBlank: this.#parameter('delsp')?.toLowerCase() === 'yes' }
  }

  /** The charset labels of its parameters (RFC 2231 4) and of its text. */
  get charsetLabels(): string[] {
    const parameters = [...(this.#contentType?.parameters.values() ?? []), ...this.#disposition.parameters.values()]
    return [this.charset, ...parameters.map(({ charset }) => charset)].filter((label) => label !== null)
  }

  #parameter(name: string): string | undefined {
    const octets = this.#contentType?.parameters.get(name)?.octets
    return octets === undefined ? undefined : trimBlanks(octets)
  }

  /** Returns the first field of this name, unfolded; null if there is none. */
  #field(name: string): string | null {
    const line = this.fields.find(
      (field) =>
        field
          .slice(0, Math.max(0, field.indexOf(':')))
          .trim()
          .toLowerCase() === name,
    )
    return line === undefined ? null : line.slice(line.indexOf(':') + 1).replace(/\r?\n[ \t]*/g, ' ')
  }
}

/** Media types by the extension of a file name. They serve parts that have a name but no Content-Type. */
const mediaTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'text/plain': 'txt log c h',
    'text/html': 'html htm',
    'text/css': 'css',
    'text/csv': 'csv',
    'text/calendar': 'ics',
    'text/x-vcard': 'vcf',
    'message/rfc822': 'eml',
    'image/gif': 'gif',
    'image/jpeg': 'jpg jpeg',
    'image/png': 'png',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
    'image/bmp': 'bmp',
    'image/tiff': 'tif tiff',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'video/mp4': 'mp4',
    'video/mpeg': 'mpg mpeg',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'application/json': 'json',
    'application/javascript': 'js',
    'application/xml': 'xml',
    'application/pdf': 'pdf',
    'application/postscript': 'ps eps',
    'application/rtf': 'rtf',
    'application/msword': 'doc',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.oasis.opendocument.text': 'odt',
    'application/vnd.oasis.opendocument.spreadsheet': 'ods',
    'application/vnd.oasis.opendocument.presentation': 'odp',
    'application/epub+zip': 'epub',
    'application/zip': 'zip',
    'application/x-gzip': 'gz',
    'application/gnutar': 'tgz',
    'application/x-tar': 'tar',
    'application/x-bzip2': 'bz2',
    'application/x-7z-compressed': '7z',
    'application/pkcs7-signature': 'p7s',
  }).flatMap(([type, extensions]) => extensions.split(' ').map((extension): [string, string] => [extension, type])),
)
