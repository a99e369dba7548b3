import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { findScheme, type RetrievalError } from '@retriever/core'
import { type Client, createClient, type Entry, type RetrievalEvent } from '@retriever/fetchers'
import { type GopherServerOptions, startGopherServer, type TestServer, testCa } from '@retriever/servers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunksOf } from '../../../packages/fetchers/src/kit/byte-source.ts'
import { TextOctets } from '../../../packages/fetchers/src/protocols/gopher/text.ts'
import { entriesOf } from '../../support/entries.ts'
import { Player, readTranscript } from '../../support/transcript/player.ts'
import { modes } from '../../support/transcript/script.ts'

let client: Client
let events: RetrievalEvent[]
let server: TestServer | undefined

beforeEach(() => {
  events = []
  client = createClient({
    limits: { idleTimeout: 1000, maxRetries: 0 },
    tls: { ca: testCa },
    onEvent: (event) => events.push(event),
  })
})

afterEach(async () => {
  await server?.waitForConnections(0)
  await server?.close()
  server = undefined
  await client.close()
})

async function start(options: GopherServerOptions = {}): Promise<TestServer> {
  server = await startGopherServer({ bigSize: 300_000, ...options })
  return server
}

async function text(url: string): Promise<string> {
  return Buffer.from(await (await client.retrieve(url)).bytes()).toString('latin1')
}

async function list(url: string): Promise<Entry[]> {
  return entriesOf(await client.retrieve(url))
}

async function failure(url: string, options?: { signal?: AbortSignal }): Promise<RetrievalError> {
  try {
    await (await client.retrieve(url, options)).bytes()
  } catch (error) {
    return error as RetrievalError
  }
  return expect.fail(`${url} was retrieved`)
}

describe.each(['whole', 'bytes', 'split-crlf'] as const)('octets that come %s', (chunking) => {
  test('a text, its end mark and doubled dots gone', async () => {
    const { url } = await start({ faults: { chunking } })
    expect(await text(`${url}0/pub/dots.txt`)).toBe('first line\r\n.\r\n..\r\n.leading dot\r\n...\r\nlast line\r\n')
    expect(await text(`${url}0/pub/empty.txt`)).toBe('')
  })

  test('every octet of a binary item', async () => {
    const { url } = await start({ faults: { chunking } })
    const representation = await client.retrieve(`${url}9/pub/a.bin`)
    expect(representation).toMatchObject({
      kind: 'object',
      mediaType: 'application/octet-stream',
      completeness: 'eof-only',
    })
    expect([...(await representation.bytes())]).toEqual(Array.from({ length: 4096 }, (_, index) => index % 256))
  })

  test('a menu', async () => {
    const { url, host, port } = await start({ faults: { chunking } })
    const representation = await client.retrieve(`${url}1/pub`)
    expect(representation).toMatchObject({ kind: 'listing', mediaType: 'application/gopher-menu' })
    const entries = await entriesOf(representation)
    expect(entries).toHaveLength(10)
    expect(entries).toContainEqual({
      name: 'name with spaces.txt',
      kind: 'file',
      url: `${url}0/pub/name%20with%20spaces.txt`,
      details: { gophertype: '0', selector: '/pub/name with spaces.txt', host, port, gopherPlus: '+' },
    })
    // The URL has the octets, whatever the name shows.
    expect(entries.map((entry) => entry.url)).toContain(`${url}0/pub/gr%C3%BC%C3%9Fe.txt`)
    expect(await text(entries.find(({ name }) => name === 'ÿ.txt')?.url ?? '')).toContain('octet FF')
  })

  test('Gopher+: a length, a dot, attributes, an error', async () => {
    const { url } = await start({ faults: { chunking } })
    const counted = await client.retrieve(`${url}9/pub/a.bin%09%09+`)
    expect(counted).toMatchObject({ size: 4096, completeness: 'verified', metadata: { gopherPlus: true } })
    expect((await counted.bytes()).length).toBe(4096)
    const dotted = await client.retrieve(`${url}0/pub/dots.txt%09%09+text/plain`)
    expect(dotted).toMatchObject({ size: null, completeness: 'terminated', mediaType: 'text/plain' })
    expect(await dotted.text()).toBe('first line\r\n.\r\n..\r\n.leading dot\r\n...\r\nlast line\r\n')
    const attributes = await client.retrieve(`${url}1/pub%09%09$`)
    expect(attributes).toMatchObject({ kind: 'listing', mediaType: 'text/plain' })
    expect(await attributes.text()).toMatch(/^\+INFO: [\s\S]*lines\.\r\n$/)
    expect(await failure(`${url}0/none%09%09+`)).toMatchObject({
      code: 'not-found',
      reply: '1 <ann@example.net> Item is not available.',
    })
  })
})

