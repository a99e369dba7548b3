import { decodeOctets, octetsToText } from '@retriever/core'
import { invalidOption } from '../limits.ts'
import { checkOptions, type OptionKind } from '../options.ts'
import { Representation } from '../representation.ts'
import { type HeaderField, headerField, type WellKnownFields, wellKnown } from './fields.ts'
import { MessagePart } from './part.ts'
import { splitMessage } from './split.ts'

/** Where a message would cost more than its octets. */
export interface ReadMessageOptions {
  /** Parts, those that hold others included. Default 1000. */
  readonly maxParts?: number
  /** Octets of the header of the message, and of each part. Default 65,536. */
  readonly maxHeader?: number
}

const atLeastOne: OptionKind = ['a number of 1 or more', (value) => typeof value === 'number' && value >= 1]
const optionKinds: Readonly<Record<keyof ReadMessageOptions, OptionKind>> = {
  maxParts: atLeastOne,
  maxHeader: atLeastOne,
}

/** A news article or a mail (RFC 5322, 5536, 2045), read. All texts in it are untrusted. */
export class Message implements WellKnownFields {
  /** All fields, in their order. */
  readonly headers: readonly HeaderField[]
  readonly subject: string | null
  readonly from: string | null
  readonly date: Date | null
  readonly newsgroups: readonly string[]
  readonly messageId: string | null
  readonly references: readonly string[]
  /** In their order; a message without MIME is one text. */
  readonly parts: readonly MessagePart[]
  /** Those that `text` is made of: texts that are no attachments, plain ones if there are any, else HTML. */
  readonly body: readonly MessagePart[]
  /** What a person reads; HTML reduced to text. Lines end in LF. "" where there is no text. */
  readonly text: string

  /** @internal Messages come from readMessage(). */
  constructor(
    headers: readonly HeaderField[],
    parts: readonly MessagePart[],
    body: readonly MessagePart[],
    text: string,
  ) {
    const { subject, from, date, newsgroups, messageId, references } = wellKnown(headers)
    this.headers = headers
    this.subject = subject
    this.from = from
    this.date = date
    this.newsgroups = newsgroups
    this.messageId = messageId
    this.references = references
    this.parts = parts
    this.body = body
    this.text = text
  }

  /**
   * A part by its number, by the URL `cid:CONTENT-ID` or `mid:MESSAGE-ID/CONTENT-ID` (RFC 2392), or by its name, the first of that name.
   * Null where there is none; a `mid:` of another message names none of this one.
   */
  part(which: number | string): MessagePart | null {
    const text = String(which)
    const found =
      (/^\d+$/.test(text) ? this.parts.find(({ number }) => number === Number(text)) : this.#byId(text)) ??
      this.parts.find(({ name }) => name === text)
    return found ?? null
  }

  #byId(url: string): MessagePart | undefined {
    const [, scheme, path = ''] = /^(cid|mid):(.*)$/is.exec(url) ?? []
    if (scheme === undefined) return undefined
    // The raw slash is between the ids; one of an id is escaped (RFC 2392 2).
    const ids = path.split('/').map((id) => octetsToText(decodeOctets(id)))
    const contentId = scheme.toLowerCase() === 'cid' ? ids.join('/') : ids[0] === this.messageId ? ids[1] : undefined
    return contentId === undefined ? undefined : this.parts.find((part) => part.contentId === contentId)
  }
}

/**
 * Reads a message out of its octets, or out of a representation of one, up to limits.maxCollected. Whatever it is made of, something comes
 * out of it, but for `limit-exceeded`: more parts, or a longer header, than the options allow.
 */
export async function readMessage(
  source: Uint8Array | Representation,
  options: ReadMessageOptions = {},
): Promise<Message> {
  checkOptions(options, optionKinds)
  if (!(source instanceof Uint8Array || source instanceof Representation)) {
    throw invalidOption('source', 'a Uint8Array or a Representation', source)
  }
  const { maxParts = 1000, maxHeader = 65_536 } = options
  const url = source instanceof Representation ? source.url : null
  const octets = source instanceof Representation ? await source.bytes() : source
  const { root, leaves } = await splitMessage(octets, { maxParts, maxHeader, url })
  const lines = root === null || root.headers === false ? [] : root.headers.getList()
  const parts = leaves.map((leaf, index) => new MessagePart(index + 1, leaf))
  const body = readable(parts)
  return new Message(
    lines.flatMap(({ line }) => headerField(line) ?? []),
    parts,
    body,
    await textOf(body),
  )
}

function readable(parts: readonly MessagePart[]): readonly MessagePart[] {
  const texts = parts.filter(({ isAttachment }) => !isAttachment)
  const plain = texts.filter(({ mediaType }) => mediaType === 'text/plain')
  return plain.length > 0 ? plain : texts.filter(({ mediaType }) => mediaType === 'text/html')
}

async function textOf(body: readonly MessagePart[]): Promise<string> {
  const isHtml = body.some(({ mediaType }) => mediaType === 'text/html')
  const { htmlText } = isHtml ? await import('./html-text.ts') : { htmlText: String }
  return body.map((part) => htmlText(part.text())).join('\n')
}
