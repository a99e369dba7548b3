import { describe, expect, test } from 'vitest'
import { gopherMetadata } from '../../../support/metadata.ts'
import { replying, startPair } from '../support/gopher-plus-client.ts'

const postscript = { accept: 'application/postscript' }

test.each<[string, object, string, string]>([
  ['the type', postscript, '+application/postscript', 'verified'],
  ['the type, spelt otherwise', { accept: 'Text/Plain' }, '+Text/plain', 'terminated'],
  ['the language', { acceptLanguage: 'de' }, '+Text/plain De_DE', 'eof-only'],
  ['a dialect of it', { acceptLanguage: 'de-DE, en;q=0.5' }, '+Text/plain De_DE', 'eof-only'],
  ['type and language', { accept: 'text/*', acceptLanguage: 'DE' }, '+Text/plain De_DE', 'eof-only'],
  ['weights', { accept: 'text/plain;q=0.3, application/*;q=0.5' }, '+application/postscript', 'verified'],
  ['a type that is not wanted', { accept: 'text/plain;q=0, */*' }, '+application/postscript', 'verified'],
  ['a range and an exception', { accept: 'text/*;q=0.9, application/postscript;q=0.8' }, '+Text/plain', 'terminated'],
  ["the server's order in a tie", { accept: '*/*' }, '+Text/plain', 'terminated'],
])('a view is picked by %s', async (_, wishes, plus, completeness) => {
  await using pair = await startPair()
  const representation = await pair.open('0/views', wishes)
  await representation.bytes()
  expect(representation.completeness).toBe(completeness)
  expect(pair.server.received).toEqual(['/views\t!', `/views\t${plus}`])
  expect(pair.remarks()).toEqual([])
  expect(representation.metadata).toMatchObject({ gopherPlus: true, view: { name: plus.slice(1) } })
  expect(gopherMetadata(representation).views?.length).toBe(3)
})

test('the body is that of the view', async () => {
  await using pair = await startPair()
  const view = await pair.open('0/views', postscript)
  expect(view).toMatchObject({ mediaType: 'application/postscript', size: 37 })
  expect(await view.text()).toBe('%!PS\n(Three views of one text.) show\n')
  expect(await pair.text('0/views', { acceptLanguage: 'de' })).toBe(
    'Drei Ansichten eines Textes.\r\n.\r\nEin Punkt allein ist hier kein Ende.\r\n',
  )
  expect(await pair.text('0/views%09%09+', { accept: 'text/plain' })).toBe(
    'Three views of one text.\r\n.a line with a dot\r\n',
  )
})

test.each<[string, object, string]>([
  ['no such type', { accept: 'image/gif' }, '+Text/plain'],
  ['no such language', { acceptLanguage: 'fr' }, '+Text/plain'],
  [
    'the type, but not in that language',
    { accept: 'application/postscript', acceptLanguage: 'fr;q=0.5' },
    '+application/postscript',
  ],
  ['nothing at all', { accept: 'nonsense' }, '+Text/plain'],
])('no view fits: %s', async (name, wishes, plus) => {
  await using pair = await startPair()
  await pair.text('0/views', wishes)
  expect(pair.server.received.at(-1)).toBe(`/views\t${plus}`)
  // A view that tells no language may be in any.
  expect(pair.remarks()).toHaveLength(name.includes('language') ? 0 : 1)
})