test('what is sent is what the plan says', async () => {
  const { url, received } = await start()
  const form = '%09%09+%091%0D%0A+-1%0D%0AAnn%0D%0Asesame%0D%0Agreen%0D%0A.%0D%0A'
  expect(await text(`${url}0/ask${form}`)).toBe('Name: Ann\r\nSecret: 6 characters\r\nColour: green\r\n')
  await list(`${url}7/search%09Hello,`)
  await text(url)
  await list(`${url}7/search%09Hello,%09+`)
  expect(received).toEqual([
    '/ask\t+\t1',
    '+-1',
    'Ann',
    'sesame',
    'green',
    '.',
    '/search\tHello,',
    '',
    '/search\tHello,\t+',
  ])
  expect(events.filter(({ type }) => type === 'sent').at(-1)).toMatchObject({ octets: '/search\tHello,\t+\r\n' })
})

test('a search gives entries, over Gopher+ too', async () => {
  const { url } = await start()
  for (const plus of ['', '%09+']) {
    expect(await list(`${url}7/search%09Three%20directories${plus}`)).toMatchObject([
      { kind: 'file', url: `${url}0/pub/sub/deep/file.txt` },
    ])
  }
})

test('a missing item, whatever type was asked for', async () => {
  const { url } = await start()
  for (const type of ['0', '1', '9', 'h']) {
    const error = await failure(`${url}${type}/none`)
    expect(error).toMatchObject({ code: 'not-found', phase: 'request', reply: "'/none' does not exist" })
  }
})

test.each([
  ['without an end mark', "3'/x' is not here\t\terror.host\t1\r\n"],
  ['without a line end', "3'/x' is not here\t\terror.host\t1"],
  ['of LF lines', "3'/x' is not here\tnull\terror.host\t1\n.\n"],
  ['with a Gopher+ mark', "3'/x' is not here\t\terror.host\t1\t+\r\n.\r\n"],
])('an error item %s', async (_, reply) => {
  for (const chunking of ['whole', 'bytes'] as const) {
    const { url } = await start({ faults: { chunking, replies: { '/x': reply } } })
    expect(await failure(`${url}0/x`)).toMatchObject({ code: 'not-found', reply: "'/x' is not here" })
    await server?.close()
  }
})

test.each([
  ['3 little pigs\r\n'],
  ['3'],
  ['3a\t\th\tx\r\n'],
  ["3'/x' is not here\t\terror.host\t1\r\nmore\r\n"],
  ["3'/x' is not here\t\terror.host\t1\r\n.\r\nmore\r\n"],
])('%j is a text', async (reply) => {
  for (const chunking of ['whole', 'bytes'] as const) {
    const { url } = await start({ faults: { chunking, replies: { '/x': reply } } })
    expect(await text(`${url}0/x`)).toBe(reply)
    await server?.close()
  }
})

test('an error item among others is an entry', async () => {
  const menu = '3broken\t\terror.host\t1\r\n0fine\t/f\th\t70\r\n'
  const { url } = await start({ faults: { replies: { '': menu } } })
  expect(await list(url)).toMatchObject([
    { kind: 'info', name: 'broken', url: null },
    { kind: 'file', url: 'gopher://h/0/f' },
  ])
})

test('no octets at all are an empty document', async () => {
  const { url } = await start({ faults: { replies: { '/x': '' } } })
  expect(await text(`${url}0/x`)).toBe('')
  expect(await list(`${url}1/x`)).toEqual([])
})

