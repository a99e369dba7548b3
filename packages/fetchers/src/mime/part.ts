import { octetsToText, RetrievalError } from '@retriever/core'
import { chunksOf, wholeSource } from '../plugin/byte-source.ts'
import { decodeText, knownCharset } from '../plugin/text.ts'
import { type SaveOptions, save } from '../result/save.ts'
import { charsetOf } from './charset.ts'
import { separateFiles } from './embedded.ts'
import { decodeWords } from './encoded-words.ts'
import { withoutBrackets } from './fields.ts'
import { unflow } from './flowed.ts'
import type { Message } from './message.ts'
import type { Leaf } from './split.ts'
import { decodeTransfer } from './transfer-encoding.ts'
import type { Decoded } from './uuencode.ts'

type ContentFields = 'name' | 'mediaType' | 'charset' | 'disposition' | 'contentId' | 'octets' | 'damage'

/** All that a part is made of, but its number. */
export interface PartContent extends Pick<MessagePart, ContentFields> {
  /** Of format=flowed text: how its lines go together; null for other parts. */
  readonly flowed: { readonly deleteBlank: boolean } | null
}

/**
 * A part of a message that has no parts itself (RFC 2045), or a file that stands in a text, in yEnc or uuencoded. All
 * texts are untrusted.
 */
export class MessagePart {
  /** The first part of its message is 1; multiparts do not count. */
  readonly number: number
  /** As the sender wrote it, decoded: a path, a device, anything. Clean it before a file gets it. Null where there is none. */
  readonly name: string | null
  /** `type/subtype`, lower case; where the part does not say, by the extension of its name, else `text/plain`. */
  readonly mediaType: string
  /** As the part names it, lower case. */
  readonly charset: string | null
  /** RFC 2183, lower case: `inline`, `attachment`. */
  readonly disposition: string | null
  /** Without its angle brackets. */
  readonly contentId: string | null
  /** Without base64, quoted-printable, uuencode and yEnc; all else as it came, lines in CRLF. */
  readonly octets: Uint8Array
  /**
   * Why `octets` are not those that were sent: the length, or the checksum, that yEnc gives. Null: nothing is known to
   * be wrong.
   */
  readonly damage: string | null
  /** The message that the part is (`message/rfc822`), read; null for other parts, and beyond some levels. */
  readonly message: Message | null
  readonly #flowed: PartContent['flowed']

  /** @internal Parts come from readMessage(). */
  constructor(number: number, content: PartContent, message: Message | null) {
    this.number = number
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

  /** Of `octets`. */
  get size(): number {
    return this.octets.length
  }

  /** Something to keep rather than to read: the part says so, or it has a name. */
  get isAttachment(): boolean {
    return this.disposition === 'attachment' || this.name !== null
  }

  /** As text, in its charset, else as representation.text() does; format=flowed is undone, lines end in LF. */
  text(): string {
    const text = this.#decoded().replaceAll('\r\n', '\n')
    return this.#flowed === null ? text : unflow(text, this.#flowed.deleteBlank)
  }

  /** Saves `octets`, as Representation.saveTo does. Rejects with `partial` where they are damaged. */
  async saveTo(path: string, options: SaveOptions = {}): Promise<void> {
    this.throwIfDamaged()
    await save(chunksOf(wholeSource(this.octets)), path, { modified: null, offset: 0 }, options)
  }

  /** Throws `partial` where the octets are not those that were sent. */
  throwIfDamaged(): void {
    if (this.damage === null) return
    const what = `Part ${this.number} of the message is damaged: ${this.damage}`
    throw new RetrievalError('partial', `${what}. Save the message as it is.`, { phase: 'body' })
  }

  #decoded(): string {
    // Senders that say ASCII and send other octets have not looked.
    const charset = this.charset === 'us-ascii' ? null : this.charset
    const other = charset === null || knownCharset(charset) !== null ? null : charsetOf(charset)
    return other?.decode(this.octets) ?? decodeText(this.octets, { mediaType: this.mediaType, charset })
  }
}

/** The contents of a leaf, at least one: those of one part, or of a text and the files that stand in it. */
export function contentsOf({ node, octets }: Leaf): readonly PartContent[] {
  const decoded = decodeTransfer(octets, node.encoding || '')
  const id = node.headers === false ? '' : node.headers.getFirst('Content-ID')
  const part: PartContent = {
    name: node.filename === false ? null : decodeWords(octetsToText(node.filename)) || null,
    mediaType: mediaTypeOf(node),
    charset: node.charset === false ? null : node.charset.toLowerCase(),
    disposition: node.disposition || null,
    contentId: withoutBrackets(octetsToText(id)),
    octets: decoded,
    damage: null,
    flowed: node.flowed ? { deleteBlank: node.delSp } : null,
  }
  if (fileEncodings.has(node.encoding || '')) {
    const [file] = separateFiles(decoded).files
    if (file === undefined) return [part]
    return [{ ...part, name: part.name ?? octetsToText(file.name), octets: file.octets, damage: file.damage }]
  }
  if (part.mediaType !== 'text/plain' || part.name !== null || part.disposition === 'attachment') return [part]
  const { text, files } = separateFiles(decoded)
  const isBlank = files.length > 0 && text.toString('latin1').trim() === ''
  return [...(isBlank ? [] : [{ ...part, octets: text }]), ...files.map(contentOfFile)]
}

/**
 * Transfer encodings that hold one file, of their own names for uuencode and yEnc (RFC 2045 6.3 allows `x-` tokens).
 */
const fileEncodings: ReadonlySet<string> = new Set([
  'x-uuencode',
  'x-uue',
  'uuencode',
  'uue',
  'x-yencode',
  'x-yenc',
  'yenc',
])

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

function mediaTypeOf(node: Leaf['node']): string {
  // A multipart without parts is shown as the text that it is.
  if (node.multipart || node.headers === false) return 'text/plain'
  // RFC 2046 5.1.5
  const isDigest = node.parentNode !== false && node.parentNode.multipart === 'digest'
  if (isDigest && !node.headers.hasHeader('Content-Type')) return 'message/rfc822'
  // RFC 2045 5.2: what is no media type is to be taken for text.
  return node.contentType && /^[^\s/]+\/[^\s/]+$/.test(node.contentType) ? node.contentType : 'text/plain'
}
