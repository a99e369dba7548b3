import { readFileSync } from 'node:fs'
import { type Client, createClient, type Entry, type Representation, type RetrieveOptions } from '@retriever/fetchers'
import { startHttpServer, type TestServer } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf as read } from '../../../support/entries.ts'
import { isFull, runs } from '../../../support/runs.ts'

/** Recorded by test/protocols/http/support/index-pages/record.sh, all of one directory. */
const recorded = (name: string): Buffer => readFileSync(new URL(`../support/index-pages/${name}`, import.meta.url))

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

interface Serving extends RetrieveOptions {
  readonly path?: string
  readonly type?: string
  readonly status?: string
  readonly fields?: string
  readonly chunking?: 'whole' | 'bytes'
}

/** The outcome of a server's answer. */
async function retrieved(page: Buffer | string, serving: Serving = {}): Promise<Representation> {
  const {
    path = 'files/',
    type = 'text/html;charset=utf-8',
    status = '200 OK',
    fields = '',
    chunking,
    ...options
  } = serving
  const body = typeof page === 'string' ? page : page.toString('latin1')
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${fields}Content-Length: ${body.length}\r\n\r\n`
  server.setFaults({ replies: { [`/${path}`]: head + body }, ...(chunking && { chunking }) })
  return client.retrieve(server.url + path, options)
}

async function entriesOf(page: Buffer | string, serving?: Serving): Promise<Entry[]> {
  const listing = await retrieved(page, serving)
  expect(listing.kind).toBe('listing')
  return read(listing)
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : 1)

/**
 * The directory's entries, with the segments of their URLs as nginx writes them; Python is the one that spoils the
 * octets of café.
 */
const files: readonly (readonly [name: string, segment: string, size: number])[] = [
  ['<b>&"\'.txt', '%3Cb%3E%26%22%27.txt', 5],
  ['100%25#?.txt', '100%2525%23%3F.txt', 8],
  [`${'a-very-long-name-that-'.repeat(4)}ends.tar.gz`, `${'a-very-long-name-that-'.repeat(4)}ends.tar.gz`, 1],
  ['a:b.txt', 'a%3Ab.txt', 6],
  ['back\\slash.txt', 'back%5Cslash.txt', 5],
  ['big.iso', 'big.iso', 1_234_567],
  ['café.txt', 'caf%E9.txt', 6],
  ['empty.txt', 'empty.txt', 0],
  ['grüße.txt', 'gr%C3%BC%C3%9Fe.txt', 7],
  ['hello.txt', 'hello.txt', 7],
]
const minute = new Date('2001-02-03T04:05:00Z')
const second = new Date('2001-02-03T04:05:06Z')

/** `sizes`: which of them the page shows exactly, and as what the others. */
interface Shown {
  readonly modified?: Date
  readonly sizes?: (size: number) => Pick<Entry, 'size' | 'details'>
  readonly hidden?: boolean
}

const exactly = (size: number) => ({ size })
const roughly = (unit: string) => (size: number) => (size < 1000 ? { size } : { details: { shownSize: unit } })
const inKilo = (size: number) => ({ details: { shownSize: size === 0 ? '0.0K' : size < 1000 ? '0.1K' : '1.1M' } })

const pages: readonly (readonly [page: string, shown: Shown])[] = [
  ['nginx.html', { modified: minute, sizes: exactly }],
  ['nginx-rough.html', { modified: minute, sizes: roughly('1M') }],
  ['apache-list.html', { hidden: true }],
  ['apache-pre.html', { modified: minute, sizes: roughly('1.2M'), hidden: true }],
  ['apache-table.html', { modified: minute, sizes: roughly('1.2M'), hidden: true }],
  ['apache-xhtml.html', { modified: minute, sizes: roughly('1.2M'), hidden: true }],
  ['lighttpd.html', { modified: second, sizes: inKilo }],
  ['caddy.html', { modified: second, sizes: exactly, hidden: true }],
  ['python.html', { hidden: true }],
]

function expected({ modified, sizes, hidden }: Shown): Entry[] {
  const directories = hidden ? ['.well-known', 'sub dir'] : ['sub dir']
  return [
    ...directories.map((name): Entry => ({ name, kind: 'directory', url: null, ...(modified && { modified }) })),
    ...files.map(
      ([name, , size]): Entry => ({ name, kind: 'file', url: null, ...(modified && { modified }), ...sizes?.(size) }),
    ),
  ].sort(byName)
}

const withoutUrls = (entries: readonly Entry[]): Entry[] =>
  entries.map((entry) => ({ ...entry, url: null })).sort(byName)

describe('an index page is a listing', () => {
  test.each(pages)('%s', async (page, shown) => {
    const octets = recorded(page)
    const listing = await retrieved(octets)
    expect(listing).toMatchObject({ kind: 'listing', mediaType: 'text/html', metadata: { status: 200 } })
    expect(Buffer.from(await listing.bytes())).toEqual(octets)
    const entries = withoutUrls(await entriesOf(octets))
    const want = expected(shown)
    if (page !== 'python.html') expect(entries).toEqual(want)
    else
      expect(entries.filter(({ name }) => !name.startsWith('caf'))).toEqual(
        want.filter(({ name }) => !name.startsWith('caf')),
      )
  })

  test.each(pages.slice(0, -1))('%s leads to where its links lead', async (page, { hidden }) => {
    const urls = (await entriesOf(recorded(page))).map(({ url }) => decodeURI(String(url).replace(/%E9/i, '%C3%A9')))
    const wanted = [...(hidden ? ['.well-known/'] : []), 'sub%20dir/', ...files.map(([, segment]) => segment)]
    const comparable = (url: string): string =>
      url.toLowerCase().replace(/%3a/g, ':').replace(/%26/g, '&').replace(/%27/g, "'")
    expect(urls.map(comparable).sort()).toEqual(
      wanted.map((segment) => comparable(decodeURI(`${server.url}files/${segment.replace('%E9', '%C3%A9')}`))).sort(),
    )
  })

  const octetwise = isFull ? ['nginx.html', 'caddy.html', 'lighttpd.html'] : ['nginx.html']
  test.each(octetwise)('%s, octet by octet', async (page) => {
    const octets = recorded(page)
    expect(await entriesOf(octets, { chunking: 'bytes' })).toEqual(await entriesOf(octets, { chunking: 'whole' }))
    expect(Buffer.from(await (await retrieved(octets, { chunking: 'bytes' })).bytes())).toEqual(octets)
    server.setFaults({ chunking: 'whole' })
  })

  const row = '<a href="a">a</a>          03-Feb-2001 04:05         5\n'
  const outside = '<a href="http://localhost/x">x</a><a href="http://localhost/y">y</a>'.repeat(11)
  test.each([
    ['a heading behind links that lead out', `<pre>${outside}${row}</pre><h1>Index of /files/</h1>`],
    ['a long heading', `<h1>${'x '.repeat(190)}Index of /files/</h1><pre>${row}${row.replaceAll('a', 'b')}</pre>`],
    ['a title that ends late', `<title>Index of /files/${' '.repeat(1100)}</title><pre>${row}</pre>`],
    ['columns far apart', `<title>Index of /files/</title><pre>${row.replace(/ {3,}/g, ' '.repeat(150))}</pre>`],
  ])('%s is read in the same way in one piece and octet by octet', async (_what, page) => {
    const ways = []
    for (const chunking of ['whole', 'bytes'] as const) {
      const representation = await retrieved(`<html>${page}`, { chunking })
      ways.push(representation.kind === 'listing' ? await read(representation) : await representation.text())
    }
    server.setFaults({ chunking: 'whole' })
    expect(ways[1]).toEqual(ways[0])
  })

  test('with the user of the URL, and without its query', async () => {
    const path = 'files/?C=S;O=A'
    await retrieved(recorded('apache-pre.html'), { path }).then((listing) => listing.cancel())
    const listing = await client.retrieve(`${server.url.replace('//', '//alice:secret@')}${path}`)
    const urls: (string | null)[] = []
    for await (const { url } of listing.entries()) urls.push(url)
    expect(urls).toContain(`${server.url.replace('//', '//alice@')}files/big.iso`)
    expect(urls.join()).not.toContain('secret')
  })

  test('its icons may be links too', async () => {
    const row = '<a href="a.txt"><img src="/i.gif"></a> <a href="a.txt">a.txt</a>  2001-02-03 04:05   12  \n'
    const page = recorded('apache-pre.html')
      .toString('latin1')
      .replace(/ {6}<a href=".well-known[\s\S]*?(?=<hr><\/pre>)/, row)
    expect(await entriesOf(page)).toEqual([
      { name: 'a.txt', kind: 'file', url: `${server.url}files/a.txt`, size: 12, modified: minute },
    ])
  })

  test('what stands behind a row of a table is not of it', async () => {
    const rows =
      '<tr><td><a href="a.txt">a.txt</a></td></tr><tr><td data-order="3"><time datetime="2001-02-03T04:05:06Z"></td></tr>'
    const page = recorded('caddy.html')
      .toString('latin1')
      .replace(/<tr class="file">[\s\S]*<\/tr>/, rows)
    expect(await entriesOf(page)).toEqual([{ name: 'a.txt', kind: 'file', url: `${server.url}files/a.txt` }])
  })

  test.each(['nginx.json', 'caddy.json'])('%s, where JSON was asked for', async (page) => {
    const shown = { modified: second, sizes: exactly, hidden: page === 'caddy.json' }
    const serving = { type: 'application/json' }
    for (const asked of [{ accept: 'application/json' }, { headers: { ACCEPT: 'application/json' } }]) {
      expect(withoutUrls(await entriesOf(recorded(page), { ...serving, ...asked }))).toEqual(expected(shown))
    }
    const unasked = await retrieved(recorded(page), serving)
    expect(unasked.kind).toBe('object')
    await unasked.cancel()
  })
})

/** nginx's page with links of others' making. */
function page(...rows: readonly string[]): string {
  const [head = '', foot = ''] = recorded('nginx.html')
    .toString('latin1')
    .split(/<a href="sub[\s\S]*(?=<\/pre>)/)
  return head + rows.map((row) => `${row}\r\n`).join('') + foot
}

const row = (href: string): string => `<a href="${href}">x</a>   03-Feb-2001 04:05      12`

test('the local test server makes one', async () => {
  const representation = await client.retrieve(`${server.url}pub/`)
  expect(representation.kind).toBe('listing')
  const entries = await read(representation)
  expect(entries).toContainEqual({ name: 'hello.txt', kind: 'file', url: `${server.url}pub/hello.txt` })
  expect(entries.find(({ kind }) => kind === 'directory')?.url).toMatch(/\/pub\/[^/]+\/$/)
})

describe('what is no index stays an object', () => {
  const nginx = recorded('nginx.html').toString('latin1')
  test.each<[what: string, page: string, serving?: Serving]>([
    [
      'a page about one',
      `<!DOCTYPE html><html><head><title>Index of /files/</title></head><body><pre>${nginx.replace(/</g, '&lt;')}`,
    ],
    ['a quoted page', `<!DOCTYPE html><title>How to</title>${nginx}`],
    [
      'a page with the title of Caddy',
      '<!DOCTYPE html><html><head><title>files</title></head><body><table class="file"><a href="./a">a</a>',
    ],
    [
      'a page that looks like one of Caddy',
      '<!DOCTYPE html><html><head><title>x</title><style>body{text-rendering: optimizespeed;}</style></head><body>',
    ],
    ['a page whose end is its beginning', '<html><head><tit'],
    ['an empty page', ''],
    ['another type', nginx, { type: 'text/plain' }],
    ['a file', nginx, { path: 'files/index.html' }],
    ['a file with a query', nginx, { path: 'files?dir=/' }],
    ['an error', nginx, { status: '404 Not Found', http: { fail: false } }],
    ['JSON of another shape', '[{"name":"a","type":"file"}]', { type: 'application/json', accept: 'application/json' }],
  ])('%s', async (_what, body, serving) => {
    const representation = await retrieved(body, serving)
    expect(representation.kind).toBe('object')
    expect(() => representation.entries()).toThrow(TypeError)
    expect(Buffer.from(await representation.bytes()).toString('latin1')).toBe(body)
  })

  test('a part of one', async () => {
    const part = Buffer.from(nginx.slice(0, 300), 'latin1')
    const fields = `Content-Range: bytes 0-299/${nginx.length}\r\n`
    const representation = await retrieved(part, { status: '206 Partial Content', fields, range: [0, 299] })
    expect(representation.kind).toBe('object')
    await representation.cancel()
  })

  test('an ordinary page is there as soon as it is known to be one', async () => {
    const body = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Hello</title>'
    server.setFaults({
      replies: { '/files/': `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n${body}` },
    })
    const representation = await client.retrieve(`${server.url}files/`, { signal: AbortSignal.timeout(5000) })
    const { value } = await representation[Symbol.asyncIterator]().next()
    expect(Buffer.from(value ?? []).toString()).toBe(body)
    await representation.cancel()
  })
})

describe('a hostile index', () => {
  test.each([
    '../',
    '/',
    '.',
    './',
    '..',
    '',
    '#',
    '?C=N;O=D',
    'a?C=N',
    'a#b',
    'a/b',
    'a//',
    '/etc/passwd',
    '/filesystem',
    'a/../../x',
    '%2e%2e',
    '%2e%2e/',
    '..%2f..%2f.bashrc',
    '%2Fetc%2Fpasswd',
    'a%00b',
    '..\\..\\x',
    'http://evil.example/files/a',
    '//evil.example/files/a',
    'https://127.0.0.1/files/a',
    'ftp://127.0.0.1/files/a',
    'file:///files/a',
    'javascript:alert(1)',
    'java\nscript:x/y',
    'mailto:a@b',
    'http://[',
    'x'.repeat(10_000),
  ])('cases 3 and 14, a link to %j is passed over', async (href) => {
    expect((await entriesOf(page(row(href), row('good.txt')))).map(({ name }) => name)).toEqual(['good.txt'])
  })

  test('an absolute link to below is one of its own; its user is nobody', async () => {
    const own = `${server.url.replace('//', '//mallory:x@')}files/a.txt`
    expect((await entriesOf(page(row(own), row('/files/b.txt')))).map(({ url }) => url)).toEqual([
      `${server.url}files/a.txt`,
      `${server.url}files/b.txt`,
    ])
  })

  test('the same name comes once, and <base> moves nothing', async () => {
    const rows = ['<base href="http://evil.example/">', row('a.txt'), row('./a.txt'), row('b.txt'), row('a.txt')]
    expect((await entriesOf(page(...rows))).map(({ url }) => url)).toEqual([
      `${server.url}files/a.txt`,
      `${server.url}files/b.txt`,
    ])
  })

  test('the text is never the name', async () => {
    const rows = [
      '<a href="evil.exe">good.txt</a> 03-Feb-2001 04:05 1',
      '<a href="b%1B[2J%E2%80%AEx">b</a> 03-Feb-2001 04:05 1',
    ]
    expect((await entriesOf(page(...rows))).map(({ name }) => name)).toEqual(['evil.exe', 'b\x1b[2J\u202Ex'])
  })

  test.each([
    ['30-Feb-2001 04:05', {}],
    ['03-Foo-2001 04:05', {}],
    ['03-Feb-2001 25:05', {}],
  ])('a date of %s is none', async (date, known) => {
    const [entry] = await entriesOf(page(`<a href="a">a</a>  ${date}     12`))
    expect(entry).toEqual({ name: 'a', kind: 'file', url: `${server.url}files/a`, size: 12, ...known })
  })

  test('a size beyond all numbers is none', async () => {
    const [entry] = await entriesOf(page(`<a href="a">a</a>  03-Feb-2001 04:05     ${'9'.repeat(40)}`))
    expect(entry).toEqual({ name: 'a', kind: 'file', url: `${server.url}files/a`, modified: minute })
  })

  test.each<[what: string, junk: string]>([
    ['unclosed tags', '<b'.repeat(runs(500_000))],
    ['blanks behind a link', `<a href="j">${' '.repeat(runs(1_000_000))}</a>${' '.repeat(runs(1_000_000))}`],
    ['digits', '1'.repeat(runs(1_000_000))],
    ['an endless attribute', `<i x="${'a'.repeat(runs(1_000_000))}">`],
    ['many attributes', `<i ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>`],
    ['a comment', `<!--${'-'.repeat(runs(1_000_000))}>-->`],
    ['entities', '&amp;'.repeat(runs(200_000))],
    ['end tags of nothing', '</i>'.repeat(runs(250_000))],
    ['links', '<a href="javascript:x">'.concat('</a>').repeat(runs(40_000))],
  ])(
    'a megabyte of junk, %s, costs a moment and loses no row',
    async (_what, junk) => {
      const entries = await entriesOf(page(junk, row('good.txt')), { signal: AbortSignal.timeout(10_000) })
      expect(entries.map(({ name }) => name).filter((name) => name !== 'j')).toEqual(
        junk.startsWith('<b') ? [] : ['good.txt'],
      )
    },
    15_000,
  )

  test('elements nested without end are given up', async () => {
    const junk = '<b>'.repeat(runs(350_000)) + '</i>'.repeat(runs(350_000))
    await expect(entriesOf(page(row('good.txt'), junk))).rejects.toMatchObject({
      code: 'limit-exceeded',
      phase: 'body',
    })
  })

  test('case 43, maxListing bounds what is parsed, not what is saved', async () => {
    await using small = createClient({ limits: { maxListing: 1000 } })
    const octets = recorded('nginx.html')
    for (const [file, type, accept] of [
      ['nginx.html', 'text/html', '*/*'],
      ['nginx.json', 'application/json', 'application/json'],
    ] as const) {
      await (await retrieved(recorded(file), { type })).cancel()
      const listing = await small.retrieve(`${server.url}files/`, { accept })
      await expect(
        listing
          .entries()
          [Symbol.asyncIterator]()
          .next()
          .then(async (first) => first),
      ).rejects.toMatchObject({
        code: 'limit-exceeded',
      })
    }
    await (await retrieved(octets)).cancel()
    expect((await (await small.retrieve(`${server.url}files/`)).bytes()).length).toBe(octets.length)
  })

  test('an index in JSON is held whole, and keeps to maxCollected too', async () => {
    await using small = createClient({ limits: { maxCollected: 1000 } })
    await (await retrieved(recorded('nginx.json'), { type: 'application/json' })).cancel()
    const listing = await small.retrieve(`${server.url}files/`, { accept: 'application/json' })
    await expect(read(listing)).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  test.each([
    ['an index', '\r\n</pre>', 'listing', ['a.txt', 'b.txt']],
    ['what may have become one', '<h1>', 'object', []],
  ] as const)('of %s that breaks off comes what has come, and then the error', async (_what, cut, kind, names) => {
    const [begun = ''] = page(row('a.txt'), row('b.txt')).split(cut)
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n'
    server.setFaults({ replies: { '/files/': head + begun } })
    const representation = await client.retrieve(`${server.url}files/`)
    expect(representation.kind).toBe(kind)
    const seen: string[] = []
    const read = async (): Promise<void> => {
      if (kind === 'listing') for await (const { name } of representation.entries()) seen.push(name)
      else for await (const chunk of representation) expect(Buffer.from(chunk).toString('latin1')).toBe(begun)
    }
    await expect(read()).rejects.toMatchObject({ code: 'partial', phase: 'body' })
    // The last row might have gone on.
    expect(seen).toEqual(names.slice(0, 1))
  })
})

test('a page that has others behind it says so by an entry without a URL; a sorted one does not', async () => {
  const page = (link: string): string =>
    `<title>Index of /files/</title><h1>Index of /files/</h1><pre><a href="../">../</a>\n<a href="a">a</a>\n<a href="${link}">x</a></pre>`
  expect((await entriesOf(page('?page=2'))).map(({ url }) => url)).toEqual([`${server.url}files/a`, null])
  expect((await entriesOf(page('?C=M;O=A'))).map(({ url }) => url)).toEqual([`${server.url}files/a`])
})
