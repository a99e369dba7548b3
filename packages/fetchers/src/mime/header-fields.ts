import { octetsToText } from '@retriever/core'
import { trimBlanks } from '../kit/text/blanks.ts'
import { messageDate } from '../kit/text/date.ts'
import { type Charset, headerText } from './charset/charset.ts'
import { decodeWords } from './encoded-words.ts'

/** A header field. Its text is untrusted, and may have control characters. */
export interface HeaderField {
  /** The name as the message writes it. */
  readonly name: string
  /**
   * The unfolded, decoded value: octets are UTF-8 if they are valid, else in the charset of the message's text, else
   * Latin-1. Then the encoded words of RFC 2047 are decoded.
   */
  readonly value: string
}

/** The fields that news and mail have in common, and Newsgroups. If a field occurs twice, the first counts. */
export interface WellKnownFields {
  readonly subject: string | null
  readonly from: string | null
  /** The date. Null if the field is missing or holds no date. */
  readonly date: Date | null
  /** The names of groups (RFC 5536 3.1.4); empty for mail. */
  readonly newsgroups: readonly string[]
  /** The id without angle brackets, as in `references`. */
  readonly messageId: string | null
  /** The ids of References, oldest first. */
  readonly references: readonly string[]
}

/** Reads a field with its folds, one octet a character. Returns null for a line without a name. */
export function headerField(line: string, charset: Charset | null): HeaderField | null {
  const colon = line.indexOf(':')
  if (colon < 1) return null
  // Unfolding removes only the line end (RFC 5322 2.2.3).
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

/** Returns the ids of References, such as `<1@host> <2@host>`, without angle brackets. */
export function idsIn(field: string): string[] {
  return field.match(/<[^<>\s]+>/g)?.map((id) => id.slice(1, -1)) ?? []
}

/** Returns the id without angle brackets, as URLs have it: `id@host` for `<id@host>`. */
export function withoutBrackets(id: string | null): string | null {
  return id?.trim().replace(/^<(.*)>$/, '$1') || null
}
