import { octetsToText, RetrievalError } from '@retriever/core'
import { wholeSource } from '../kit/byte-source.ts'
import { charsetOf as charsetOfText, decodeText, knownCharset } from '../kit/text/text.ts'
import { save } from '../saving/save.ts'
import type { SaveOptions } from '../saving/save-options.ts'
import { charsetOf, isWhole } from './charset/charset.ts'
import { separateFiles } from './embedded-files.ts'
import type { Entity } from './entity.ts'
import type { Message } from './message.ts'
import type { Leaf } from './split-message.ts'
import { decodeTransfer } from './transfer-encoding.ts'
import type { Decoded } from './uuencode.ts'

type ContentFields = 'name' | 'mediaType' | 'charset' | 'disposition' | 'contentId' | 'octets' | 'damage'

/** A part without its number. */
export interface PartContent extends Pick<MessagePart, ContentFields> {
  /** How the lines of format=flowed text are joined. Null for other parts. */
  readonly flowed: { readonly deleteBlank: boolean } | null
}

/**
 * A part that has no parts itself (RFC 2045), a file in yEnc or uuencode within a text, or, if its Content-ID was asked
 * for, a whole multipart. All its texts are untrusted.
 */
export class MessagePart {
  /** The number of the part within the message, from 1, multiparts not counted. 0 for a whole multipart. */
  readonly number: number
  /** The file name as the sender wrote it, decoded. It may be a path or a device: clean it before you use it. */
  readonly name: string | null
  /**
   * The media type, `type/subtype` in lower case. If the part gives none, the extension of its name decides, else it is
   * `text/plain`.
   */
  readonly mediaType: string
  /** The charset as the part names it, in lower case. */
  readonly charset: string | null
  /** The disposition (RFC 2183) in lower case: `inline`, `attachment`. */
  readonly disposition: string | null
  /** The Content-ID without its angle brackets. */
  readonly contentId: string | null
  /**
   * The octets, decoded from base64, quoted-printable, uuencode or yEnc, otherwise as they arrived: lines end in CRLF.
   */
  readonly octets: Uint8Array
  /** Why `octets` differ from what was sent, as the length or checksum of yEnc shows. Null if no damage is known. */
  readonly damage: string | null
  /**
   * The number of the part within its message as IMAP counts, with multiparts (RFC 3501 6.4.5): `1.2`. Null for a file
   * within a text, and for a message of a mailbox file.
   */
  readonly section: string | null
  /** The message that the part contains (`message/rfc822`). Null for other parts, and beyond eight levels. */
  readonly message: Message | null
  readonly #flowed: PartContent['flowed']

  /** @internal readMessage() makes parts. */
  constructor(number: number, content: PartContent, message: Message | null, section: string | null = null) {
    this.number = number
    this.section = section
    this.name = content.name
    this.mediaType = content.mediaType
    this.charset = content.charset
    this.disposition = content.disposition
    this.contentId = content.contentId
    this.octets = content.octets
    this.damage = content.damage
    this.message = message
    this.#flowed = content.flowed
  }

  get size(): number {
    return this.octets.length
  }

  /** Whether the part is a file rather than text to read: its disposition says so, or it has a name. */
  get isAttachment(): boolean {
    return this.disposition === 'attachment' || this.name !== null
  }

  /** Decodes the text in its charset, or else as representation.text() does. Joins flowed lines. Lines end in LF. */
  text(): string {
    const text = this.#decoded().replaceAll('\r\n', '\n')
    return this.#flowed === null ? text : unflow(text, this.#flowed.deleteBlank)
  }

  /** Saves `octets` as Representation.saveTo does. Rejects with `partial` if they are damaged. */
  async saveTo(path: string, options: Omit<SaveOptions, 'checksum'> = {}): Promise<void> {
    this.throwIfDamaged()
    await save(wholeSource(this.octets), path, { modified: null, offset: 0, size: this.size }, options)
  }

  /** Throws `partial` if the octets are damaged. */
  throwIfDamaged(): void {
    if (this.damage === null) return
    const what = `Part ${this.number} of the message is damaged: ${this.damage}`
    throw new RetrievalError('partial', `${what}. Save the message as it is.`, { phase: 'body' })
  }

