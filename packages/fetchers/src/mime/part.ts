import { octetsToText } from '@retriever/core'
import { type SaveOptions, save } from '../save.ts'
import { decodeText } from '../text.ts'
import { decodeWords } from './encoded-words.ts'
import { withoutBrackets } from './fields.ts'
import { unflow } from './flowed.ts'
import type { Leaf } from './split.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** A part of a message that has no parts itself (RFC 2045). All texts are untrusted. */
export class MessagePart {
  /** The first part of the message is 1; multiparts do not count. */
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
  /** Without base64 and quoted-printable; all else as it came, lines in CRLF. */
  readonly octets: Uint8Array
  /** Of format=flowed text: how its lines go together; null for other parts. */
  readonly #flowed: { readonly deleteBlank: boolean } | null

  /** @internal Parts come from readMessage(). */
  constructor(number: number, { node, octets }: Leaf) {
    this.number = number
    this.name = node.filename === false ? null : decodeWords(octetsToText(node.filename)) || null
    this.mediaType = mediaTypeOf(node)
    this.charset = node.charset === false ? null : node.charset.toLowerCase()
    this.disposition = node.disposition || null
    const id = node.headers === false ? '' : node.headers.getFirst('Content-ID')
    this.contentId = withoutBrackets(octetsToText(id))
    this.octets = decodeTransfer(octets, node.encoding || '')
    this.#flowed = node.flowed ? { deleteBlank: node.delSp } : null
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
    // Who says ASCII and sends other octets has not looked.
    const charset = this.charset === 'us-ascii' ? null : this.charset
    const text = decodeText(this.octets, { mediaType: this.mediaType, charset }).replaceAll('\r\n', '\n')
    return this.#flowed === null ? text : unflow(text, this.#flowed.deleteBlank)
  }

  /** Saves `octets`, as Representation.saveTo does. */
  saveTo(path: string, options: SaveOptions = {}): Promise<void> {
    return save(chunks(this.octets), path, { modified: null, offset: 0 }, options)
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

async function* chunks(octets: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield octets
}
