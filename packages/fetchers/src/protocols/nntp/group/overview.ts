import { octetsToText } from '@retriever/core'
import type { Entry, RetrievalContext } from '../../../contract/fetcher.ts'
import { messageDate } from '../../../kit/text/date.ts'
import { charsetOf, headerText, wordCharsets } from '../../../mime/charset/charset.ts'
import { decodeWords } from '../../../mime/encoded-words.ts'
import { idsIn, withoutBrackets } from '../../../mime/header-fields.ts'
import type { ServerPlan } from '../connection/session.ts'
import { articleUrl } from '../entry-url.ts'
import type { ArticleRange } from './article-range.ts'

/**
 * Makes an entry of one overview line (RFC 3977 8.3.2): number, Subject, From, Date, Message-ID, References, octets,
 * lines, separated by TABs; the last fields may be missing. Subject and From are decoded: encoded words (RFC 2047), and
 * octets beyond ASCII as UTF-8, else in the charset that an encoded word of the line names, else as Latin-1. If the
 * line has another form, the entry has the line as its name.
 */
export function overviewEntry(line: string, plan: ServerPlan): Entry {
  const [number = '', subject = '', from = '', date = '', messageId = '', references = '', octets, lines] =
    line.split('\t')
  if (numberOf(line) === null) {
    return { name: octetsToText(line), kind: 'other', url: null }
  }
  const size = count(octets)
  const lineCount = count(lines)
  const modified = messageDate(date)
  // Only encoded words show which charset the other octets may have.
  const [label] = wordCharsets(line)
  const charset = label === undefined ? null : charsetOf(label)
  const text = (field: string): string => decodeWords(headerText(field, charset))
  return {
    name: text(subject),
    kind: 'article',
    url: articleUrl(plan, plan.newsgroup ?? '', Number(number)),
    ...(size !== undefined && { size }),
    ...(modified !== null && { modified }),
    details: {
      number: Number(number),
      from: text(from),
      messageId: withoutBrackets(octetsToText(messageId)) ?? '',
      references: idsIn(references).map(octetsToText),
      ...(lineCount !== undefined && { lines: lineCount }),
    },
  }
}

/** Returns the number at the beginning of an overview line. Null if there is none. */
function numberOf(line: string): number | null {
  const [, number] = /^(\d{1,16})\t/.exec(line) ?? []
  return number === undefined ? null : Number(number)
}

/**
 * Throws `protocol-violation` for an article outside the range that was asked for: its line belongs to another answer.
 */
export function checkNumber(line: string, { first, last }: ArticleRange, context: RetrievalContext): void {
  const number = numberOf(line)
  if (number === null || (number >= first && number <= last)) return
  const message = `The server lists article ${number}, and was asked for ${first} to ${last}; try again.`
  throw context.error('protocol-violation', message, { phase: 'body' })
}

function count(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,15}$/.test(field) ? Number(field) : undefined
}
