import { seedTime } from '../files/tree.ts'

/** An article. Its lines end in CRLF, one char an octet. */
export interface Article {
  readonly number: number
  readonly group: string
  readonly messageId: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

export interface Draft {
  readonly id: string
  readonly subject: string
  readonly from?: string
  readonly date?: Date
  readonly more?: readonly (readonly [string, string])[]
  /** The body; its lines end in LF. */
  readonly body: string
}

const ANN = 'Ann Author <ann@example.net>'

export function article(group: string, number: number, draft: Draft): Article {
  return {
    number,
    group,
    messageId: `<${draft.id}>`,
    headers: [
      ['Path', 'news.example.net!not-for-mail'],
      ['From', draft.from ?? ANN],
      ['Newsgroups', group],
      ['Subject', draft.subject],
      ['Date', (draft.date ?? seedTime).toUTCString().replace('GMT', '+0000')],
      ['Message-ID', `<${draft.id}>`],
      ...(draft.more ?? []),
    ],
    body: draft.body.replaceAll('\n', '\r\n'),
  }
}

export function head(article: Article): string {
  return article.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

/**
 * The overview line: Subject, From, Date, Message-ID, References, :bytes, :lines, with TAB between them (RFC 3977,
 * 8.4).
 */
export function overview(article: Article): string {
  const field = (name: string): string => article.headers.find(([key]) => key === name)?.[1] ?? ''
  const octets = head(article).length + 2 + article.body.length
  const lines = article.body.split('\r\n').length - 1
  const fields = [...['Subject', 'From', 'Date', 'Message-ID', 'References'].map(field), String(octets), String(lines)]
  return `${article.number}\t${fields.join('\t')}`
}
