import { createClient, type Entry, type RetrievalEvent } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import {
  entriesOf,
  expectOctets,
  failure,
  retrieve,
  retrieveToFile,
  type ServerUnderTest,
  suite,
  trusting,
} from './suite.ts'

suite('pygopherd', (server) => {
  items(server, { lineEnd: '\n', recodes: false, tls: 0 })

  test('a text that holds lone dots, from a server that doubles none and ends with none', async () => {
    expectOctets(
      await retrieveToFile(server.url('gopher', '/0/docs/dots.txt')),
      await server.seed('root/docs/dots.txt'),
    )
  })

  test('a search', async () => {
    const url = server.url('gopher', '/7/search/query.sh%09two%20words')
    expect((await retrieveToFile(url)).toString()).toContain('You asked for: two words')
  })

  test('a missing item, of which the server says so in a menu of one error', async () => {
    expect(await failure(78, server.url('gopher', '/0/docs/none.txt'))).toContain('does not exist')
  })

  test.each(['1/docs/none', '7/search/none.sh%09x', '9/docs/none.bin', 'I/none.png'])(
    'a missing item of another type is missing, too: %s',
    async (path) => {
      expect(await failure(78, server.url('gopher', `/${path}`))).toContain('does not exist')
    },
  )

  test('a mailbox is a menu of messages', async () => {
    const messages = await entriesOf(server.url('gopher', '/1/docs/folder.mbox'))
    expect(messages.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['Message 1 file', 'Message 2 file'])
    expect((await retrieveToFile(messages[1]?.url ?? '')).toString()).toMatch(/Subject: Message 2[\s\S]*Body 2\./)
  })

  test.each([
    ['a text', '0/docs/plain.txt', 25],
    ['a text as a view', '0/docs/plain.txt', 25, 'text/plain%20En_US'],
    ['a text without an octet', '0/docs/empty.txt', 0],
    ['every octet', '9/bin-files/bytes.bin', 256],
    ['a mebibyte', '0/bin-files/big.txt', 2 ** 20],
  ])('Gopher+: %s, as long as the server says', async (_, path, size, view = '') => {
    const url = server.url('gopher', `/${path}%09%09+${view}`)
    await using client = createClient()
    const representation = await client.retrieve(url)
    expect(representation).toMatchObject({ size, completeness: 'verified', metadata: { gopherPlus: true } })
    const octets = await server.seed(`root${path.slice(1)}`)
    expectOctets(await representation.bytes(), octets)
    expectOctets(await retrieveToFile(url), octets)
  })

  test.each([
    ['a menu', '1/docs%09%09+'],
    ['a menu as a view', '1/docs%09%09+application/gopher+-menu'],
    ['a menu of another server', '1/docs/folder.mbox%09%09+'],
  ])('Gopher+: %s, to the end of the connection', async (_, path) => {
    const entries = await entriesOf(server.url('gopher', `/${path}`))
    expect(entries).toEqual(await entriesOf(server.url('gopher', `/${path.split('%09')[0]}`)))
    expect(entries.length).toBeGreaterThan(1)
  })

  test('Gopher+: a search', async () => {
    const url = server.url('gopher', '/7/search/query.sh%09two%20words%09+')
    expect((await retrieveToFile(url)).toString()).toContain('You asked for: two words')
  })

  test.each(['+', '!'])('Gopher+: a missing item, asked for by %s: whom to tell', async (plus) => {
    const said = await failure(78, server.url('gopher', `/0/docs/none.txt%09%09${plus}`))
    expect(said).toContain("'/docs/none.txt' does not exist")
  })

  test('Gopher+: the attributes of an item are one entry', async () => {
    const [entry, ...more] = await entriesOf(server.url('gopher', '/0/docs/plain.txt%09%09!'))
    expect(more).toEqual([])
    expect(entry).toMatchObject({
      name: 'plain.txt',
      kind: 'file',
      url: server.url('gopher', '/0/docs/plain.txt'),
      modified: new Date('2001-02-03T04:05:06Z'),
      details: {
        attributes: {
          ADMIN: { admin: 'Ann Admin <ann@example.net>' },
          VIEWS: [{ mediaType: 'text/plain', language: null }],
          ABSTRACT: 'The abstract of the plain text.\nIt has two lines.',
          KEYWORDS: ['plain text keywords'],
          ASK: [
            { kind: 'Ask', prompt: 'Your name?', default: 'nobody' },
            { kind: 'Choose', prompt: 'Colour?', choices: ['red', 'green'] },
          ],
        },
      },
    })
  })

  test('Gopher+: the attributes of a menu are those of its items', async () => {
    const items = await entriesOf(server.url('gopher', '/1/docs%09%09$'))
    const menu = await entriesOf(server.url('gopher', '/1/docs'))
    const leading = (entries: readonly Entry[]) =>
      entries.filter(({ url }) => url !== null).map(({ name, url }) => [name, url])
    expect(leading(items)).toEqual(leading(menu))
    expect(items.find(({ name }) => name === 'plain.txt')?.details).toMatchObject({
      attributes: { ABSTRACT: expect.stringContaining('two lines') },
    })
    const listed = await retrieve('ls', '--json', server.url('gopher', '/1/docs%09%09$'))
    expect(listed.stdout.toString()).toContain('The abstract of the plain text.')
  })

  test('Gopher+: a view by accept', async () => {
    const url = server.url('gopher', '/0/docs/plain.txt')
    await using own = createClient()
    const representation = await own.retrieve(url, { accept: 'application/pdf, text/*;q=0.5' })
    expect(representation).toMatchObject({ mediaType: 'text/plain', size: 25, metadata: { gopherPlus: true } })
    expectOctets(await representation.bytes(), await server.seed('root/docs/plain.txt'))
  })

  test('gophers on the same port: Gopher+, and items that the menu leads to', async () => {
    const options = await trusting(server)
    const text = await textOf(server.url('gophers', '/0/docs/plain.txt%09%09+'), options)
    expect(text).toBe('Plain text.\nSecond line.\n')
    const [file] = (await entriesOf(server.url('gophers', '/1/docs'), options)).filter(
      ({ name }) => name === 'utf8.txt',
    )
    expect(file?.url).toBe(server.url('gophers', '/0/docs/utf8.txt'))
    expect(await textOf(file?.url ?? '', options)).toBe('grüße, café, €\n')
  })
})

