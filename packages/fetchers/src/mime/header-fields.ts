import { octetsToText } from '@retriever/core'
import { messageDate } from '../kit/text/date.ts'
import { type Charset, headerText } from './charset.ts'
import { decodeWords } from './encoded-words.ts'
import { trimBlanks } from './parameters.ts'

/** A header field. It is untrusted text, which may have control characters. */
export interface HeaderField {
  /** The name as the message writes it. */
  readonly name: string
  /**
   * The value, unfolded and decoded: octets as UTF-8 if they are valid, else in the charset of the message's text, else
   * as Latin-1; then the encoded words of RFC 2047.
   */
  readonly value: string
}

/** The fields that news and mail have in common, and Newsgroups. If a field occurs twice, the first counts. */
export interface WellKnownFields {
  readonly subject: string | null
  readonly from: string | null
  /** The date; null if the field is missing or no date. */
  readonly date: Date | null
  /** The names of groups (RFC 5536 3.1.4); empty for mail. */
  readonly newsgroups: readonly string[]
  /** The id without angle brackets, like `references`. */
  readonly messageId: string | null
  /** The ids of References, the oldest first. */
  readonly references: readonly string[]
}

/** Reads a field of the message, with folds, one octet a character; null for a line without a name. */
export function headerField(line: string, charset: Charset | null): HeaderField | null {
  const colon = line.indexOf(':')
  if (colon < 1) return null
  // RFC 5322 2.2.3: unfolding removes only the line end.
  const unfolded = line.slice(colon + 1).replace(/\r?\n(?=[ \t])/g, '')
  return {
    name: octetsToText(line.slice(0, colon).trim()),
    value: decodeWords(headerText(trimBlanks(unfolded), charset)),
  }
}

export function wellKnown(headers: readonly HeaderField[]): WellKnownFields {
  const first = (name: string): string | null =>
    headers.find((field) => field.name.toLowerCase() === name)?.value ?? null
  return {
    subject: first('subject'),
    from: first('from'),
    date: messageDate(first('date') ?? ''),
    newsgroups: (first('newsgroups') ?? '').split(',').flatMap((group) => group.trim() || []),
    messageId: withoutBrackets(first('message-id')),
    references: idsIn(first('references') ?? ''),
  }
}

/** The ids of References, without their angle brackets: `<1@host> <2@host>`. */
export function idsIn(field: string): string[] {
  return field.match(/<[^<>\s]+>/g)?.map((id) => id.slice(1, -1)) ?? []
}

/** The id without its angle brackets, as in URLs: `id@host` of `<id@host>`. */
export function withoutBrackets(id: string | null): string | null {
  return id?.trim().replace(/^<(.*)>$/, '$1') || null
}