describe('the lines of a menu', () => {
  async function entries(line: string): Promise<Entry[]> {
    const { url } = await start({ faults: { replies: { '': line } } })
    return list(url)
  }

  test.each([
    ['0', 'file', 'gopher://h/0/s'],
    ['1', 'directory', 'gopher://h/1/s'],
    ['4', 'file', 'gopher://h/4/s'],
    ['7', 'search', 'gopher://h/7/s'],
    ['9', 'file', 'gopher://h/9/s'],
    ['g', 'file', 'gopher://h/g/s'],
    ['I', 'file', 'gopher://h/I/s'],
    ['?', 'other', 'gopher://h/%3F/s'],
    ['2', 'search', 'gopher://h/2/s'],
    ['3', 'info', null],
    ['i', 'info', null],
    ['8', 'service', 'telnet://%2Fs@h:70/'],
    ['T', 'service', 'tn3270://%2Fs@h:70/'],
  ])('type %s', async (type, kind, url) => {
    expect(await entries(`0x\tx\tx\t70\r\n${type}name\t/s\th\t70\r\n`)).toMatchObject([{}, { name: 'name', kind, url }])
  })

  test.each([
    ['no user', '8x\t\th\t23', 'telnet://h/'],
    ['another port', '0x\t/s\th\t7070', 'gopher://h:7070/0/s'],
    ['an IPv6 address', '0x\t/s\t::1\t7070', 'gopher://[::1]:7070/0/s'],
    ['octets to escape', '0x\t/a b%?#\xff\th\t70', 'gopher://h/0/a%20b%25%3F%23%FF'],
    ['padding', '0x\t/s\th  \t 70 ', 'gopher://h/0/s'],
    ['no port', '0x\t/s\th\t', null],
    ['port 0', '0x\t/s\th\t0', null],
    ['a port too high', '0x\t/s\th\t65536', null],
    ['no host', '0x\t/s\t\t70', null],
    ['no host at all', '0x\t/s\t(NULL)\t70', null],
    ['a host with more in it', '0x\t/s\tuser@h/x\t70', null],
    ['a host that is an option', '8x\t\t-nfoo\t23', null],
    ['a web page', 'hx\tURL:http://www.example.net/?a=b#c\th\t70', 'http://www.example.net/?a=b#c'],
    ['a web page, with a slash', 'hx\t/URL:https://www.example.net/\th\t70', 'https://www.example.net/'],
    ['a web page, blanks and all', 'hx\tURL:http://w/a b\xc3\xbc\x1b\th\t70', 'http://w/a%20b%C3%BC%1B'],
    ['a web page of 1993', 'hx\tGET /a.html\tw\t80', 'http://w/a.html'],
    ['nothing', 'hx\tURL:\th\t70', null],
    ['a local page', 'hx\t/page.html\th\t70', 'gopher://h/h/page.html'],
  ])('%s', async (_, line, url) => {
    const [entry] = await entries(`${line}\r\n`)
    expect(entry?.url).toBe(url)
  })

  test('what is no item is kept as information, and nothing after it is lost', async () => {
    const menu = 'Welcome!\n\r\n1x\t/only-two\r\n.\r\n0a\t/a\th\t70\n\t\t\t\r\n0b\t/b\th\t70\r\n.\r\n'
    expect((await entries(menu)).map(({ name, kind, url }) => [name, kind, url])).toEqual([
      ['Welcome!', 'info', null],
      ['1x\t/only-two', 'info', null],
      ['.', 'info', null],
      ['a', 'file', 'gopher://h/0/a'],
      ['\t\t\t', 'info', null],
      ['b', 'file', 'gopher://h/0/b'],
    ])
  })

  test('a redundant server is one more place of the item before', async () => {
    const menu = '+lost\t/\th0\t70\r\n1docs\t/d\th1\t70\r\niabout\t\t\t0\r\n+docs\t/e\th2\t70\r\n'
    expect(await entries(menu)).toMatchObject([
      { kind: 'other', url: null, details: { redundant: true } },
      { kind: 'directory', url: 'gopher://h1/1/d' },
      { kind: 'info', url: null },
      { kind: 'directory', url: 'gopher://h2/1/e', details: { gophertype: '+', redundant: true } },
    ])
  })

  test('names are UTF-8 where they are, else Latin-1', async () => {
    const menu = '0gr\xc3\xbc\xc3\x9fe\ta\th\t70\r\n0gr\xfc\xdfe\ta\th\t70\r\n'
    expect((await entries(menu)).map(({ name }) => name)).toEqual(['grüße', 'grüße'])
  })
})

