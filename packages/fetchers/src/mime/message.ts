import { decodeOctets, octetsToText, RetrievalError } from '@retriever/core'
import { Representation } from '../body/representation.ts'
import { invalidOption } from '../kit/limits.ts'
import { checkOptions, type OptionKind } from '../kit/options.ts'
import { bodyOf } from './body-parts.ts'
import { type Charset, charsetOf, loadCharsets, wordCharsets } from './charset/charset.ts'
import { contentIds } from './content-ids.ts'
import type { Entity } from './entity.ts'
import { type HeaderField, headerField, type WellKnownFields, wellKnown } from './header-fields.ts'
import { messagesOf } from './mailbox.ts'
import { contentsOf, MessagePart, messageContent, type PartContent } from './part.ts'
import { type MessageLimits, type SplitMessage, splitMessage, tooManyParts } from './split-message.ts'

/** Limits the memory that a message needs beyond its octets. */
export interface ReadMessageOptions {
  /** The most parts, including multiparts. Default 1000. */
  readonly maxParts?: number
  /** The most octets of the message's header, and of that of each part. Default 65,536. */
  readonly maxHeader?: number
}

const atLeastOne: OptionKind = ['a number of 1 or more', (value) => typeof value === 'number' && value >= 1]
const optionKinds: Readonly<Record<keyof ReadMessageOptions, OptionKind>> = {
  maxParts: atLeastOne,
  maxHeader: atLeastOne,
}

/** A news article or mail (RFC 5322, 5536, 2045). All its texts are untrusted. */
export class Message implements WellKnownFields {
  /** All fields, in order. */
  readonly headers: readonly HeaderField[]
  readonly subject: string | null
  readonly from: string | null
  readonly date: Date | null
  readonly newsgroups: readonly string[]
  readonly messageId: string | null
  readonly references: readonly string[]
  /** The parts in order. A message without MIME has one part, its text. */
  readonly parts: readonly MessagePart[]
  /**
   * The parts that make up `text`: plain texts and HTML that are no attachments. Among alternatives it is the plain
   * text, unless that is blank.
   */
  readonly body: readonly MessagePart[]
  /** The text that a person reads; HTML is reduced to text. Lines end in LF. "" if there is no text. */
  readonly text: string
  readonly #contentIds: ReadonlyMap<string, MessagePart>

  /** @internal readMessage() makes messages. */
  constructor(
    headers: readonly HeaderField[],
    parts: readonly MessagePart[],
    body: readonly MessagePart[],
    text: string,
    ids: ReadonlyMap<string, MessagePart>,
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
    this.#contentIds = ids
  }

  /**
   * Returns a part by its number (`2`; `2.1` is the first part of the message in part 2), by the URL `cid:CONTENT-ID`
   * or `mid:MESSAGE-ID/CONTENT-ID` (RFC 2392), or by its name (the first with that name). Null if there is none, or if
   * the `mid:` names neither this message nor one within it. Of several alternatives with one Content-ID, the last
   * counts.
   */
  part(which: number | string): MessagePart | null {
    const text = String(which)
    const found =
      (/^\d+(?:\.\d+)*$/.test(text) ? this.#byNumber(text) : this.#byId(text)) ??
      this.parts.find(({ name }) => name === text)
    return found ?? null
  }

  /** Yields all parts with their numbers. After a part that is a message come the parts within it: `1`, `2`, `2.1`. */
  *allParts(): Generator<readonly [number: string, part: MessagePart], void, void> {
    for (const part of this.parts) {
      yield [String(part.number), part]
      if (part.message === null) continue
      for (const [number, inner] of part.message.allParts()) yield [`${part.number}.${number}`, inner]
    }
  }

  #byNumber(path: string): MessagePart | undefined {
    const [first, ...rest] = path.split('.')
    const part = this.parts.find(({ number }) => number === Number(first))
    return rest.length === 0 ? part : (part?.message?.part(rest.join('.')) ?? undefined)
  }

  #byId(url: string): MessagePart | undefined {
    const [, scheme, path = ''] = /^(cid|mid):(.*)$/is.exec(url) ?? []
    if (scheme === undefined) return undefined
    // A raw slash separates the ids, and a slash within an id is escaped (RFC 2392 2).
    if (scheme.toLowerCase() === 'cid') return this.#byContentId(path)
    const [messageId = '', contentId] = path.split('/')
    const message = this.#withMessageId(decodedId(messageId))
    return message === undefined || contentId === undefined ? undefined : message.#byContentId(contentId)
  }

  #byContentId(id: string): MessagePart | undefined {
    // The example in RFC 2392 2 has the encoded id in the header, too, and some senders follow it.
    return this.#withContentId(decodedId(id)) ?? this.#withContentId(id)
  }

  #withContentId(id: string): MessagePart | undefined {
    const own = this.#contentIds.get(id)
    if (own !== undefined) return own
    for (const { message } of this.parts) {
      const inner = message === null ? undefined : message.#withContentId(id)
      if (inner !== undefined) return inner
    }
    return undefined
  }

  #withMessageId(id: string): Message | undefined {
    if (id === this.messageId) return this
    for (const { message } of this.parts) {
      const inner = message === null ? undefined : message.#withMessageId(id)
      if (inner !== undefined) return inner
    }
    return undefined
  }
}

