/** The seed of the NNTP server: three groups and their articles, CRLF lines, one char an octet. */
export interface Article {
  readonly number: number
  readonly group: string
  readonly messageId: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

export interface Group {
  readonly name: string
  readonly description: string
  readonly articles: readonly Article[]
}

interface Draft {
  readonly id: string
  readonly subject: string
  readonly from?: string
  readonly more?: readonly (readonly [string, string])[]
  readonly body: string
}

const ANN = 'Ann Author <ann@example.net>'

const announce: readonly Draft[] = [
  { id: 'welcome@example.net', subject: 'Welcome', body: 'This is the test news server.\n' },
  { id: 'charter@example.net', subject: 'Charter', body: 'One announcement a year.\n\nNo more.\n' },
]

const test: readonly Draft[] = [
  { id: 'one@example.net', subject: 'A first test', body: 'One line.\n' },
  {
    id: 'two@example.net',
    subject: 'Re: A first test',
    more: [['References', '<one@example.net>']],
    body: '> One line.\n\nTwo lines.\n',
  },
  { id: 'dots@example.net', subject: 'Lines with dots', body: '.\n..\n.leading dot\nin . the middle\n...\n' },
  {
    id: 'utf8@example.net',
    subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_und_ein_=E2=82=AC?=',
    from: '=?UTF-8?B?SsO8cmdlbg==?= <juergen@example.net>',
    more: [
      ['MIME-Version', '1.0'],
      ['Content-Type', 'text/plain; charset=UTF-8'],
      ['Content-Transfer-Encoding', '8bit'],
    ],
    body: Buffer.from('Grüße, und das kostet 5 €.\n', 'utf8').toString('latin1'),
  },
  {
    id: 'multipart@example.net',
    subject: 'A text and an attachment',
    more: [
      ['MIME-Version', '1.0'],
      ['Content-Type', 'multipart/mixed; boundary="cut here"'],
    ],
    body: [
      'For readers without MIME.\n',
      '--cut here\nContent-Type: text/plain; charset=us-ascii\n\nSee the attachment.\n',
      '--cut here\nContent-Type: application/octet-stream; name="a.bin"\nContent-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename="a.bin"\n\nAAECAwQFBgcICQoLDA0ODw==\n',
      '--cut here--\n',
    ].join('\n'),
  },
  { id: 'empty/body+odd%25@example.net', subject: 'An empty body and an odd message-id', body: '' },
]

function articles(group: string, drafts: readonly Draft[], first: number): readonly Article[] {
  return drafts.map((draft, index) => ({
    number: first + index,
    group,
    messageId: `<${draft.id}>`,
    headers: [
      ['Path', 'news.example.net!not-for-mail'],
      ['From', draft.from ?? ANN],
      ['Newsgroups', group],
      ['Subject', draft.subject],
      ['Date', 'Sat, 03 Feb 2001 04:05:06 +0000'],
      ['Message-ID', `<${draft.id}>`],
      ...(draft.more ?? []),
    ],
    body: draft.body.replaceAll('\n', '\r\n'),
  }))
}

/** Numbers do not begin at 1 in the announce group: a client must not guess them. */
export const seedGroups: readonly Group[] = [
  {
    name: 'retriever.announce',
    description: 'News of the test server.',
    articles: articles('retriever.announce', announce, 41),
  },
  { name: 'retriever.empty', description: 'A group without articles.', articles: [] },
  { name: 'retriever.test', description: 'Tests.', articles: articles('retriever.test', test, 1) },
]

export function head(article: Article): string {
  return article.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

/** Subject, From, Date, Message-ID, References, :bytes, :lines (RFC 3977, 8.4), TAB between them. */
export function overview(article: Article): string {
  const field = (name: string): string => article.headers.find(([key]) => key === name)?.[1] ?? ''
  const octets = head(article).length + 2 + article.body.length
  const lines = article.body.split('\r\n').length - 1
  const fields = [...['Subject', 'From', 'Date', 'Message-ID', 'References'].map(field), String(octets), String(lines)]
  return `${article.number}\t${fields.join('\t')}`
}

export function low(group: Group): number {
  return group.articles[0]?.number ?? 1
}

/** One less than `low` in an empty group (RFC 3977, 6.1.1.2). */
export function high(group: Group): number {
  return group.articles.at(-1)?.number ?? 0
}
