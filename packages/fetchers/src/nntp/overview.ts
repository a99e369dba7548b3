import { octetsToText } from '@retriever/core'
import type { Entry } from '../fetcher.ts'
import { articleUrl } from './entry-url.ts'
import type { ServerPlan } from './session.ts'

/**
 * One line of an overview as an entry (RFC 3977 8.3.2): number, Subject, From, Date, Message-ID, References, octets, lines,
 * with TABs between; trailing ones may be missing. A line that is none is passed on as it is.
 */
export function overviewEntry(line: string, plan: ServerPlan): Entry {
  const [number = '', subject = '', from = '', date = '', messageId = '', references = '', octets, lines] =
    line.split('\t')
  if (!/^\d{1,16}$/.test(number) || !line.includes('\t')) {
    return { name: octetsToText(line), kind: 'other', url: null }
  }
  const size = count(octets)
  const lineCount = count(lines)
  const modified = articleDate(date)
  return {
    name: octetsToText(subject),
    kind: 'article',
    url: articleUrl(plan, plan.newsgroup ?? '', Number(number)),
    ...(size !== undefined && { size }),
    ...(modified !== undefined && { modified }),
    details: {
      number: Number(number),
      from: octetsToText(from),
      messageId: octetsToText(messageId).replace(/^<(.*)>$/, '$1'),
      references: references.match(/<[^<>\s]+>/g)?.map((reference) => octetsToText(reference.slice(1, -1))) ?? [],
      ...(lineCount !== undefined && { lines: lineCount }),
    },
  }
}

function count(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,15}$/.test(field) ? Number(field) : undefined
}

/** RFC 5322 3.3, as far as news has it: `Sat, 03 Feb 2001 04:05:06 +0000 (UTC)`, `3 Feb 01 04:05 GMT`. */
const datePattern =
  /^\s*(?:[A-Za-z]{3},\s*)?(\d{1,2} [A-Za-z]{3} \d{2,4} \d{1,2}:\d\d(?::\d\d)? (?:[+-]\d{4}|[A-Z]{1,4}))\b/

function articleDate(field: string): Date | undefined {
  // The pattern first: Date.parse alone takes nearly any text for a date.
  const [, text] = datePattern.exec(field.replace(/\s+/g, ' ')) ?? []
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time)
}