describe('text: the end mark and doubled dots', () => {
  const texts: readonly (readonly [name: string, wire: string, body: string])[] = [
    ['nothing', '', ''],
    ['an end mark alone', '.\r\n', ''],
    ['an end mark', 'a\r\n.\r\n', 'a\r\n'],
    ['an end mark of LF', 'a\n.\n', 'a\n'],
    ['an end mark without a line end', 'a\r\n.', 'a\r\n'],
    ['an end mark and half a line end', 'a\r\n.\r', 'a\r\n'],
    ['no end mark', 'a\r\nb', 'a\r\nb'],
    ['no end mark: dots stay', '..a\r\n..\r\n', '..a\r\n..\r\n'],
    ['dots doubled', '..\r\nb\r\n..c\r\n...d\r\n.\r\n', '.\r\nb\r\n.c\r\n..d\r\n'],
    ['a dot line in the middle', 'a\r\n.\r\nb\r\n', 'a\r\n.\r\nb\r\n'],
    ['a dot line in the middle, and an end mark', 'a\r\n.\r\n..b\r\n.\r\n', 'a\r\n.\r\n..b\r\n'],
    ['a single dot before doubled ones: not doubled', '.a\r\n..b\r\n.\r\n', '.a\r\n..b\r\n'],
    ['a single dot after doubled ones: not doubled', '..b\r\n.a\r\n.\r\n', '..b\r\n.a\r\n'],
    ['dot lines at the end', 'a\r\n.\r\n.\r\n', 'a\r\n.\r\n'],
    ['a dot and a CR', '.\ra\r\n', '.\ra\r\n'],
    ['an empty line after the dot', 'a\r\n.\r\n\r\n', 'a\r\n.\r\n\r\n'],
    ['dots that end lines', 'a.\r\n', 'a.\r\n'],
  ]

  async function read(segments: readonly string[], maxCollected = 1000): Promise<string> {
    const left = segments.map((segment) => Buffer.from(segment, 'latin1'))
    const text = new TextOctets({ read: async () => left.shift() ?? null }, { maxCollected })
    const chunks: Uint8Array[] = []
    for await (const chunk of chunksOf(text)) chunks.push(chunk)
    return Buffer.concat(chunks).toString('latin1')
  }

  test.each(texts)('%s', async (_, wire, body) => {
    expect(await read([wire])).toBe(body)
    expect(await read(wire.split(''))).toBe(body)
  })

  test('RFC 1436 text in any segments comes back as it was', async () => {
    const line = fc.string({ unit: fc.constantFrom('.', 'a'), maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat({ max: 60 })), async (lines, at) => {
        const wire = `${lines.map((content) => `${content.startsWith('.') ? '.' : ''}${content}\r\n`).join('')}.\r\n`
        const ends = [0, ...at.filter((cut) => cut < wire.length).sort((a, b) => a - b), wire.length]
        const segments = ends.slice(1).map((end, index) => wire.slice(ends[index], end))
        expect(await read(segments)).toBe(lines.map((content) => `${content}\r\n`).join(''))
      }),
    )
  })

  test('what is held has a limit; past it the text comes as it is', async () => {
    expect(await read(['..a\r\n', 'b\r\n'.repeat(40), '.\r\n'], 100)).toBe(`..a\r\n${'b\r\n'.repeat(40)}`)
  })

  test('only what may be the end is held back', async () => {
    const pulled: string[] = []
    const segments = ['one\r\n', 'two\r\n.', '\r\n', 'three\r\n']
    const source = { read: async () => Buffer.from(pulled[pulled.push(segments.shift() ?? '') - 1] ?? '') }
    const body = new TextOctets(
      { read: async () => (segments.length === 0 ? null : source.read()) },
      { maxCollected: 1000 },
    )
    expect(Buffer.from((await body.read()) ?? []).toString()).toBe('one\r\n')
    expect(pulled).toHaveLength(1)
    expect(Buffer.from((await body.read()) ?? []).toString()).toBe('two\r\n')
    expect(Buffer.from((await body.read()) ?? []).toString()).toBe('.\r\nthree\r\n')
  })
})

