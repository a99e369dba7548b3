import { parseCaps } from '@retriever/fetchers/gopher'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { replying, startPair } from '../support/gopher-plus-client.ts'

/** The attributes of the first entry that an answer to `!` gives. */
async function attributes(blocks: string): Promise<unknown> {
  await using pair = await startPair(replying({ '/x': `+-1\r\n${blocks}.\r\n` }))
  const [entry] = await pair.list('0/x%09%09!')
  return entry?.details?.attributes
}

const info = '+INFO: 0An item\t/x\th.example\t70\t+\r\n'

describe.each(['whole', 'bytes'] as const)('octets that come %s', (chunking) => {
  test('the attributes of an item are one entry', async () => {
    await using pair = await startPair({ faults: { chunking } })
    const representation = await pair.open('0/pub/hello.txt%09%09!')
    expect(representation).toMatchObject({ kind: 'listing', mediaType: 'text/plain', metadata: { gopherPlus: true } })
    await representation.cancel()
    const entries = await pair.list('0/pub/hello.txt%09%09!')
    expect(entries).toMatchObject([
      {
        name: 'hello.txt',
        kind: 'file',
        url: `${pair.url}0/pub/hello.txt`,
        size: 1024,
        modified: new Date('2001-02-03T04:05:06Z'),
        details: { gophertype: '0', selector: '/pub/hello.txt', gopherPlus: '+' },
      },
    ])
    expect(entries[0]?.details?.attributes).toEqual({
      ADMIN: { admin: 'Ann Admin <ann@example.net>', modified: '2001-02-03T04:05:06.000Z', fields: {} },
      VIEWS: [{ mediaType: 'text/plain', language: null, size: 1024, name: 'text/plain' }],
      ABSTRACT: "hello.txt: a piece of the test server's seed.\nThis abstract has two lines.",
    })
  })

  test('the attributes of a menu are an entry an item', async () => {
    await using pair = await startPair({ faults: { chunking } })
    const plain = await pair.list('1/pub')
    const entries = await pair.list('1/pub%09%09$')
    expect(entries.map(({ name, url }) => [name, url])).toEqual(plain.map(({ name, url }) => [name, url]))
    for (const entry of entries) expect(entry.details?.attributes).toHaveProperty('ADMIN')
    const [views] = await pair.list('0/views%09%09!+VIEWS')
    expect(views?.details?.attributes).toEqual({
      VIEWS: [
        { mediaType: 'text/plain', language: null, size: 1024, name: 'Text/plain' },
        { mediaType: 'text/plain', language: 'De_DE', size: 1024, name: 'Text/plain De_DE' },
        { mediaType: 'application/postscript', language: null, size: 37, name: 'application/postscript' },
      ],
    })
  })
})

test('the questions of a form', async () => {
  await using pair = await startPair()
  const [entry] = await pair.list('0/survey%09%09!+ASK')
  const none = { default: null, choices: [] }
  expect(entry?.details?.attributes).toEqual({
    ASK: [
      { ...none, kind: 'Ask', prompt: 'Title?', default: 'untitled' },
      { ...none, kind: 'AskP', prompt: 'Password?' },
      { ...none, kind: 'AskL', prompt: 'Comments?' },
      { ...none, kind: 'AskF', prompt: 'Save as?', default: 'answer.txt' },
      { ...none, kind: 'Select', prompt: 'Toppings?', choices: ['cheese', 'onions', 'ham'] },
      { ...none, kind: 'Choose', prompt: 'Size?', choices: ['small', 'large'] },
      { ...none, kind: 'ChooseF', prompt: 'A file?' },
    ],
  })
})

