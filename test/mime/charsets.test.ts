/** Charsets of messages that the web does not know, and headers that name none. */
import { createClient } from '@retriever/fetchers'
import { type Message, readMessage } from '@retriever/fetchers/mime'
import { describe, expect, test } from 'vitest'
import { scriptedNews } from '../protocols/nntp/support/scripted-news.ts'
import { entriesOf } from '../support/entries.ts'
import { nntpMetadata } from '../support/metadata.ts'

function read(...lines: readonly string[]): Promise<Message> {
  return readMessage(Buffer.from(lines.join('\r\n'), 'latin1'))
}

const texts: readonly (readonly [charset: string, octets: string, text: string])[] = [
  ['cp437', '\x82\xB3', 'é│'],
  ['IBM437', '\x82\xB3', 'é│'],
  ['cp850', '\x82t\x82', 'été'],
  // iconv-lite's names for charsets of the web.
  ['cp932', '\x93\xFA\x96{', '日本'],
  ['EUC_JP', '\xC6\xFC\xCB\xDC', '日本'],
  ['cp936', '\xD6\xD0\xCE\xC4', '中文'],
  ['cp950', '\xA4\xA4\xA4\xE5', '中文'],
  ['gb2312', '\xA2\xE3', '€'],
  // Windows' Korean has syllables beside those of EUC-KR, and all labels of EUC-KR mean it.
  ['cp949', '\x8Cc\xB9\xE6 \x81A\x81Z\x81a\x81\xFE\xA0\xFE\xA1A\xC6R', '똠방 갂갴갵괓좤좥힣'],
  ['ks_c_5601-1987', 'a \x8Cc\xB9\xE6\xB0\xA2\xC7\xCF\xA2\xE6', 'a 똠방각하€'],
  ['euc-kr', '\x8Cc', '똠'],
  ['utf-32be', '\0\0\xFE\xFF\0\x01\xF6\0', '😀'],
  ['cesu-8', '\xED\xA0\xBD\xED\xB8\x80', '😀'],
  ['utf-7', 'Gr+APwA3w-e', 'Grüße'],
  ['UNICODE-1-1-UTF-7', 'Hi Mom -+Jjo--!', 'Hi Mom -☺-!'],
  ['iso-2022-kr', '\x1B$)C\x0EGQ19>n\x0F ok', '한국어 ok'],
  ['hz-gb-2312', '~{VPND~} a ~~', '中文 a ~'],
  ['hz', '~{VP~}~\n~{ND', '中文'],
  ['hz', '~{VP~}~\r\n~{ND', '中文'],
  // The second octet of a character is a tilde, beside the one that ends the set.
  ['hz', '~{RR0~~}~~~{`Re~~}+', '乙剥~嘁妣+'],
]

describe.each(texts)('%s', (charset, octets, text) => {
  test('is the charset of a text', async () => {
    expect((await read(`Content-Type: text/plain; charset=${charset}`, '', octets)).text).toBe(text)
  })

  test('is the charset of an encoded word', async () => {
    const word = Buffer.from(octets, 'latin1').toString('base64')
    expect((await read(`Subject: =?${charset}?B?${word}?=`, '', '')).subject).toBe(text)
  })
})

test.each(['euc-kr', 'gbk'])('a byte order mark of UTF-8 is stronger than the charset %s', async (charset) => {
  const octets = '\xEF\xBB\xBF\xEB\x98\xA0'
  expect((await read(`Content-Type: text/plain; charset=${charset}`, '', octets)).text).toBe('똠')
})

test.each(['base64', 'hex', 'binary', 'utf-7-imap', 'iso-2022-cn', '__proto__', 'constructor', ''])(
  '%j is no charset: the text comes as if it named none',
  async (charset) => {
    expect((await read(`Content-Type: text/plain; charset="${charset}"`, '', 'Gr\xFC+AOk-')).text).toBe('Grü+AOk-')
    expect((await read(`Subject: =?${charset}?Q?a?=`, '', '')).subject).toBe(`=?${charset}?Q?a?=`)
  },
)

describe('a header with octets beyond ASCII', () => {
  test.each([
    ['koi8-r', '\xF0\xD2\xC9\xD7\xC5\xD4', 'Привет'],
    ['cp437', '\x82\xB3', 'é│'],
    ['shift_jis', '\x93\xFA\x96{', '日本'],
    ['iso-2022-jp', '\x1B$BF|K\\\x1B(B', '日本'],
    ['us-ascii', '\x93Gr\xFC\xDFe\x94', '“Grüße”'],
    ['x-unknown', 'Gr\xFC\xDFe', 'Grüße'],
    ['koi8-r', '\xD0\x9F\xD1\x80', 'Пр'],
    ['utf-8', 'Gr\xFC\xDFe', 'Grüße'],
  ])('is in the charset of the text, %s, unless it is UTF-8', async (charset, octets, text) => {
    const message = await read(
      `Subject: ${octets}`,
      `From: ${octets} <a@b>`,
      `Content-Type: text/plain; charset=${charset}`,
      '',
      'x',
    )
    expect([message.subject, message.from]).toEqual([text, `${text} <a@b>`])
  })

  test('is in that of the part that is read, where the message has several', async () => {
    const message = await read(
      ...['Subject: \xF0\xD2\xC9', 'Content-Type: multipart/mixed; boundary=b', ''],
      ...['--b', 'Content-Type: text/plain; charset=koi8-r', '', 'x', '--b--', ''],
    )
    expect(message.subject).toBe('При')
  })
})

describe('an overview', () => {
  test.each([
    ['words in a charset that the web does not know', '=?cp437?Q?=82?=', 'Ann', 'é', 'Ann'],
    ['octets in the charset of another field', '\xF0\xD2\xC9', '=?koi8-r?B?4c7O?= <a@b>', 'При', 'Анн <a@b>'],
    ['octets that are UTF-8', '\xC3\xBC', '=?koi8-r?B?4c7O?=', 'ü', 'Анн'],
    ['octets alone', 'Gr\xFC\xDFe', 'Ann', 'Grüße', 'Ann'],
  ])('with %s is decoded', async (_, subject, from, name, author) => {
    const line = `9\t${subject}\t${from}\t3 Feb 01 04:05 EST\t<9@x>\t\t1\t1`
    await using server = await scriptedNews((_, sent) =>
      sent.startsWith('OVER') ? `224 x\r\n${line}\r\n.\r\n` : undefined,
    )
    await using client = createClient()
    expect(await entriesOf(await client.retrieve(`${server.url}g`))).toMatchObject([
      { name, modified: new Date('2001-02-03T09:05:00Z'), details: { from: author } },
    ])
  })

  test('the header of an article alone is decoded, too', async () => {
    const head = '221 1 <1@x>\r\nSubject: =?cp437?Q?=82?=\r\n.\r\n'
    await using server = await scriptedNews((_, sent) => (sent.startsWith('HEAD') ? head : undefined))
    await using client = createClient()
    const article = await client.retrieve(`${server.url}g/1`, { head: true })
    expect(nntpMetadata(article).header).toEqual({ subject: 'é' })
  })
})