describe('Gopher+ answers', () => {
  async function answer(reply: string, plus = '+'): Promise<string> {
    const { url } = await start({ faults: { replies: { '/x': reply } } })
    return text(`${url}0/x%09%09${plus}`)
  }

  test('more than was promised is not looked at', async () => {
    expect(await answer('+3\r\nabcdef')).toBe('abc')
    expect(await answer('+-1\r\na\r\n.\r\nb\r\n')).toBe('a\r\n')
  })

  test('to the end of the connection: dots and all', async () => {
    expect(await answer('+-2\r\n..a\r\n.\r\nb\r\n.\r\n')).toBe('..a\r\n.\r\nb\r\n.\r\n')
  })

  test('nothing, three times', async () => {
    for (const reply of ['+0\r\n', '+-1\r\n.\r\n', '+-2\r\n']) expect(await answer(reply)).toBe('')
  })

  test.each([['+10\r\nshort'], ['+-1\r\nno dot\r\n'], ['+1\r\n']])('%j is not whole', async (reply) => {
    const { url } = await start({ faults: { replies: { '/x': reply } } })
    expect(await failure(`${url}0/x%09%09+`)).toMatchObject({ code: 'partial', phase: 'body' })
  })

  test.each([['+x\r\n'], ['+ 5\r\nabcde'], ['plain\r\n'], ['+'], ['--'], ['+12345678901234567890\r\nx'], ['-3\r']])(
    '%j is of a server that knows no Gopher+',
    async (reply) => {
      for (const chunking of ['whole', 'bytes'] as const) {
        const { url } = await start({ faults: { chunking, replies: { '/x': reply } } })
        const representation = await client.retrieve(`${url}0/x%09%09+`)
        expect(representation.metadata).toEqual({ gopherPlus: false })
        expect(await representation.text()).toBe(reply)
        await server?.close()
      }
    },
  )

  test.each([
    ['--1\r\n1 <a@b>\r\nnot here\r\n.\r\n', 'not-found', '1 <a@b> not here'],
    ['--2\r\n2 <a@b>\r\ncome later\r\n', 'server-refused', '2 <a@b> come later'],
    ['--1\r\n3 1Moved\t/y\th\t70\r\n.\r\n', 'server-refused', '3 1Moved\\t/y\\th\\t70'],
    ['-5\r\nno, no!', 'server-refused', 'no, n'],
    ['--1\r\n1 cut off', 'not-found', '1 cut off'],
    ['--2\r\n1 \x1b]52;c\x07\r\n', 'not-found', '1 \\e]52;c\\x07'],
    ['--1\r\n2 <a@b>\r\nVoil\xc3\xa0\r\n', 'server-refused', '2 <a@b> Voilà'],
    ['--1\r\n', 'server-refused', undefined],
    ['--1\r\n.\r\n', 'server-refused', undefined],
    ['-5\r\n', 'server-refused', undefined],
  ])('the error %j', async (reply, code, words) => {
    const { url } = await start({ faults: { replies: { '/x': reply } } })
    const error = await failure(`${url}0/x%09%09+`)
    expect(error).toMatchObject({ code, reply: words })
    expect(error.message).not.toMatch(/[\x1b\x07]/)
    expect(error.message).toMatch(/: .*: \S/)
  })

  test('a view says what comes', async () => {
    const { url } = await start()
    const view = await client.retrieve(`${url}1/pub%09%09+application/gopher+-menu`)
    expect(view).toMatchObject({ kind: 'listing', mediaType: 'application/gopher+-menu' })
    await view.cancel()
    const plain = await client.retrieve(`${url}0/pub/hello.txt%09%09+Text/Plain%20En_US`)
    expect(plain.mediaType).toBe('text/plain')
    await plain.cancel()
  })
})