describe('odd blocks', () => {
  const admin = { admin: 'Ann <a@b>', modified: '1992-08-15T18:55:03.000Z', fields: {} }
  const twoLines = ' Admin: Ann <a@b>\r\n Mod-Date: August 15, 1992 <19920815185503>\r\n'

  test.each<[string, string, unknown]>([
    ['a blank after the colon', `+ADMIN: \r\n${twoLines}`, { ADMIN: admin }],
    ['no colon, as in the paper', `+ADMIN\r\n${twoLines}`, { ADMIN: admin }],
    [
      'Date, as in the paper',
      '+ADMIN:\r\n Date: <19910101080003>\r\n',
      { ADMIN: { admin: null, modified: '1991-01-01T08:00:03.000Z', fields: {} } },
    ],
    [
      'other fields',
      '+ADMIN:\r\n Site: Gr\xfc\xdfe: hier\r\n nonsense\r\n TZ:+1\r\n',
      { ADMIN: { admin: null, modified: null, fields: { Site: 'Grüße: hier', TZ: '+1' } } },
    ],
    [
      'letters that end in 0xA0 in UTF-8',
      '+ADMIN:\r\n Author: Voil\xc3\xa0\r\n+ASK:\r\n Ask: Ol\xc3\xa0\r\n',
      {
        ADMIN: { admin: null, modified: null, fields: { Author: 'Voilà' } },
        ASK: [{ kind: 'Ask', prompt: 'Olà', default: null, choices: [] }],
      },
    ],
    [
      'a day that is none',
      '+ADMIN:\r\n Mod-Date: <19930231000000>\r\n',
      { ADMIN: { admin: null, modified: null, fields: {} } },
    ],
    [
      'a field with a dangerous name',
      '+ADMIN:\r\n __proto__: x\r\n',
      { ADMIN: { admin: null, modified: null, fields: JSON.parse('{"__proto__":"x"}') } },
    ],
    [
      'lines without the leading blank',
      '+ABSTRACT:\r\nA great recipe\r\n+1 from me\r\n\r\n',
      { ABSTRACT: 'A great recipe\n+1 from me' },
    ],
    ['only one blank is taken away', '+ABSTRACT:\r\n   indented\r\n', { ABSTRACT: '  indented' }],
    ['text behind the name', '+ABSTRACT: all of it\r\n', { ABSTRACT: 'all of it' }],
    [
      'kept elsewhere',
      '+ABSTRACT: 0More\t/more\th.example\t7070\t+\r\n',
      { ABSTRACT: { url: 'gopher://h.example:7070/0/more' } },
    ],
    ['kept elsewhere, and here', '+ABSTRACT: 0More\t/more\th.example\t70\r\n here\r\n', { ABSTRACT: 'here' }],
    ['views kept elsewhere', '+VIEWS: 0V\t/v\th.example\t70\r\n', { VIEWS: { url: 'gopher://h.example/0/v' } }],
    ['a block that nobody knows', '+3D-ICON:\r\n x y\r\n  z\r\n', { '3D-ICON': ['x y', ' z'] }],
    ['the name of a block is case-sensitive', '+views:\r\n text/plain\r\n', { views: ['text/plain'] }],
    ['a block with a dangerous name', '+__proto__:\r\n x\r\n', JSON.parse('{"__proto__":["x"]}')],
    ['a block twice', '+KEYWORDS:\r\n a\r\n+KEYWORDS:\r\n b\r\n', { KEYWORDS: ['a', 'b'] }],
    ['nothing in a block', '+ABSTRACT:\r\n+VIEWS:\r\n', { ABSTRACT: '', VIEWS: [] }],
  ])('%s', async (_, blocks, expected) => {
    expect(await attributes(info + blocks)).toEqual(expected)
    expect(await attributes((info + blocks).replaceAll('\r\n', '\n'))).toEqual(expected)
  })

  test.each<[string, unknown]>([
    ['\tText/plain En_US\t: <10k>', { mediaType: 'text/plain', language: 'En_US', size: 10_240 }],
    ['Text/plain En_US: <10k>', { mediaType: 'text/plain', language: 'En_US', size: 10_240 }],
    ['application/MacWriteII: <45K>', { mediaType: 'application/macwriteii', language: null, size: 46_080 }],
    ['text/plain: <512b>', { mediaType: 'text/plain', language: null, size: 512 }],
    ['text/plain: <1.5k>', { mediaType: 'text/plain', language: null, size: 1536 }],
    ['application/gopher+-menu:', { mediaType: 'application/gopher+-menu', language: null, size: null }],
    ['image/gif', { mediaType: 'image/gif', language: null, size: null }],
    ['text/plain voil\xC3\xA0: <2k>', { mediaType: 'text/plain', language: 'voilà', size: 2048 }],
    ['GView: <2k>', { mediaType: null, language: null, size: 2048 }],
    ['Postscript English: <2k>', { mediaType: null, language: 'English', size: 2048 }],
  ])('the view %s', async (line, expected) => {
    const { VIEWS } = (await attributes(`${info}+VIEWS:\r\n ${line}\r\n`)) as { VIEWS: unknown[] }
    expect(VIEWS).toEqual([{ ...(expected as object), name: line.replace(/:.*/, '').replace(/^\t|\t$/g, '') }])
  })

  test.each([
    'text/plain\t1: <1k>',
    'text/plain\rx: <1k>',
    'text/plain: x',
    'text/plain: <x>',
    '+text/plain',
    ': <1k>',
    '<1k>',
    'a b\tc',
  ])('%j is no view', async (line) => {
    expect(await attributes(`${info}+VIEWS:\r\n ${line}\r\n`)).toEqual({ VIEWS: [] })
  })

  test('questions as real clients have known them', async () => {
    const lines = [
      'Note: read this',
      'no question',
      'Choosef: Which file?',
      'Select: Fries:1',
      'Select: Salad:0',
      'Other: x?\ty',
    ]
    const { ASK } = (await attributes(`${info}+ASK:\r\n${lines.map((line) => ` ${line}\r\n`).join('')}`)) as {
      ASK: unknown
    }
    expect(ASK).toEqual([
      { kind: 'ChooseF', prompt: 'Which file?', default: null, choices: [] },
      { kind: 'Select', prompt: 'Fries', default: 'Fries', choices: ['Fries'] },
      { kind: 'Select', prompt: 'Salad', default: null, choices: ['Salad'] },
      { kind: 'Ask', prompt: 'x?', default: 'y', choices: [] },
    ])
  })

  test.each([
    ['up to a dot', (text: string) => `+-1\r\n${text}.\r\n`],
    ['up to the end', (text: string) => `+-2\r\n${text}`],
    ['up to the end, with a dot', (text: string) => `+-2\r\n${text}.\r\n`],
    ['counted', (text: string) => `+${text.length}\r\n${text}`],
  ])('framed %s', async (_, frame) => {
    const text = `${info}+ABSTRACT:\r\n one\r\n.\r\n${info.replace('An', 'Another')}+ABSTRACT:\r\n two\r\n`.replace(
      '.\r\n',
      '',
    )
    await using pair = await startPair(replying({ '/x': frame(text) }))
    const entries = await pair.list('1/x%09%09$')
    expect(entries).toMatchObject([
      { name: 'An item', details: { attributes: { ABSTRACT: 'one' } } },
      { name: 'Another item', details: { attributes: { ABSTRACT: 'two' } } },
    ])
  })

  test('an item without its menu line is the one that was asked for; a spoilt one is information', async () => {
    await using pair = await startPair(replying({ '/x': '+-1\r\nHello\r\n+ABSTRACT:\r\n a\r\n+INFO: broken\r\n.\r\n' }))
    expect(await pair.list('0/x%09%09!')).toMatchObject([
      { name: 'Hello', kind: 'info', url: null },
      { name: '/x', kind: 'file', url: `${pair.url}0/x`, details: { attributes: { ABSTRACT: 'a' } } },
      { name: 'broken', kind: 'info', url: null },
    ])
    await using other = await startPair(replying({ '/x': '+-1\r\n+INFO: broken\r\n+ABSTRACT:\r\n a\r\n.\r\n' }))
    expect(await other.list('0/x%09%09!')).toMatchObject([
      { name: 'broken', kind: 'info', url: null, details: { attributes: { ABSTRACT: 'a' } } },
    ])
  })
})

