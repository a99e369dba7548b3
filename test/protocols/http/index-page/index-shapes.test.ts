import { type Client, createClient, type Entry, type Representation } from '@retriever/fetchers'
import { startHttpServer, type TestServer } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { others } from '../support/index-others.ts'
import { type Shape, shapes } from '../support/index-shapes.ts'

let server: TestServer
let client: Client

beforeAll(async () => {
  server = await startHttpServer()
  client = createClient()
})

afterAll(async () => {
  await client.close()
  await server.close()
})

/** The outcome of a server's answer under a path. */
async function retrieved(page: string, path = 'files/', type = 'text/html;charset=utf-8'): Promise<Representation> {
  const body = Buffer.from(page).toString('latin1')
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`
  server.setFaults({ replies: { [`/${path}`]: head + body } })
  return client.retrieve(server.url + path, type === 'application/json' ? { accept: type } : {})
}

function expected({ size, modified, isSubFile = false, sub = isSubFile ? 'sub' : 'sub/' }: Shape): Entry[] {
  const dated = modified !== undefined && { modified: new Date(modified) }
  const url = `${server.url}files/`
  return [
    { name: 'a.txt', kind: 'file', url: `${url}a.txt`, ...(size && { size: 5 }), ...dated },
    {
      name: 'big.iso',
      kind: 'file',
      url: `${url}big.iso`,
      ...(size === 'exact' && { size: 1_234_567 }),
      ...(size === 'rough' && { details: { shownSize: expect.stringMatching(/^1\.2 ?Mi?B?$/) } }),
      ...dated,
    },
    { name: 'sub', kind: isSubFile ? 'file' : 'directory', url: url + sub, ...dated },
  ]
}

describe('an index has entries, whatever program wrote it', () => {
  test.each(Object.entries(shapes))('%s', async (_program, shape) => {
    const listing = await retrieved(shape.page, shape.path)
    expect(listing.kind).toBe('listing')
    const entries = await entriesOf(listing)
    expect(entries.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual(expected(shape))
  })

  test('and its octets stay the same', async () => {
    for (const { page, path } of Object.values(shapes)) {
      expect(await (await retrieved(page, path)).text()).toBe(page)
    }
  })

  test('behind a title that comes late, or with the title of another path', async () => {
    const row = '<pre><a href="../">../</a>\n<a href="a.txt">a.txt</a>  03-Feb-2001 04:05   5\n</pre>'
    for (const head of [`${' '.repeat(3000)}<title>Index of /files/</title>`, '<title>Index of /pool/main/</title>']) {
      const listing = await retrieved(`<html><head>${head}</head><body>${row}`)
      expect(await entriesOf(listing)).toMatchObject([{ name: 'a.txt', size: 5 }])
    }
  })

  test.each([
    [
      'nginx',
      '<html>\r\n<head><title>Index of /files/</title></head><body><h1>Index of /files/</h1><hr><pre><a href="../">../</a></pre>',
    ],
    [
      'Python',
      '<title>Directory listing for /files/</title><body><h1>Directory listing for /files/</h1><hr><ul></ul><hr>',
    ],
    [
      'IIS',
      '<title>127.0.0.1 - /files/</title><h1>127.0.0.1 - /files/</h1><pre><a href="/">[To Parent Directory]</a><br><br></pre>',
    ],
  ])('an empty one of %s has none', async (_program, page) => {
    const listing = await retrieved(page)
    expect(listing.kind).toBe('listing')
    expect(await entriesOf(listing)).toEqual([])
  })

  test('one of many rows is told long before its end', async () => {
    const rows = Array.from({ length: 5000 }, (_, n) => `<a href="${n}.txt">${n}.txt</a>  2001-02-03 04:05  ${n}\n`)
    const listing = await retrieved(`<title>/files/</title><pre>${rows.join('')}</pre>`)
    expect(await entriesOf(listing)).toHaveLength(5000)
  })
})

describe('a page that is no index stays an object', () => {
  test.each(Object.entries(others))('%s', async (_what, { page, path }) => {
    const representation = await retrieved(page, path)
    expect(representation.kind).toBe('object')
    expect(await representation.text()).toBe(page)
  })
})

describe('a hostile page costs a moment while it is told', () => {
  const may = '<title>Files</title>'
  const size = 1_000_000
  test.each<[string, string]>([
    ['a head without end', `<meta>${'<meta x>'.repeat(size / 8)}`],
    ['titles that never begin', '<titl'.repeat(size / 5)],
    ['titles that never end', '<title>'.repeat(size / 7)],
    ['a title of blanks', `<title>${' '.repeat(900)}</title>${' '.repeat(size)}`],
    ['blanks', may + ' '.repeat(size)],
    ['tags that never end', may + '<a'.repeat(size / 2)],
    ['links to nowhere', may + '<a href="javascript:x">'.repeat(size / 23)],
    ['links with texts', `${may}<a href="a">${'x '.repeat(size / 2)}`],
    ['rows', `${may}<pre>${'\n'.repeat(size)}`],
    ['rows of digits', `${may}<pre>${'<a href="a">a</a> 1 1 1 1 1 1 1\n'.repeat(size / 33)}`],
    ['half of dates', `${may}<pre><a href="a">a</a>${'2001-02-'.repeat(size / 8)}\n`],
    ['boxes', may + '<div>'.repeat(400) + '<div></div>'.repeat(size / 11)],
    ['headings', may + '<h1>x'.repeat(size / 5)],
    ['nested elements', may + '<b>'.repeat(size / 3)],
    ['entities', `${may}<pre>${'&lt;'.repeat(size / 4)}`],
    ['names', `${may}<a href="${'a%20'.repeat(size / 4)}">x</a>`],
  ])('%s', async (_what, page) => {
    const signal = AbortSignal.timeout(4000)
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n`
    server.setFaults({ replies: { '/files/': head + page } })
    const representation = await client.retrieve(`${server.url}files/`, { signal })
    expect((await representation.bytes()).length).toBe(page.length)
  })

  test('also where it comes octet by octet', async () => {
    for (const page of [`<title>${'x'.repeat(900)}`, `${may}<pre>${'<a href="a">a</a> 2001-02-03 1\n'.repeat(60)}`]) {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n`
      server.setFaults({ replies: { '/files/': head + page }, chunking: 'bytes' })
      const representation = await client.retrieve(`${server.url}files/`)
      expect((await representation.bytes()).length).toBe(page.length)
    }
    server.setFaults({ chunking: 'whole' })
  })
})

describe('dates and sizes', () => {
  const entryOf = async (row: string): Promise<Entry | undefined> => {
    const page = `<title>Index of /files/</title><h1>Index of /files/</h1><table><tr>${row}</tr></table>`
    return (await entriesOf(await retrieved(page)))[0]
  }
  const link = '<td><a href="a">a</a></td>'

  test.each([
    ['2001-02-03 04:05', '2001-02-03T04:05:00Z'],
    ['2001-Feb-03 04:05:06', '2001-02-03T04:05:06Z'],
    ['2001/02/03 04:05', '2001-02-03T04:05:00Z'],
    ['2001-02-03T04:05:06.789Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T04:05:06-05:00', '2001-02-03T09:05:06Z'],
    ['03-Feb-2001 04:05', '2001-02-03T04:05:00Z'],
    ['3 February 2001 16:05', '2001-02-03T16:05:00Z'],
    ['Sat, 03 Feb 2001 04:05:06 GMT', '2001-02-03T04:05:06Z'],
    ['Saturday, February 3, 2001 12:05 AM', '2001-02-03T00:05:00Z'],
    ['Feb 3, 2001 12:05 PM', '2001-02-03T12:05:00Z'],
    ['2/3/2001 4:05 PM', '2001-02-03T16:05:00Z'],
    ['2/23/2001 04:05', '2001-02-23T04:05:00Z'],
    ['23/02/2001 04:05', '2001-02-23T04:05:00Z'],
  ])('%s is one date', async (shown, modified) => {
    expect(await entryOf(`${link}<td>${shown}</td><td>12</td>`)).toMatchObject({
      modified: new Date(modified),
      size: 12,
    })
  })

  test.each(['02/03/2001 04:05', '31/31/2001 04:05', '2001-13-03 04:05', '29-Feb-2001 04:05', '2001-02-03 24:05'])(
    '%s may be any date, or none',
    async (shown) => {
      const entry = await entryOf(`${link}<td>${shown}</td><td>12</td>`)
      expect(entry).toEqual({ name: 'a', kind: 'file', url: `${server.url}files/a`, size: 12 })
    },
  )

  test.each<[string, Partial<Entry>]>([
    ['<td>12</td>', { size: 12 }],
    ['<td>12 bytes</td><td>text/plain</td>', { size: 12 }],
    ['<td>1,234,567 bytes</td>', { size: 1_234_567 }],
    ['<td>1.2 KiB</td>', { details: { shownSize: '1.2 KiB' } }],
    ['<td data-sort="1234">1.2 KiB</td>', { size: 1234 }],
    [
      '<td data-order="981173106">2001-02-03</td><td data-order="1234">1.2K</td>',
      { size: 1234, modified: new Date('2001-02-03') },
    ],
    // Another number than the size that is shown.
    ['<td data-order="99">1.2K</td>', { details: { shownSize: '1.2K' } }],
    ['<td>version 12</td>', {}],
    ['<td>12</td><td>13</td>', {}],
    ['<td>-</td>', {}],
    [`<td>${'9'.repeat(40)}</td>`, {}],
  ])('%s', async (cells, facts) => {
    expect(await entryOf(link + cells)).toEqual({ name: 'a', kind: 'file', url: `${server.url}files/a`, ...facts })
  })

  test('a number before the link is the row’s, not a size', async () => {
    expect(await entryOf(`<td>7</td>${link}`)).not.toHaveProperty('size')
  })
})

describe('an index in JSON', () => {
  const json = async (items: readonly unknown[]): Promise<Entry[]> =>
    entriesOf(await retrieved(JSON.stringify(items), 'files/', 'application/json'))
  const first = { name: 'a', type: 'file', mtime: 'Sat, 03 Feb 2001 04:05:06 GMT', size: 5 }
  const hostile = { toString: null, valueOf: 1 }

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a size that is an object', { size: hostile }],
    ['a size that is a list', { size: [hostile] }],
    ['a size that is a text', { size: '12' }],
    ['a size that is none', { size: -1.5 }],
    ['a size of null', { size: null }],
  ])('whose row has %s has no size', async (_what, members) => {
    const modified = new Date('2001-02-03T04:05:06Z')
    const entry = { kind: 'file', modified }
    const items = [first, { ...first, name: 'b', ...members }]
    expect(await json(items)).toMatchObject([
      { name: 'a', ...entry, size: 5 },
      { name: 'b', ...entry },
    ])
    expect((await json(items))[1]).not.toHaveProperty('size')
    expect((await json([{ ...first, ...members }]))[0]).not.toHaveProperty('size')
  })

  test.each<[string, unknown]>([
    ['a date that is an object', { ...first, name: 'b', mtime: hostile }],
    ['a type that is an object', { ...first, name: 'b', type: hostile, url: hostile, mtime: undefined }],
    ['a name that is an object', { ...first, name: hostile }],
    ['nothing', null],
    ['a number', 5],
  ])('whose row has %s goes on', async (_what, item) => {
    const names = (await json([first, item, { ...first, name: 'c' }])).map(({ name }) => name)
    expect(names.filter((name) => name !== 'b')).toEqual(['a', 'c'])
  })

  test.each([
    ['"\\u00e9.txt"', '%C3%A9.txt'],
    ['"\u00e9.txt"', '%C3%A9.txt'],
    ['"\u00e9\\u65E5\\ud83d\\ude00"', '%C3%A9%E6%97%A5%F0%9F%98%80'],
    ['"\\\\u00e9\\u0041"', '%5Cu00e9A'],
    ['"\\ud83d"', '%EF%BF%BD'],
  ])('whose name is %s has the octets of UTF-8 in the URL, escaped or not', async (name, segment) => {
    const page = `[${JSON.stringify(first)}, {"name":${name}}]`
    const entries = await entriesOf(await retrieved(page, 'files/', 'application/json'))
    expect(entries.map(({ url }) => url)).toEqual([`${server.url}files/a`, `${server.url}files/${segment}`])
  })

  test('may have its members in any order, and be written wide', async () => {
    const items = [
      { size: 5, modified: '2001-02-03T04:05:06Z', is_dir: false, name: 'a {1}' },
      { name: 'd', is_dir: true },
    ]
    const listing = await retrieved(JSON.stringify(items, null, 4), 'files/', 'application/json')
    const kinds = (await entriesOf(listing)).map(({ name, kind }) => [name, kind])
    expect(kinds).toEqual([
      ['a {1}', 'file'],
      ['d', 'directory'],
    ])
  })
})

/** Milliseconds of the processor until it is known what a page is. */
async function costOf(page: string): Promise<number> {
  const before = process.cpuUsage()
  const representation = await retrieved(page)
  const { user, system } = process.cpuUsage(before)
  await representation.cancel()
  return (user + system) / 1000
}

test('long headings before thousands of links cost the page no more than one look at them', async () => {
  const links = '<a href="/e">e</a><a href=c>z</a>'.repeat(7000)
  const headings = ['h1', 'h2', 'h3', 'h4'].map((name) => `<${name}>${'a '.repeat(199)}</${name}>`).join('')
  const page = (text: string): string => `<title>files</title>${text}${links}`
  await costOf(page(''))
  const [plain, headed] = [await costOf(page('')), await costOf(page(headings))]
  expect(headed).toBeLessThan(3 * plain + 100)
})