suite('gophernicus', (server) => {
  items(server, { lineEnd: '\r\n', recodes: true, tls: 1 })

  test.each([0, 1])('the menu of the root, with its links elsewhere (port +%i)', async (offset) => {
    const scheme = offset === 0 ? 'gopher' : 'gophers'
    const entries = await entriesOf(server.url(scheme, '/', { offset }), await trusting(server))
    expect(entries.filter(({ url }) => url !== null)).toMatchObject([
      { name: 'Plain text', kind: 'file', url: server.url(scheme, '/0/docs/plain.txt', { offset }) },
      { name: 'Documents', kind: 'directory', url: server.url(scheme, '/1/docs', { offset }) },
      { name: 'Binary files', kind: 'directory' },
      { name: 'Search', kind: 'search', url: server.url(scheme, '/7/cgi-bin/query.sh', { offset }) },
      { name: 'A page', url: 'http://www.example.net/' },
      { name: 'Another server', kind: 'directory', url: 'gopher://gopher.example.net/1/' },
      { name: 'A telnet session', kind: 'service', url: 'telnet://guest@telnet.example.net/' },
    ])
  })

  test('a text that holds lone dots, from a server that doubles none and ends only menus with one', async () => {
    const dots = await retrieveToFile(server.url('gopher', '/0/docs/dots.txt'))
    expect(dots.toString()).toBe('.\r\n..\r\n.leading dot\r\nlast line\r\n')
  })

  test.each(['%09two%20words', '?two%20words'])('a search by %s', async (search) => {
    expect(await entriesOf(server.url('gopher', `/7/cgi-bin/query.sh${search}`))).toMatchObject([
      { name: 'You asked for: two words', kind: 'info' },
      { name: 'A result for two words', url: server.url('gopher', '/0/docs/plain.txt') },
    ])
  })

  test('a missing item, of which the server says so in prose: nothing tells it from a document', async () => {
    const url = server.url('gopher', '/0/docs/none.txt')
    expect((await retrieveToFile(url)).toString()).toMatch(/^Error: File or directory not found!/)
  })

  test('a missing binary item, in whose place that prose comes', async () => {
    expect(await failure(78, server.url('gopher', '/9/docs/none.bin'))).toContain('File or directory not found!')
  })

  test('a missing menu, in whose place it comes, too: a remark says that it is no menu', async () => {
    const { stderr } = await retrieve(server.url('gopher', '/1/docs/none'))
    expect(stderr.toString()).toContain('The answer is no menu')
  })

  test('what the server can do', async () => {
    const caps = (await retrieveToFile(server.url('gopher', '/0caps.txt'))).toString()
    expect(caps).toMatch(/^CAPS\r\n/)
    expect(caps).toContain('ServerDefaultEncoding=UTF-8')
  })

  test.each([{ accept: 'text/plain' }, { form: { Name: 'Ann' } }])(
    'Gopher+ asked for by %j gives the plain item, and says so',
    async (wish) => {
      const events: RetrievalEvent[] = []
      await using own = createClient({ onEvent: (event) => events.push(event) })
      const representation = await own.retrieve(server.url('gopher', '/0/docs/plain.txt'), wish)
      expect(representation.metadata).toMatchObject({ gopherPlus: false })
      expect(await representation.text()).toBe('Plain text.\r\nSecond line.\r\n')
      expect(events.filter(({ type }) => type === 'remark')).toHaveLength(1)
    },
  )

  test.each(['+', '!', '+text/plain'])('Gopher+ asked for by %s gives the plain item', async (plus) => {
    const url = server.url('gopher', `/0/docs/plain.txt%09%09${plus}`)
    await using own = createClient()
    const representation = await own.retrieve(url)
    expect(representation.metadata).toMatchObject({ gopherPlus: false })
    expect(await representation.text()).toBe('Plain text.\r\nSecond line.\r\n')
  })
})