  #decoded(): string {
    // Senders often name ASCII, the default, but send octets of another charset.
    const charset = this.charset === 'us-ascii' ? null : this.charset
    const web = knownCharset(charset) === null ? null : charsetOfText(this.octets, { mediaType: null, charset })
    const other = charset === null || (web !== null && isWhole(web)) ? null : charsetOf(charset)
    return other?.decode(this.octets) ?? decodeText(this.octets, { mediaType: this.mediaType, charset })
  }
}

/** Reads a leaf, which is one part, or a text with files in it. */
export function contentsOf({ entity, octets }: Leaf): readonly PartContent[] {
  const { fileName, mediaType, charset, disposition, contentId, encoding, flowed } = entity
  const decoded = decodeTransfer(octets, encoding)
  const part: PartContent = {
    name: fileName,
    mediaType,
    charset,
    disposition,
    contentId,
    octets: decoded,
    damage: null,
    flowed,
  }
  if (fileEncodings.has(encoding)) {
    const [file] = separateFiles(decoded).files
    if (file === undefined) return [part]
    return [{ ...part, name: part.name ?? octetsToText(file.name), octets: file.octets, damage: file.damage }]
  }
  if (part.mediaType !== 'text/plain' || part.name !== null || part.disposition === 'attachment') return [part]
  const { text, files } = separateFiles(decoded)
  const isBlank = files.length > 0 && text.toString('latin1').trim() === ''
  return [...(isBlank ? [] : [{ ...part, octets: text }]), ...files.map(contentOfFile)]
}

/** Content-Transfer-Encodings of a single file. RFC 2045 6.3 allows `x-` names; those without `x-` are not standard. */
const fileEncodings: ReadonlySet<string> = new Set([
  'x-uuencode',
  'x-uue',
  'uuencode',
  'uue',
  'x-yencode',
  'x-yenc',
  'yenc',
])

/** Makes a whole multipart with its delimiters, so that its parts can be read again. */
export function multipartContent({ multipart, contentId }: Entity, octets: Buffer): PartContent {
  return { ...messageContent(octets), mediaType: `multipart/${multipart}`, contentId }
}

/** Makes a message of an mbox. */
export function messageContent(octets: Buffer): PartContent {
  return {
    name: null,
    mediaType: 'message/rfc822',
    charset: null,
    disposition: null,
    contentId: null,
    octets,
    damage: null,
    flowed: null,
  }
}

function contentOfFile({ name, octets, damage }: Decoded): PartContent {
  return {
    name: octetsToText(name),
    mediaType: 'application/octet-stream',
    charset: null,
    disposition: null,
    contentId: null,
    octets,
    damage,
    flowed: null,
  }
}

/**
 * Joins the lines of format=flowed text (RFC 3676) into paragraphs. A line that ends in a blank continues in the next
 * line of the same quoting depth; `-- ` separates a signature. Lines end in LF.
 */
function unflow(text: string, deleteBlank: boolean): string {
  const lines: string[] = []
  /** The quoting of the paragraph that continues. Null if none does. */
  let open: string | null = null
  let paragraph: string[] = []
  const close = (): void => {
    if (paragraph.length > 0) lines.push(paragraph.join(''))
    paragraph = []
  }
  for (const line of text.split('\n')) {
    const quoting = /^>*/.exec(line)?.[0] ?? ''
    // The sender added a leading blank (RFC 3676 4.4, space-stuffing).
    const content = line.slice(quoting.length).replace(/^ /, '')
    const flows = content.endsWith(' ') && content !== '-- '
    if (open !== quoting || content === '-- ') {
      close()
      if (quoting !== '') paragraph.push(quoting, ' ')
    }
    paragraph.push(flows && deleteBlank ? content.slice(0, -1) : content)
    if (flows) open = quoting
    else {
      open = null
      // An empty line is a line of its own, too.
      lines.push(paragraph.join(''))
      paragraph = []
    }
  }
  close()
  return lines.join('\n')
}
