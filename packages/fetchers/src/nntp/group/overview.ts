import { octetsToText } from '@retriever/core'
import { charsetOf, headerText, wordCharsets } from '../../mime/charset.ts'
import { decodeWords } from '../../mime/encoded-words.ts'
import { idsIn, withoutBrackets } from '../../mime/header-fields.ts'
import { messageDate } from '../../plugin/date.ts'
import type { Entry, RetrievalContext } from '../../plugin/fetcher.ts'
import type { ServerPlan } from '../connection/session.ts'
import { articleUrl } from '../entry-url.ts'
import type { Extent } from './article-range.ts'

/**
 * One line of an overview as an entry (RFC 3977 8.3.2): number, Subject, From, Date, Message-ID, References, octets,
 * lines, with TABs between; trailing ones may be missing. Subject and From come decoded: the words of RFC 2047, and
 * octets beyond ASCII as UTF-8, else in the charset that a word of the line names, else as Latin-1. A line that is none
 * is passed on as it is.
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
  // The line says nothing of the charset of its octets but what its encoded words say.
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

/** The number of an overview's line; null where the line is none. */
function numberOf(line: string): number | null {
  const [, number] = /^(\d{1,16})\t/.exec(line) ?? []
  return number === undefined ? null : Number(number)
}

/** Throws `protocol-violation` for an article that was not asked for: the line belongs to another answer. */
export function checkNumber(line: string, { first, last }: Extent, context: RetrievalContext): void {
  const number = numberOf(line)
  if (number === null || (number >= first && number <= last)) return
  const message = `The server lists article ${number}, and was asked for ${first} to ${last}; try again.`
  throw context.error('protocol-violation', message, { phase: 'body' })
}

function count(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,15}$/.test(field) ? Number(field) : undefined
}