describe('trouble', () => {
  test('a server that says nothing', async () => {
    const { url } = await start({ faults: { stall: 'response' } })
    expect(await failure(`${url}0/pub/hello.txt`)).toMatchObject({ code: 'timeout', phase: 'request' })
  })

  test('a server that stops in the middle', async () => {
    const { url } = await start({ faults: { stall: 'body' } })
    expect(await failure(`${url}9/pub/a.bin`)).toMatchObject({ code: 'timeout', phase: 'body' })
  })

  test('an abort closes the connection', async () => {
    const { url } = await start({ faults: { stall: 'body' } })
    const controller = new AbortController()
    const representation = await client.retrieve(`${url}9/pub/a.bin`, { signal: controller.signal })
    const reading = representation.bytes()
    controller.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    await server?.waitForConnections(0)
  })

  test('a consumer that stops, or never starts, closes the connection', async () => {
    const running = await start()
    for await (const chunk of await client.retrieve(`${running.url}9/big`)) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await running.waitForConnections(0)
    await (await client.retrieve(`${running.url}9/big`)).cancel()
    await running.waitForConnections(0)
  })

  test('nobody there', async () => {
    const { port } = await start()
    await server?.close()
    expect(await failure(`gopher://127.0.0.1:${port}/`)).toMatchObject({ code: 'connect-failed', phase: 'connect' })
  })

  test('case 43, a menu without end', async () => {
    const own = createClient({ limits: { maxListing: 1000 } })
    const { url } = await start({ faults: { replies: { '': 'x'.repeat(2000) } } })
    const reading = (async () => {
      for await (const _ of (await own.retrieve(url)).entries());
    })()
    await expect(reading).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  test('a part of an item cannot be had', async () => {
    const { url, received } = await start()
    await expect(client.retrieve(url, { range: [0, 9] })).rejects.toMatchObject({ code: 'range-refused' })
    expect(received).toEqual([])
  })
})

test('an error closes the connection, also where the server does not', async () => {
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write('--1\r\n1 <a@b>\r\nnot here\r\n.\r\n'))
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const accepted: Promise<Socket[]> = once(listener, 'connection')
  const { port } = listener.address() as AddressInfo
  expect(await failure(`gopher://127.0.0.1:${port}/0/x%09%09+`)).toMatchObject({ code: 'not-found' })
  const [socket] = await accepted
  if (socket !== undefined && !socket.destroyed) await once(socket, 'close')
  await new Promise((resolve) => listener.close(resolve))
})

test.each([
  ['a second line', 'a\r\nMAIL FROM:<x@y>\r\n', null],
  ['a second line before the data flag', 'a\r\nb\t+\t1\r\nc\r\n', '+\t1\r\nc\r\n'],
  ['a NUL in the form', 'a\t+\t1\r\nc\0\r\n', '+\t1\r\nc\0\r\n'],
  ['no octet', '\u010d\u010aMAIL\r\n', null],
])('case 6, %s is not sent, whoever made the plan', async (_, message, gopherPlus) => {
  const running = await start()
  const scheme = findScheme('gopher')
  if (scheme === undefined) return expect.fail('gopher is unknown')
  const { host, port } = running
  const plan = { mechanism: 'gopher', host, port, tls: 'none', gophertype: '0', selector: '', search: null } as const
  const odd = { ...scheme, name: 'odd', resolve: () => ({ ...plan, gopherPlus, wire: [message] }) }
  const own = createClient({ schemes: [odd] })
  expect(await own.retrieve(`odd://${host}:${port}/`).catch((error) => error)).toMatchObject({ code: 'refused' })
  expect(running.received).toEqual([])
})

test('gophers: TLS from the first octet, and the menu stays on it', async () => {
  const { url } = await start({ tls: true })
  expect(url).toMatch(/^gophers:/)
  expect(await text(`${url}0/pub/hello.txt`)).toBe('Hello, world.\r\n')
  expect((await list(`${url}1/etc`))[0]?.url).toBe(`${url}0/etc/motd`)
})

describe.each(modes)('real servers, replayed %s', (mode) => {
  test('pygopherd', async () => {
    await using played = await Player.replay(readTranscript('gopher/pygopherd.txt'), mode)
    const url = `gopher://127.0.0.1:${played.port}/`
    const root = await list(url)
    expect(root.map(({ kind }) => kind).join(' ')).toBe(
      'info info file info info directory info directory search file directory service',
    )
    expect(root.slice(-3).map((entry) => entry.url)).toEqual([
      'http://www.example.net/',
      'gopher://gopher.example.net/1/',
      'telnet://%2Fguest@telnet.example.net/',
    ])
    expect(await text(`${url}0/docs/plain.txt`)).toBe('Plain text.\nSecond line.\n')
    expect(await text(`${url}0/docs/dots.txt`)).toBe('.\n..\n.leading dot\nlast line\n')
    expect(await text(`${url}0/docs/latin1.txt`)).toBe('gr\xfc\xdfe, caf\xe9\n')
    expect(await text(`${url}0/docs/empty.txt`)).toBe('')
    expect(await text(`${url}0/docs/plain.txt%09%09!`)).toMatch(/^\+INFO: 0plain\.txt\t[\s\S]*green\r\n$/)
    const counted = await client.retrieve(`${url}0/docs/plain.txt%09%09+`)
    expect(counted).toMatchObject({ size: 25, completeness: 'verified' })
    expect(await counted.text()).toBe('Plain text.\nSecond line.\n')
    const ignored = await client.retrieve(`${url}0/docs/plain.txt%09%09!+VIEWS`)
    expect(ignored.metadata).toEqual({ gopherPlus: false })
    expect(await ignored.text()).toBe('Plain text.\nSecond line.\n')
    const missing = "'/nope' does not exist (no handler found)"
    expect(await failure(`${url}0/nope`)).toMatchObject({ code: 'not-found', reply: missing })
    expect(await failure(`${url}0/nope%09%09+`)).toMatchObject({
      code: 'not-found',
      reply: `1 Ann Admin <ann@example.net> ${missing}`,
    })
    expect(await text(`${url}7/search/query.sh%09some%20words`)).toBe('You asked for: some words\n')
    const [message] = await list(`${url}1/docs/folder.mbox`)
    expect(message?.url).toBe('gopher://127.0.0.1:42310/0/docs/folder.mbox%7C/MBOX-MESSAGE/1')
    expect(await played.mismatches()).toBe('')
  })

  test('gophernicus', async () => {
    await using played = await Player.replay(readTranscript('gopher/gophernicus.txt'), mode)
    const url = `gopher://127.0.0.1:${played.port}/`
    const root = await list(url)
    expect(root).toHaveLength(11)
    expect(root[8]).toMatchObject({ kind: 'service', url: 'telnet://guest@telnet.example.net/' })
    expect(await text(`${url}0/docs/dots.txt`)).toBe('.\r\n..\r\n.leading dot\r\nlast line\r\n')
    const ignored = await client.retrieve(`${url}0/docs/plain.txt%09%09+`)
    expect(ignored.metadata).toEqual({ gopherPlus: false })
    expect(await ignored.text()).toBe('Plain text.\r\nSecond line.\r\n')
    // Prose, not an error item: nothing tells it from a document.
    expect(await text(`${url}0/nope`)).toMatch(/^Error: File or directory not found!/)
    expect(await text(`${url}0/docs/empty.txt`)).toBe('')
    expect(await list(`${url}7/cgi-bin/query.sh%09some%20words`)).toMatchObject([
      { kind: 'info', name: 'You asked for: some words' },
      { kind: 'file', name: 'A result for some words' },
    ])
    expect(await played.mismatches()).toBe('')
  })
})
