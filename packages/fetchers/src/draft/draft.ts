import { octetsToText } from '@retriever/core'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { addressField, addressOf } from './address.ts'
import { quotedPrintable } from './quoted-printable.ts'
import { fieldLine, phraseWords, textWords } from './words.ts'

/** The addresses and fields of a plan for a mail, one octet a character; names of fields are in lower case. */
export interface Draft {
  readonly to: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Writes the draft: the header fields in the order of RFC 5322 3.6, then the body. Lines end in CR LF. The program that
 * sends the mail adds From and Date (RFC 6068 3). Throws `malformed-url` for an invalid address, and `refused` for a
 * line break in a field, which no policy can allow.
 */
export function draftOf({ to, headers }: Draft, context: RetrievalContext): string {
  for (const [name, value] of [...Object.entries(headers), ...to.map((address) => ['to', address] as const)]) {
    if (name === 'body' || !/[\0\r\n]/.test(value)) continue
    const message = `The header field "${name}" holds a line break or NUL, which would begin another field.`
    throw context.error('refused', message, { phase: 'policy' })
  }
  const { cc, subject, keywords, body = '' } = headers
  const lines: string[] = []
  const add = (name: string, words: readonly string[]): void => {
    if (words.length > 0) lines.push(fieldLine(name, words))
  }
  add('To', listed(to.map((address) => [addressOf(address, context)])))
  add('Cc', listed(cc === undefined ? [] : addressField(cc, context)))
  add('Subject', subject === undefined ? [] : textWords(octetsToText(subject)))
  for (const [field, name] of ids) add(name, messageIds(field, headers[field], context))
  add('Keywords', listed((keywords === undefined ? [] : keywords.split(',')).map(keyword)))
  return `${[...lines, ...bodyLines(octetsToText(body))].join('\r\n')}\r\n`
}

/** The fields whose value is a list of message-ids. */
const ids = [
  ['in-reply-to', 'In-Reply-To'],
  ['references', 'References'],
] as const

/** Puts a comma after each entry of a list but the last, and returns the words. */
function listed(entries: readonly string[][]): string[] {
  return entries.flatMap((words, index) => (index < entries.length - 1 ? withComma(words) : words))
}

function withComma(words: readonly string[]): string[] {
  return words.map((word, index) => (index === words.length - 1 ? `${word},` : word))
}

function keyword(octets: string): string[] {
  return phraseWords(octetsToText(octets).trim())
}

/** Returns a field's message-ids. Leaves out a value without any, and says so: RFC 6068 3 calls it suspect. */
function messageIds(field: string, octets: string | undefined, { emit, url }: RetrievalContext): readonly string[] {
  if (octets === undefined) return []
  const text = octetsToText(octets).trim()
  if (/^(?:<[^<>\0-\x20\x7F-\x9F]{1,900}>[ \t]*)+$/.test(text)) return text.match(/<[^<>]+>/g) ?? []
  emit({ type: 'remark', url, message: `The header field "${field}" was left out: it holds no message-id.` })
  return []
}

/** The longest line of a mail, without its end (RFC 5322 2.1.1). */
const maxLine = 998

/**
 * Returns the fields of the body, a blank line, and the body (RFC 2045). Line breaks become CR LF, and text beyond
 * ASCII becomes UTF-8.
 */
function bodyLines(text: string): string[] {
  const lines = text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/)
  const is7bit = lines.every((line) => line.length <= maxLine && /^[\t\x20-\x7E]*$/.test(line))
  const charset = /^[\0-\x7F]*$/.test(text) ? 'us-ascii' : 'utf-8'
  const fields = ['MIME-Version: 1.0', `Content-Type: text/plain; charset=${charset}`]
  const encoding = `Content-Transfer-Encoding: ${is7bit ? '7bit' : 'quoted-printable'}`
  const body = text === '' ? [] : is7bit ? lines : lines.map(quotedPrintable)
  return [...fields, encoding, '', ...body]
}