/**
 * Reads a message from its octets, or from its representation up to limits.maxCollected. Reads as much of a malformed
 * message as makes sense. Rejects with `limit-exceeded` if it has more parts or a longer header than the options allow.
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
  return readOctets(octets, { maxParts, maxHeader, url }, maxLevels)
}

/** How many levels of messages within messages are read. Each level is parsed again by every level above it. */
const maxLevels = 8

async function readOctets(octets: Uint8Array, limits: MessageLimits, levels: number): Promise<Message> {
  const mailbox = messagesOf(Buffer.from(octets.buffer, octets.byteOffset, octets.length))
  if (mailbox !== null) return readMailbox(mailbox, limits, levels)
  const split = splitMessage(octets, limits)
  const [root] = split.entities
  await loadCharsets(charsetLabels(split))
  const contents = split.leaves.map(contentsOf)
  const count = split.entities.length + contents.flat().length - contents.length
  if (count > limits.maxParts) throw tooManyParts(limits)
  const sections = sectionsOf(split)
  const partsOf = new Map<Entity, readonly MessagePart[]>()
  const parts: MessagePart[] = []
  let left = limits.maxParts - count
  for (const [index, { entity }] of split.leaves.entries()) {
    const own: MessagePart[] = []
    const all = contents[index] ?? []
    const section = all.length === 1 ? (sections.get(entity) ?? null) : null
    for (const content of all) {
      const message = await readWithin(content, { ...limits, maxParts: left }, levels)
      left -= message === null ? 0 : partCount(message)
      own.push(new MessagePart(parts.length + own.length + 1, content, message, section))
    }
    partsOf.set(entity, own)
    parts.push(...own)
  }
  const body = bodyOf(split, partsOf)
  const charset = charsetOfHeader(body[0] ?? parts[0])
  return new Message(
    (root?.fields ?? []).flatMap((line) => headerField(line, charset) ?? []),
    parts,
    body,
    await textOf(body),
    contentIds(split, partsOf),
  )
}

/**
 * Returns the position of each entity in its multiparts (RFC 3501 6.4.5), such as `1.2`. A message without multiparts
 * is part 1.
 */
function sectionsOf({ entities }: SplitMessage): ReadonlyMap<Entity, string> {
  const sections = new Map<Entity, string>()
  const counts = new Map<Entity, number>()
  for (const entity of entities) {
    const { parent } = entity
    if (parent === null) {
      if (entity.multipart === null) sections.set(entity, '1')
      continue
    }
    const count = (counts.get(parent) ?? 0) + 1
    counts.set(parent, count)
    const outer = sections.get(parent)
    sections.set(entity, outer === undefined ? String(count) : `${outer}.${count}`)
  }
  return sections
}

/** Reads an mbox. Each of its messages becomes a part, unless there is only one. */
async function readMailbox(messages: readonly Buffer[], limits: MessageLimits, levels: number): Promise<Message> {
  const [first] = messages
  // `levels` ends this if each message begins with another such line.
  if (messages.length === 1 && first !== undefined && levels > 1) return readOctets(first, limits, levels - 1)
  if (messages.length > limits.maxParts) throw tooManyParts(limits)
  const parts: MessagePart[] = []
  let left = limits.maxParts - messages.length
  for (const [index, octets] of messages.entries()) {
    const content = messageContent(octets)
    const message = await readWithin(content, { ...limits, maxParts: left }, levels)
    left -= message === null ? 0 : partCount(message)
    parts.push(new MessagePart(index + 1, content, message))
  }
  return new Message([], parts, [], '', new Map())
}

/** Decodes an id of a cid or mid URL. */
function decodedId(id: string): string {
  return octetsToText(decodeOctets(id))
}

/**
 * Reads a part that is a message. Returns null for another part, and for a message that exceeds the rest of the limits.
 */
async function readWithin(
  { mediaType, octets }: PartContent,
  limits: MessageLimits,
  levels: number,
): Promise<Message | null> {
  if (!messageTypes.has(mediaType) || levels <= 1 || limits.maxParts < 1) return null
  try {
    return await readOctets(octets, limits, levels - 1)
  } catch (error) {
    if (RetrievalError.is(error) && error.code === 'limit-exceeded') return null
    throw error
  }
}

const messageTypes: ReadonlySet<string> = new Set(['message/rfc822', 'message/news', 'message/global'])

function partCount({ parts }: Message): number {
  return parts.reduce((sum, { message }) => sum + 1 + (message === null ? 0 : partCount(message)), 0)
}

/** Returns the charset labels of parts, parameters and encoded words. */
function charsetLabels({ entities }: SplitMessage): string[] {
  return entities.flatMap(({ charsetLabels, fields }) => [
    ...charsetLabels,
    ...fields.flatMap((field) => [...wordCharsets(field)]),
  ])
}

/** Raw octets beyond ASCII in the header are probably in the charset of the text. */
function charsetOfHeader(part: MessagePart | undefined): Charset | null {
  return part?.charset ? charsetOf(part.charset) : null
}

async function textOf(body: readonly MessagePart[]): Promise<string> {
  const isHtml = body.some(({ mediaType }) => mediaType === 'text/html')
  const { htmlText } = isHtml ? await import('./html-text.ts') : { htmlText: String }
  return body.map((part) => (part.mediaType === 'text/html' ? htmlText(part.text()) : part.text())).join('\n')
}
