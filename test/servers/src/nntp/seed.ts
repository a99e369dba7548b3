import type { Draft } from './articles.ts'

export const announce: readonly Draft[] = [
  { id: 'welcome@example.net', subject: 'Welcome', body: 'This is the test news server.\n' },
  { id: 'charter@example.net', subject: 'Charter', body: 'One announcement a year.\n\nNo more.\n' },
]

export const test: readonly Draft[] = [
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