test('an answer of attributes that is cut is not whole', async () => {
  await using pair = await startPair(replying({ '/x': `+-1\r\n${info}+ABSTRACT:\r\n a\r\n` }))
  await expect(pair.list('0/x%09%09!')).rejects.toMatchObject({ code: 'partial' })
})

test('a server without Gopher+ sends the item, and a remark says so', async () => {
  await using pair = await startPair({ gopherPlus: false })
  const representation = await pair.open('0/pub/hello.txt%09%09!')
  expect(representation).toMatchObject({ kind: 'object', metadata: { gopherPlus: false } })
  expect(await representation.text()).toBe('Hello, world.\r\n')
  expect(pair.remarks()).toEqual([expect.stringContaining('not in the form of Gopher+')])
})

test.each([
  ['--1\r\n3 1Moved\t/y\th.example\t7070\r\n.\r\n'],
  ['--1\r\n3 Ann <a@b> 1Moved\t/y\th.example\t7070\r\n.\r\n'],
  ['--1\r\n3 <a@b>\r\n1Moved\t/y\th.example\t7070\r\n.\r\n'],
])('where an item has moved to is told: %j', async (reply) => {
  await using pair = await startPair(replying({ '/x': reply }))
  const error = await pair.failure('0/x%09%09+')
  expect(error.code).toBe('server-refused')
  expect(error.message).toContain('retrieve gopher://h.example:7070/1/y')
  expect(pair.server.accepted).toBe(1)
})

