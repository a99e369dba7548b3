/** Which parts of a message a person reads, messages within messages, and what would take long. */
import { createClient } from '@retriever/fetchers'
import { type Message, readMessage } from '@retriever/fetchers/mime'
import { describe, expect, test } from 'vitest'
import { scriptedNews } from '../protocols/nntp/support/scripted-news.ts'
import { entriesOf } from '../support/entries.ts'
import { expectLinear, filled } from '../support/growth.ts'

function read(text: string): Promise<Message> {
  return readMessage(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'))
}

function multipart(type: string, boundary: string, ...parts: readonly string[]): string {
  const within = parts.map((part) => `--${boundary}\n${part}\n`).join('')
  return `Content-Type: multipart/${type}; boundary=${boundary}\n\n${within}--${boundary}--`
}

const plain = (text: string, more = ''): string => `Content-Type: text/plain${more}\n\n${text}`
const html = (text: string, more = ''): string => `Content-Type: text/html${more}\n\n${text}`
const image = 'Content-Type: image/png; name=a.png\n\nPNG'

describe('the text of a message is there where there is one', () => {
  test.each<[what: string, message: string, text: string, parts: readonly number[]]>([
    ['one part with a file name', plain('Hello', '; name="letter.txt"'), 'Hello', [1]],
    ['one part that is an attachment', `Content-Disposition: attachment\n${plain('Hello')}`, 'Hello', [1]],
    ['one patch', 'Content-Type: text/x-patch; name=a.patch\n\n+1', '+1', [1]],
    ['a named text and an image', multipart('mixed', 'b', plain('Hello', '; name=a.txt'), image), 'Hello', [1]],
    [
      'HTML and the footer of a list',
      multipart('mixed', 'b', html('<p>Hi'), plain('-- list')),
      'Hi\n\n-- list',
      [1, 2],
    ],
    ['an empty text beside HTML', multipart('alternative', 'b', plain(' \n'), html('<p>Hi')), 'Hi\n', [2]],
    ['a text beside HTML', multipart('alternative', 'b', plain('Plain'), html('<p>Hi')), 'Plain', [1]],
    ['a text behind HTML', multipart('alternative', 'b', html('<p>Hi'), plain('Plain')), 'Plain', [2]],
    [
      'alternatives, and a footer',
      multipart('mixed', 'b', multipart('alternative', 'b-i', plain('P'), html('H')), image, plain('-- list')),
      'P\n-- list',
      [1, 4],
    ],
    [
      'HTML with its pictures as the alternative',
      multipart('alternative', 'b', plain(''), multipart('related', 'b-i', html('Hi'), image, html('frame'))),
      'Hi\n',
      [2],
    ],
    ['a signed text', multipart('signed', 'b', plain('Hi'), plain('signature')), 'Hi', [1]],
    ['two empty texts', multipart('mixed', 'b', plain(''), plain('')), '', [1, 2]],
    ['images alone', multipart('mixed', 'b', image, image), '', []],
    ['attachments alone', multipart('mixed', 'b', ...[1, 2].map(() => `Content-Disposition: attachment\n\nx`)), '', []],
  ])('%s', async (_what, message, text, parts) => {
    const { body, text: shown } = await read(`Subject: x\n${message}\n`)
    expect([shown.trimEnd(), body.map(({ number }) => number)]).toEqual([text.trimEnd(), parts])
  })
})

describe('a message within a message', () => {
  const inner = `Subject: inner\nMessage-ID: <i@x>\n${multipart('mixed', 'c', plain('Inner text'), image)}`
  const forwarded = `Content-Type: message/rfc822\n\n${inner}`
  const outer = `Message-ID: <o@x>\n${multipart('mixed', 'b', plain('Outer'), forwarded)}\n`

  test('has its parts under its own number', async () => {
    const message = await read(outer)
    expect(message.parts.map(({ mediaType }) => mediaType)).toEqual(['text/plain', 'message/rfc822'])
    expect(message.part('2.1')?.text()).toBe('Inner text')
    expect(message.part('2.2')).toMatchObject({ name: 'a.png', size: 3 })
    expect(message.part(2)?.message).toMatchObject({ subject: 'inner', text: 'Inner text' })
    expect(['2.3', '1.1', '2.1.1', '3', '2.', '.1'].map((which) => message.part(which))).toEqual(Array(6).fill(null))
    expect([...message.allParts()].map(([number]) => number)).toEqual(['1', '2', '2.1', '2.2'])
  })

  test('is listed with them', async () => {
    const text = outer.replaceAll('\n', '\r\n')
    await using server = await scriptedNews((_, line) =>
      line.startsWith('ARTICLE') ? `220 1 <o@x>\r\n${text}.\r\n` : undefined,
    )
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(`${server.url}g/1`))
    expect(entries.map(({ name, details }) => [name, details?.number])).toEqual([
      ['text/plain', 1],
      ['message/rfc822', 2],
      ['text/plain', '2.1'],
      ['a.png', '2.2'],
    ])
  })

  test('and so on, is read to the eighth level', async () => {
    let text = 'Subject: innermost\n\nText'
    for (let level = 0; level < 200; level++) text = `Content-Type: message/rfc822\n\n${text}`
    let message: Message | null | undefined = await read(text)
    let levels = 0
    for (; message; message = message.parts[0]?.message) levels++
    expect(levels).toBe(8)
  })

  test('shares the limit of parts with it', async () => {
    const many = `Content-Type: message/rfc822\n\n${multipart('mixed', 'c', ...Array(30).fill(plain('x')))}`
    const text = `${multipart('mixed', 'b', many, many, many)}\n`.replaceAll('\n', '\r\n')
    const { parts } = await readMessage(Buffer.from(text), { maxParts: 70 })
    expect(parts.map(({ message }) => message?.parts.length ?? null)).toEqual([30, 30, null])
  })
})