interface Habits {
  /** The line end of its texts. */
  readonly lineEnd: string
  /** Whether texts that are no UTF-8 become so. */
  readonly recodes: boolean
  /** The port of gophers, from PORT on. */
  readonly tls: number
}

/** Checks for every server. */
function items(server: ServerUnderTest, { lineEnd, recodes, tls }: Habits): void {
  test.each(['gopher', 'gophers'])('every octet of a binary item, by %s', async (scheme) => {
    const offset = scheme === 'gophers' ? tls : 0
    for (const name of ['bytes.bin', 'dot.gif']) {
      const url = server.url(scheme, `/9/bin-files/${name}`, { offset })
      const octets = await retrieveToFile(url, '--cacert', server.path('cert.pem'))
      expectOctets(octets, await server.seed(`root/bin-files/${name}`))
    }
  })

  test('gophers with a certificate that nobody vouches for', async () => {
    const said = await failure(60, server.url('gophers', '/0/docs/plain.txt', { offset: tls }))
    expect(said).toMatch(/certificate/)
  })

  test.each(['plain', 'latin1', 'utf8', 'empty'])('the text %s', async (name) => {
    const seed = (await server.seed(`root/docs/${name}.txt`)).toString('latin1').replaceAll('\n', lineEnd)
    const coded = Buffer.from(seed, name === 'latin1' && recodes ? 'utf8' : 'latin1')
    expectOctets(await retrieveToFile(server.url('gopher', `/0/docs/${name}.txt`)), coded)
  })

  test('names of all kinds of octets lead to their items', async () => {
    const files = (await entriesOf(server.url('gopher', '/1/names'))).filter(({ kind }) => kind === 'file')
    expect(files.map(({ name }) => name).sort()).toEqual(['a b#c%25.txt', 'café.txt', 'grüße.txt'])
    const texts = await Promise.all(files.map(({ url }) => retrieveToFile(url ?? '')))
    expect(texts.map(String).sort()).toEqual(['latin1', 'reserved', 'utf8'].map((text) => `${text}${lineEnd}`))
  })

  test('a menu goes into a pipe as it came, and to ls as entries', async () => {
    const url = server.url('gopher', '/1/docs')
    const { status, stdout } = await retrieve('-s', url)
    expect({ status, stdout: stdout.toString('latin1') }).toEqual({
      status: 0,
      stdout: expect.stringContaining(`\r\n0plain.txt\t/docs/plain.txt\t127.0.0.1\t${server.port()}`),
    })
    const listed = await retrieve('ls', '--json', url)
    const urls = listed.stdout.toString().trim().split('\n')
    expect(urls.map((line) => (JSON.parse(line) as { url: string | null }).url)).toContain(
      server.url('gopher', '/0/docs/plain.txt'),
    )
  })

  test('the library: a menu', async () => {
    expect(await entriesOf(server.url('gopher', '/1/docs'))).toContainEqual(
      expect.objectContaining({
        name: 'plain.txt',
        kind: 'file',
        url: server.url('gopher', '/0/docs/plain.txt'),
      }),
    )
  })

  test('the library: a text', async () => {
    expect(await textOf(server.url('gopher', '/0/docs/plain.txt'))).toBe(`Plain text.${lineEnd}Second line.${lineEnd}`)
  })

  test('a port where nobody listens', () => failure(7, server.url('gopher', '/0/x', { offset: 3 })))
}

/** The text of an item, by the library. */
async function textOf(url: string, options?: Parameters<typeof createClient>[0]): Promise<string> {
  await using own = createClient(options)
  return await (await own.retrieve(url)).text()
}