test.each([
  ['as the paper has it', '+INFO: 0A text\t/a\th.example\t70\t+\r\n+VIEWS:\r\n text/plain: <1k>\r\n', 1024],
  ['as pygopherd does', '0A text\t/a\th.example\t70\t+\r\n', undefined],
])('a menu with attributes as a view, %s', async (_, lines, size) => {
  await using pair = await startPair(replying({ '/\t+application/gopher+-menu': `+-2\r\n${lines}` }))
  const menu = await pair.open('1/%09%09+application/gopher+-menu')
  expect(menu).toMatchObject({ kind: 'listing', mediaType: 'application/gopher+-menu' })
  const entries = await entriesOf(menu)
  expect(entries).toMatchObject([{ name: 'A text', kind: 'file', url: 'gopher://h.example/0/a' }])
  expect(entries[0]?.size).toBe(size)
})

test('an item with a form has the ? of RFC 4266 2.4 in its URL', async () => {
  await using pair = await startPair()
  const entries = await pair.list('1/')
  expect(entries.find(({ name }) => name === 'A form to fill in')?.url).toBe(`${pair.url}0/ask%09%09?`)
})

describe('caps.txt', () => {
  test.each<[string, unknown]>([
    [
      'CAPS\r\n\r\n# comment\r\nCapsVersion=1\r\nPathEscapeCharacter=\\\r\n',
      { CapsVersion: '1', PathEscapeCharacter: '\\' },
    ],
    ['CAPS\nServerDescription = a=b #c \nno pair\n=x\n#x=y\n', { ServerDescription: 'a=b #c' }],
    ['CAPS', {}],
    ['CAPS\nA=\nA=2\n__proto__=x\n', JSON.parse('{"A":"2","__proto__":"x"}')],
    ['CAPSTONE\nA=1\n', null],
    [' CAPS\nA=1\n', null],
    ["3'caps.txt' does not exist\t\terror.host\t1\r\n", null],
    ['', null],
  ])('%j', (text, expected) => expect(parseCaps(text)).toEqual(expected))
})