describe('languages', () => {
  const views = ['text/plain En_US', 'text/plain De_DE', 'text/plain', 'text/plain Fr']
  const blocks = `+INFO: 0x\t/x\th\t70\t+\r\n+VIEWS:\r\n${views.map((view) => ` ${view}: <1k>\r\n`).join('')}`

  test.each([
    ['en', 'text/plain En_US'],
    ['EN-us', 'text/plain En_US'],
    ['fr-CA', 'text/plain Fr'],
    ['de;q=0.4, fr;q=0.5', 'text/plain Fr'],
    ['*', 'text/plain En_US'],
    ['en;q=0, *;q=0.1', 'text/plain De_DE'],
    ['en;q=0.1, en-us;q=0, de;q=0.05', 'text/plain De_DE'],
    ['e', 'text/plain'],
    ['ja', 'text/plain'],
  ])('%s', async (acceptLanguage, name) => {
    await using pair = await startPair(
      replying({ '/x\t!': `+-1\r\n${blocks}.\r\n`, [`/x\t+${name}`]: `+-2\r\n${name}` }),
    )
    expect(await pair.text('0/x', { acceptLanguage })).toBe(name)
  })
})

test('a view that the URL names is the one, and attributes have no views', async () => {
  await using pair = await startPair()
  await pair.text('0/views%09%09+application/postscript', { accept: 'text/plain' })
  await pair.text('0/views%09%09!', postscript)
  expect(pair.server.received).toEqual(['/views\t+application/postscript', '/views\t!'])
})

test('a search has its words in both requests', async () => {
  await using pair = await startPair()
  const entries = await pair.list('7/search%09Hello,', { accept: 'application/gopher+-menu' })
  expect(entries).toMatchObject([{ name: 'hello.txt' }])
  expect(pair.server.received).toEqual(['/search\tHello,\t!', '/search\tHello,\t+application/gopher+-menu'])
})

test.each(['0/pub/hello.txt', '0/pub/hello.txt%09%09+'])(
  'a plain server is asked for the plain item: %s',
  async (path) => {
    await using pair = await startPair({ gopherPlus: false })
    const representation = await pair.open(path, postscript)
    expect(representation).toMatchObject({ mediaType: 'text/plain', metadata: { gopherPlus: false } })
    expect(await representation.text()).toBe('Hello, world.\r\n')
    expect(pair.server.received).toEqual(['/pub/hello.txt\t!', '/pub/hello.txt'])
    expect(pair.remarks()).toEqual([expect.stringContaining('knows no Gopher+')])
  },
)

test('of what a plain server sends in place of attributes no more than the beginning is read', async () => {
  await using pair = await startPair({ gopherPlus: false, bigSize: 50_000_000 })
  const representation = await pair.open('9/big', postscript)
  await representation.cancel()
  expect(pair.server.received).toEqual(['/big\t!', '/big'])
})

test('an item without views is asked for as it is, and a remark says so', async () => {
  await using pair = await startPair(
    replying({ '/x\t!': '+-1\r\n+INFO: 0x\t/x\th\t70\t+\r\n.\r\n', '/x\t+': '+-2\r\nhere' }),
  )
  const representation = await pair.open('0/x', postscript)
  expect(representation.metadata).toMatchObject({ view: null, views: [] })
  expect(await representation.text()).toBe('here')
  expect(pair.remarks()).toHaveLength(1)
})

test('what is missing is missing, and one request tells', async () => {
  await using pair = await startPair()
  expect(await pair.failure('0/none', postscript)).toMatchObject({ code: 'not-found', phase: 'request' })
  expect(pair.server.received).toEqual(['/none\t!'])
})

test('attributes without end are a reply that is too long', async () => {
  const endless = `+-1\r\n+INFO: 0x\t/x\th\t70\t+\r\n+ABSTRACT:\r\n${' line\r\n'.repeat(20_000)}.\r\n`
  await using pair = await startPair(replying({ '/x': endless }))
  expect(await pair.failure('0/x', postscript)).toMatchObject({ code: 'limit-exceeded' })
})

test('an abort while the attributes are awaited', async () => {
  await using pair = await startPair({ faults: { stall: 'response' } })
  const controller = new AbortController()
  const failing = pair.failure('0/views', { ...postscript, signal: controller.signal })
  await pair.server.waitForConnections(1)
  controller.abort()
  expect(await failing).toMatchObject({ code: 'aborted' })
})
