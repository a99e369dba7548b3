import type { RetrievalContext } from '@retriever/fetchers/plugin'
import { expect, test } from 'vitest'
import { messageEntries } from '../../packages/fetchers/src/mime/entries.ts'

test('parts have the numbers that IMAP gives them (RFC 3501 6.4.5)', async () => {
  const text = [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    '',
    'one',
    '--a',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    '',
    'plain',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>html',
    '--b--',
    '--a',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    '',
    'text',
    '--a',
    'Content-Type: message/rfc822',
    '',
    'Content-Type: multipart/mixed; boundary=c',
    '',
    '--c',
    '',
    'x',
    '--c',
    '',
    'y',
    '--c--',
    '--a--',
    '',
  ].join('\r\n')
  const sections = await sectionsOf(text)
  expect(sections).toEqual([
    [1, '1'],
    [2, '2.1'],
    [3, '2.2'],
    [4, '3'],
    ['4.1', '3.1'],
    [5, '4'],
    ['5.1', '4.1'],
    ['5.2', '4.2'],
  ])
})

test('a file within a text has none, and neither has the text beside it', async () => {
  expect(await sectionsOf('Subject: x\r\n\r\nhere:\r\nbegin 644 a.txt\r\n#86)C\r\n`\r\nend\r\n')).toEqual([
    [1, null],
    [2, null],
  ])
  expect(await sectionsOf('Subject: x\r\n\r\nhi')).toEqual([[1, '1']])
})

async function sectionsOf(text: string): Promise<unknown[]> {
  async function* body() {
    yield Buffer.from(text)
  }
  const context = { limits: { maxCollected: 10_000 } } as RetrievalContext
  const found: unknown[] = []
  for await (const { details, url } of messageEntries(body(), context, (section) => section))
    found.push([details?.number, url])
  return found
}
