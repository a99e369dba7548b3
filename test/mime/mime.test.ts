import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { type Message, readMessage } from '@retriever/fetchers/mime'
import { startNntpServer } from '@retriever/servers'
import { afterAll, describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { failure } from '../support/failure.ts'
import { runs } from '../support/runs.ts'

/** One octet a character, lines ended by CRLF. */
function octets(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function read(...lines: readonly string[]): Promise<Message> {
  return readMessage(octets(...lines))
}

function shown(message: Message): unknown[] {
  return message.parts.map(({ number, name, mediaType, charset, disposition, contentId, octets: content }) => [
    number,
    name,
    mediaType,
    charset,
    disposition,
    contentId,
    Buffer.from(content).toString('latin1'),
  ])
}

const mixed = [
  'From: =?UTF-8?B?SsO8cmdlbg==?= <j@example.net>',
  'Newsgroups: a.b, c.d',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_?=',
  ' =?UTF-8?Q?an_alle?=',
  'Date: Sat, 03 Feb 2001 04:05:06 +0100',
  'Message-ID: <odd/id%1@example.net>',
  'References: <one@example.net>',
  '  <two@example.net>',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  'For readers without MIME.',
  '--outer',
  'Content-Type: multipart/alternative; boundary=outer-inner',
  '',
  '--outer-inner',
  'Content-Type: text/plain; charset=ISO-8859-15',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '5 =A4, and no =',
  'more.   ',
  '',
  '--outer-inner',
  'Content-Type: TEXT/HTML',
  '',
  '<p>5 &euro;</p>',
  '--outer-inner--',
  '--outer',
  'Content-Type: image/png; name="=?UTF-8?Q?B=C3=A4r=2Epng?="',
  'Content-Transfer-Encoding: base64',
  'Content-ID: <foo%2F@bar>',
  '',
  'AAEC',
  'Aw==',
  '--outer',
  "Content-Disposition: Attachment; filename*0*=UTF-8''%e2%82%ac; filename*1=.txt",
  '',
  'a\nb',
  '',
  '--outer--',
  'after the end',
]

describe('a message', () => {
  test('its header, decoded', async () => {
    const message = await read(...mixed)
    expect(message).toMatchObject({
      subject: 'Grüße an alle',
      from: 'Jürgen <j@example.net>',
      date: new Date('2001-02-03T03:05:06Z'),
      newsgroups: ['a.b', 'c.d'],
      messageId: 'odd/id%1@example.net',
      references: ['one@example.net', 'two@example.net'],
    })
    expect(message.headers.map(({ name }) => name)).toEqual([
      ...['From', 'Newsgroups', 'Subject', 'Date', 'Message-ID', 'References', 'Content-Type'],
    ])
    expect(message.headers[2]).toEqual({ name: 'Subject', value: 'Grüße an alle' })
  })

  test('its parts in their order, their octets as they were before they were encoded', async () => {
    expect(shown(await read(...mixed))).toEqual([
      [1, null, 'text/plain', 'iso-8859-15', null, null, '5 \xA4, and no more.\r\n'],
      [2, null, 'text/html', null, null, null, '<p>5 &euro;</p>'],
      [3, 'Bär.png', 'image/png', null, null, 'foo%2F@bar', '\x00\x01\x02\x03'],
      [4, '€.txt', 'text/plain', null, 'attachment', null, 'a\nb\r\n'],
    ])
  })

  test('its text is the plain one, in its charset', async () => {
    const message = await read(...mixed)
    expect(message.text).toBe('5 €, and no more.\n')
    expect(message.body).toEqual([message.parts[0]])
  })

  test.each<[string | number, number | undefined]>([
    [2, 2],
    ['2', 2],
    [5, undefined],
    [0, undefined],
    ['Bär.png', 3],
    ['bär.png', undefined],
    ['cid:foo%252F@bar', 3],
    ['CID:foo%252F%40bar', 3],
    ['cid:foo/@bar', undefined],
    ['mid:odd%2Fid%251@example.net/foo%252F@bar', 3],
    ['mid:odd%2Fid%251@example.net/nope@bar', undefined],
    ['mid:odd%2Fid%251@example.net', undefined],
    ['mid:other@example.net/foo%252F@bar', undefined],
  ])('its part %s is number %s', async (which, number) => {
    expect((await read(...mixed)).part(which)?.number).toBe(number)
  })

  test('without MIME it is one text; without anything it is empty', async () => {
    const plain = await read('Subject: x', '', 'Hello', 'there', '')
    expect([plain.text, shown(plain)]).toEqual([
      'Hello\nthere\n',
      [[1, null, 'text/plain', null, null, null, 'Hello\r\nthere\r\n']],
    ])
    expect(await readMessage(new Uint8Array(0))).toMatchObject({ headers: [], text: '', messageId: null, date: null })
  })

  test('a message within it is a part, which can be read as a message', async () => {
    const inner = ['Subject: inner', '', 'Text', '']
    const { parts } = await read('Content-Type: multipart/digest; boundary=b', '', '--b', '', ...inner, '--b--', '')
    expect(parts.map(({ mediaType }) => mediaType)).toEqual(['message/rfc822'])
    expect(await readMessage(parts[0]?.octets ?? new Uint8Array())).toMatchObject({ subject: 'inner', text: 'Text\n' })
  })

  test('a part is saved, and not over another file', async () => {
    const part = (await read(...mixed)).part('Bär.png')
    const path = join(folder, 'saved')
    await part?.saveTo(path, { overwrite: false })
    expect([...(await readFile(path))]).toEqual([0, 1, 2, 3])
    await writeFile(path, 'mine')
    expect(await failure(part?.saveTo(path, { overwrite: false }) ?? Promise.resolve())).toMatchObject({
      code: 'write-failed',
    })
    expect(await readFile(path, 'utf8')).toBe('mine')
  })
})

const folder = await mkdtemp(join(tmpdir(), 'retriever-mime-'))
afterAll(() => rm(folder, { recursive: true }))

describe('how parts are separated (RFC 2046 5.1)', () => {
  const within = (boundary: string): string[] => [`Content-Type: multipart/mixed; boundary=${boundary}`, '']
  const octetsOf = ({ parts }: Message): string[] => parts.map((part) => Buffer.from(part.octets).toString('latin1'))

  test.each<[what: string, lines: string[], parts: string[]]>([
    ['a multipart without an end', [...within('b'), '--b', '', 'one', '--b', '', 'two', ''], ['one', 'two\r\n']],
    [
      'a multipart without an end within another',
      [...within('o'), '--o', ...within('i'), '--i', '', 'one', '--o', '', 'two', '--o--', ''],
      ['one', 'two'],
    ],
    [
      'the same boundary within, whose end belongs to the inner one',
      [...within('b'), '--b', ...within('b'), '--b', '', 'one', '--b--', '--b', '', 'two', '--b--'],
      ['one', 'two'],
    ],
    ['blanks behind a boundary', [...within('b'), '--b \t', '', 'one', '--b-- ', 'epilogue'], ['one']],
    ['no subtype', ['Content-Type: multipart; boundary=b', '', '--b', '', 'one', '--b--'], ['one']],
    ['an empty subtype', ['Content-Type: multipart/; boundary=b', '', '--b', '', 'one', '--b--'], ['one']],
    ['a boundary that another one begins with', [...within('b'), '--b', '', 'one', '--bb', '--b--'], ['one\r\n--bb']],
    ['a boundary of octets', [...within('"\xE4 b"'), '--\xE4 b', '', 'one', '--\xE4 b--'], ['one']],
    ['an end that is cut', [...within('b'), '--b', '', 'one', '--b-'], ['one\r\n--b-']],
    [
      'a part that ends in its header',
      [...within('b'), '--b', 'Content-ID: <x>', '--b', '', 'two', '--b--'],
      ['', 'two'],
    ],
    ['a part of one line end', [...within('b'), '--b', '', '', '--b--'], ['']],
    ['LF alone', [`${within('b').join('\n')}\n--b\n\none\n--b--\n`], ['one']],
    ['nothing between the boundaries', [...within('b'), '--b--', 'x'], ['--b--\r\nx']],
    ['a line of a mailbox', ['From j@example.net Sat Feb  3 04:05:06 2001', 'Subject: x', '', 'one'], ['one']],
  ])('%s', async (_what, lines, parts) => {
    const message = await read(...lines)
    expect(octetsOf(message)).toEqual(parts)
    expect(message.headers).toHaveLength(1)
  })
})

describe('text', () => {
  test.each<[what: string, header: string[], body: string, text: string]>([
    ['no charset, UTF-8', [], utf8('Grüße'), 'Grüße'],
    ['no charset, Latin-1', [], 'Gr\xFC\xDFe', 'Grüße'],
    ['ASCII that is none', ['Content-Type: text/plain; charset=US-ASCII'], utf8('Grüße'), 'Grüße'],
    ['a charset that nobody knows', ['Content-Type: text/plain; charset="x-\xFF()"'], 'Gr\xFC\xDFe', 'Grüße'],
    ['KOI8-R', ['Content-Type: text/plain; charset=koi8-r'], '\xF0\xD2\xC9', 'При'],
    ['a type that is none', ['Content-Type: text'], 'x', 'x'],
    ['a multipart without a boundary', ['Content-Type: multipart/mixed'], 'x\r\n--y', 'x\n--y'],
    ['a multipart whose boundary never comes', ['Content-Type: multipart/mixed; boundary=z'], 'x', 'x'],
    ['a transfer encoding that nobody knows', ['Content-Transfer-Encoding: x-nil'], 'x=41', 'x=41'],
    ['base64 in lines that are padded', ['Content-Transfer-Encoding: BASE64'], 'QQ==\r\nQkM=\r\n!D', 'ABC'],
    ['broken quoted-printable', ['Content-Transfer-Encoding: quoted-printable'], '=4\r\n=XY=\r\n =3d=', '=4\n=XY ='],
    [
      'blanks at line ends of quoted-printable',
      ['Content-Transfer-Encoding: quoted-printable'],
      'a \t\r\nb= \r\nc\n',
      'a\nbc\n',
    ],
    [
      'flowed',
      ['Content-Type: text/plain; format=Flowed'],
      'a \r\nb\r\n c\r\n>> d \r\n>> e\r\n> f\r\n-- \r\ng',
      'a b\nc\n>> d e\n> f\n-- \ng',
    ],
    [
      'flowed, a paragraph that another depth ends',
      ['Content-Type: text/plain; format=flowed'],
      'a \r\n> b \r\n\r\nc',
      'a \n> b \n\nc',
    ],
    ['flowed, with DelSp', ['Content-Type: text/plain; format=flowed; delsp=yes'], 'a \r\nb', 'ab'],
  ])('%s', async (_what, header, body, text) => {
    expect((await read(...header, '', body)).text).toBe(text)
  })

  test('HTML is read, not executed: blocks, links, entities; scripts and what is not shown left out', async () => {
    const html = [
      '<html><head><title>T</title><style>p{}</style></head><body onload="evil()">',
      '<script>evil("<p>")</script><h1>Head &amp; line</h1><p>One<br>two   three</p>',
      '<ul><li>first<li><a href="https://example.net/x">second</a></ul>',
      '<a href="javascript:x">j</a> <a href="http://a/">http://a/</a><pre>a  b\n c</pre><!-- <p>no -->&#27;[2J',
    ].join('')
    const { text, body, parts } = await read('Content-Type: text/html', '', html)
    expect(text).toBe(
      'Head & line\n\nOne\ntwo three\n* first\n* second <https://example.net/x>\nj <javascript:x> http://a/\na  b\n c\n\x1b[2J\n',
    )
    expect(body).toEqual(parts)
  })
})

describe('encoded words (RFC 2047 8, and what is no word)', () => {
  test.each([
    ['=?ISO-8859-1?Q?a?=', 'a'],
    ['=?ISO-8859-1?Q?a?= b', 'a b'],
    ['=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=', 'ab'],
    ['=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=', 'ab'],
    ['=?ISO-8859-1?Q?a_b?=', 'a b'],
    ['=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=', 'a b'],
    ['=?utf-8?q?=C3?= =?UTF-8?q?=BC?=', 'ü'],
    ['=?utf-8?q?=C3?= x =?UTF-8?q?=BC?=', '=?utf-8?q?=C3?= x =?UTF-8?q?=BC?='],
    ['=?UTF-8*de?Q?=C3=BC?=', 'ü'],
    ['(=?ISO-8859-1?Q?a?=)', '(a)'],
    ['=?x-nobody?Q?a?= =?utf-8?q?b?=', '=?x-nobody?Q?a?= b'],
    ['=?utf-8?q?b?= =?x-nobody?Q?a?=', 'b =?x-nobody?Q?a?='],
    ['=?utf-8?q?=GG?= =?utf-8?b?Q?=', '=?utf-8?q?=GG?= =?utf-8?b?Q?='],
    ['=?utf-8?q?=?=', '=?utf-8?q?=?='],
    ['=?utf-8?x?a?=', '=?utf-8?x?a?='],
    ['=?utf-8?q?a', '=?utf-8?q?a'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['=?utf-8?q?=1B[2J=00?=', '\x1b[2J\0'],
    ['=?windows-1252?q?=80?=', '€'],
    [utf8('ü =?utf-8?q?=C3=BC?='), 'ü ü'],
    ['\xFC =?utf-8?q?=C3=BC?=', 'ü ü'],
  ])('%j', async (field, subject) => {
    expect((await read(`Subject: ${field}`, '', '')).subject).toBe(subject)
  })
})

describe('names are kept as they came: whoever saves cleans them', () => {
  test.each([
    ['filename="../../x"', '../../x'],
    ['filename=CON', 'CON'],
    ['filename="gr\xFCn"', 'grün'],
    [`filename="${utf8('grün')}"`, 'grün'],
    ["filename*=UTF-8''gnp%E2%80%AE.exe", 'gnp\u202e.exe'],
    ['filename="=?utf-8?q?=1B[2J?="', '\x1b[2J'],
    ["filename*=x-nobody''%FF", expect.any(String)],
    ['filename=""', null],
    ['filename=""; x="\\"; filename=no"', null],
    [`filename="voil${utf8('à')}" `, 'voilà'],
    [`filename=voil${utf8('à')}`, 'voilà'],
    ['filename=" a\\"b;c " ; x', ' a"b;c '],
    ["filename=plain; filename*1*=%ac; filename*0*=UTF-8'en'%e2%82; filename*2=%41", '€%41'],
    ["filename*=iso-8859-15''%A4", '€'],
    ["filename*=cp437''%82", 'é'],
    ['filename*0="a";\r\n filename*1="b"', 'ab'],
  ])('%s', async (parameter, name) => {
    const { parts } = await read(`Content-Disposition: attachment; ${parameter}`, '', '')
    expect(parts.map((part) => part.name)).toEqual([name])
  })
})

describe('the media type of a part that gives none is told by its name', () => {
  test.each([
    ['attachment; filename=a.PDF', 'application/pdf'],
    ['attachment; filename=a.unknown', 'application/octet-stream'],
    ['attachment; filename=a', 'application/octet-stream'],
    ['attachment', 'application/octet-stream'],
    ['inline; filename="a.b/c"', 'text/plain'],
    ['inline', 'text/plain'],
  ])('%s', async (disposition, mediaType) => {
    const { parts } = await read(`Content-Disposition: ${disposition}`, '', 'x')
    expect(parts.map((part) => part.mediaType)).toEqual([mediaType])
  })
})

describe('what would cost more than its octets', () => {
  const multipart = (name: string): string => `Content-Type: multipart/mixed; boundary=${name}\r\n\r\n`

  test.each<[string, string, object]>([
    ['parts', `${multipart('b')}${'--b\r\n'.repeat(100_000)}`, {}],
    ['parts, fewer allowed', `${multipart('b')}--b\r\n\r\n--b\r\n\r\n--b\r\n\r\n`, { maxParts: 3 }],
    ['levels', Array.from({ length: 1500 }, (_, depth) => `${multipart(`b${depth}`)}--b${depth}\r\n`).join(''), {}],
    ['a header', `a: ${'x'.repeat(70_000)}\r\n\r\n`, {}],
    ['a header that never ends', 'x'.repeat(1_000_000), {}],
    ["a part's header", `${multipart('b')}--b\r\na: ${'x'.repeat(60)}\r\n\r\n`, { maxHeader: 50 }],
  ])('%s: limit-exceeded', async (_what, text, options) => {
    const { code, phase, message } = await failure(readMessage(Buffer.from(text), options))
    expect({ code, phase }).toEqual({ code: 'limit-exceeded', phase: 'body' })
    expect(message).toMatch(/^(?:The message has over \d+ parts|A header of the message is over \d+ octets)/)
  })

  test.each([
    ['parts that are not too many', `${multipart('b')}${'--b\r\n\r\n'.repeat(998)}`],
    [
      'levels that are not too many',
      Array.from({ length: 900 }, (_, at) => `${multipart(`b${at}`)}--b${at}\r\n`).join(''),
    ],
    ['encoded words that do not end', `Subject: ${'=?utf-8?q?'.repeat(6000)}\r\n\r\n`],
    ['blanks behind a boundary', `${multipart('b')}--b${' '.repeat(runs(3_000_000))}x\r\n`],
    ['dashes', `${multipart('b')}${'--\r\n'.repeat(runs(1_000_000))}`],
    ['blanks', `Content-Type: text/plain${' '.repeat(60_000)}x\r\nSubject: ${'a '.repeat(2000)}\r\n\r\n`],
    ['comments that do not end', `Content-Type: ${'('.repeat(60_000)}\r\n\r\n`],
    ['parameters', `Content-Type: a/b${Array.from({ length: 5000 }, (_, at) => `;n*${at}*=%`).join('')}\r\n\r\n`],
    [
      'blanks in quoted-printable',
      `Content-Transfer-Encoding: quoted-printable\r\n\r\n${' '.repeat(runs(3_000_000))}x`,
    ],
    ['garbage in base64', `Content-Transfer-Encoding: base64\r\n\r\n${'=!'.repeat(runs(2_000_000))}`],
    ['padding in base64', `Content-Transfer-Encoding: base64\r\n\r\n${'AA='.repeat(runs(8_000_000))}`],
    ['paragraphs', `Content-Type: text/plain; format=flowed\r\n\r\n${'a \r\n'.repeat(runs(500_000))}`],
    ['elements', `Content-Type: text/html\r\n\r\n${'<b>'.repeat(runs(1_000_000))}`],
    [
      'blocks',
      `Content-Type: text/html\r\n\r\n${'x'.repeat(runs(1_000_000))}${'<div><b></b></div>'.repeat(runs(100_000))}`,
    ],
    ['blanks in HTML', `Content-Type: text/html\r\n\r\n<pre>${' '.repeat(runs(3_000_000))}x`],
  ])('%s: it is read', async (_what, text) => {
    expect(await readMessage(Buffer.from(text))).toBeInstanceOf(Object)
  })

  test.each([
    ['octets', () => readMessage('Subject: x' as never)],
    ['maxParts', () => readMessage(new Uint8Array(0), { maxParts: 0 })],
    ['maxHeader', () => readMessage(new Uint8Array(0), { maxHeader: '1' as never })],
    ['unknown', () => readMessage(new Uint8Array(0), { depth: 1 } as never)],
  ])('a wrong option: %s', async (_what, act) => {
    expect(await failure(act())).toMatchObject({ code: 'invalid-option' })
  })
})

describe('an article', () => {
  const id = 'x+y@example.net'
  const article = [`Message-ID: <${id}>`, ...mixed.filter((line) => !line.startsWith('Message-ID'))].join('\r\n')
  const faults = { replies: { [`ARTICLE <${id}>`]: `220 0 <${id}>\r\n${article}\r\n.\r\n` } }

  test('has its parts as entries, and its kind is still object', async () => {
    await using server = await startNntpServer({ faults })
    await using client = createClient()
    const representation = await client.retrieve(`news://${server.host}:${server.port}/${id}`)
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'message/rfc822', hasEntries: true })
    const entries = await entriesOf(representation)
    expect(entries).toHaveLength(4)
    expect(entries[0]).toEqual({
      name: 'text/plain',
      kind: 'file',
      url: null,
      size: 19,
      details: { number: 1, mediaType: 'text/plain', disposition: null, contentId: null },
    })
    expect(entries[2]).toEqual({
      name: 'Bär.png',
      kind: 'file',
      url: 'mid:x+y@example.net/foo%252F@bar',
      size: 4,
      details: {
        number: 3,
        mediaType: 'image/png',
        disposition: null,
        contentId: 'foo%2F@bar',
        cid: 'cid:foo%252F@bar',
      },
    })
    expect(client.resolve(entries[2]?.url ?? '').plan).toMatchObject({ messageId: id, contentId: 'foo%2F@bar' })
  })

  test('is read from its representation; one that is too large is not', async () => {
    await using server = await startNntpServer({ faults })
    const url = `news://${server.host}:${server.port}/${id}`
    await using client = createClient()
    expect((await readMessage(await client.retrieve(url))).part(`mid:${id}/foo%252F@bar`)?.number).toBe(3)
    const tooMany = await failure(client.retrieve(url).then((found) => readMessage(found, { maxParts: 2 })))
    expect(tooMany).toMatchObject({ code: 'limit-exceeded', url })
    await using small = createClient({ limits: { maxCollected: 100 } })
    const act = async (): Promise<void> => {
      for await (const _ of (await small.retrieve(url)).entries());
    }
    expect(await failure(act())).toMatchObject({ code: 'limit-exceeded', phase: 'body' })
  })

  test('has no entries where the whole was not asked for', async () => {
    await using server = await startNntpServer({})
    await using client = createClient()
    const head = await client.retrieve(`${server.url}retriever.test/1`, { head: true })
    expect(head.hasEntries).toBe(false)
    expect(() => head.entries()).toThrow(TypeError)
  })

  test('in an overview has its subject and sender decoded', async () => {
    await using server = await startNntpServer({})
    await using client = createClient()
    const found: unknown[] = []
    for await (const { name, details } of (await client.retrieve(`${server.url}retriever.test`)).entries()) {
      found.push([name, details?.from])
    }
    expect(found).toContainEqual(['Grüße und ein €', 'Jürgen <juergen@example.net>'])
  })
})