describe('HTML that leaves its elements open is read to its end', () => {
  test.each([500, 501, 2000])('%i of them', async (count) => {
    const { text } = await read(html(`${'<font>'.repeat(count)}middle${'<b>'.repeat(count)}<p>The end</p>`))
    expect(text).toBe('middle\n\nThe end\n')
  })

  test('with text all along, none of it lost or said twice', async () => {
    const words = Array.from({ length: 1500 }, (_, index) => `w${index}`)
    const { text } = await read(html(words.map((word) => `<div>${word}`).join('')))
    expect(text.split('\n').slice(0, -1)).toEqual(words)
  })

  test('what is hidden stays hidden', async () => {
    const { text } = await read(html(`${'<i>'.repeat(499)}<script>evil("<p>")</script><style>p</style><i>seen`))
    expect(text).toBe('seen\n')
  })
})

/** Of 64 KiB each; a header has no room for more. */
const pumps = [
  ...[
    '=?utf-8?q?',
    '=?a*',
    '=?a?b?=',
    '=?',
    '<',
    '<a',
    '<a> ',
    '(',
    ')',
    '"',
    '\\',
    ';',
    ';n*0*=%',
    '; name="',
    ' ',
    '\t',
    '=',
    ',',
  ],
  ...[
    'a',
    '%',
    "''",
    'a=b;',
    '/',
    '3 Feb ',
    '1:',
    '\r\n ',
    '(a',
    '"a',
    '<a@b>',
    '=?utf-8?b?=',
    '=?utf-8?q?=41?= ',
    '\xE9',
    '~{',
    '\x1B$B',
  ],
]
const fields = [
  'Subject',
  'Date',
  'References',
  'Message-ID',
  'Content-Type',
  'Content-Disposition',
  'Content-Transfer-Encoding',
]
const bodies = [
  'text/plain',
  'text/html',
  'text/plain; format=flowed',
  'text/plain; charset=hz',
  'text/plain; charset=utf-7',
]
const markup = [
  '<a',
  '<a href=x',
  '<!--',
  '<![CDATA[',
  '&',
  '&#',
  '<pre>',
  '</a',
  '<a href=a:>',
  '> ',
  '>',
  '-- \r\n',
  '. ',
  '<li>',
  '<a href=a:b>x',
]

describe('a message of any shape is read in linear time', () => {
  const read = (text: string) => readMessage(Buffer.from(text, 'latin1'), { maxHeader: 100_000 })

  test.each(fields)('%s', { timeout: 60_000 }, async (field) => {
    for (const pump of pumps) {
      await expectLinear(32_768, (length) => read(`${field}: x${filled(pump, length)}\r\n\r\nx`))
    }
  })

  test.each(bodies)('%s', { timeout: 60_000 }, async (type) => {
    for (const pump of [...pumps, ...markup]) {
      // Of HTML the first KiB is searched for a charset.
      const head = `Content-Type: ${type}\r\n\r\n${'x'.repeat(1024)}`
      await expectLinear(32_768, (length) => read(head + filled(pump, length)))
    }
  })
})
