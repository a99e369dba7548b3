/**
 * Header sections as real servers send them (RFC 9112 2.2, 4, 5, 6.3, 7.1), however they come in pieces; and those
 * that smuggle.
 */
import { RetrievalError } from '@retriever/core'
import { createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { httpMetadata } from '../../../support/metadata.ts'
import { ok, redirectTo } from '../support/http-answers.ts'
import { type Reply, type Segments, scriptedHttp } from '../support/scripted-http.ts'

const segmentations: readonly Segments[] = ['whole', 'bytes', [3, 1, 40, 7, 2, 19, 1, 1, 90]]

interface Got {
  readonly status: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly completeness: string
}

async function get(reply: Reply, segments: Segments, request: RetrieveOptions): Promise<Got | RetrievalError> {
  await using server = await scriptedHttp(() => reply, { segments })
  await using client = createClient({ limits: { maxRetries: 0, maxReply: 4096, idleTimeout: 5000 } })
  try {
    const representation = await client.retrieve(server.url, request)
    const { status, headers } = httpMetadata(representation)
    const { completeness } = representation
    return { status, headers, text: Buffer.from(await representation.bytes()).toString('latin1'), completeness }
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

/** The same outcome however the answer is cut. */
async function expectEach(octets: string, check: (got: Got | RetrievalError) => void, request: RetrieveOptions = {}) {
  for (const segments of segmentations) check(await get({ octets, end: 'fin' }, segments, request))
}

const fin = (octets: string, expected: Partial<Got>, request?: RetrieveOptions) =>
  expectEach(octets, (got) => expect(got).toMatchObject(expected), request)

describe('what real servers send is read', () => {
  const abc = { status: 200, text: 'abc', completeness: 'verified' }

  test.each<[string, string, Partial<Got>]>([
    ['lines that end in LF alone', 'HTTP/1.1 200 OK\nContent-Length: 3\nX: y\n\nabc', { ...abc }],
    [
      'a status line that ends in CRLF, and fields of a CGI script that end in LF (thttpd, busybox)',
      'HTTP/1.0 200 OK\r\nContent-Type: text/plain\nX: y\n\nabc',
      { status: 200, text: 'abc', completeness: 'eof-only', headers: { 'content-type': 'text/plain', x: 'y' } },
    ],
    [
      "fields of the server that end in CRLF, and behind them those of a CGI script that end in LF (Python's http.server)",
      'HTTP/1.0 200 S\r\nDate: x\r\nX: y\nContent-Type: text/plain\n\nabc',
      {
        status: 200,
        text: 'abc',
        completeness: 'eof-only',
        headers: { date: 'x', 'content-type': 'text/plain', x: 'y' },
      },
    ],
    [
      'a status line that ends in LF before fields that end in CRLF',
      'HTTP/1.0 200 OK\nContent-Length: 3\r\n\r\nabc',
      abc,
    ],
    [
      'chunks behind lines that end in LF',
      'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\r\nabc\r\n0\r\n\r\n',
      { text: 'abc' },
    ],
    [
      'a folded field (obs-fold)',
      'HTTP/1.1 200 OK\r\nX: one\r\n two\r\n\t three\r\nContent-Length: 3\r\n\r\nabc',
      { ...abc, headers: { x: 'one two three', 'content-length': '3' } },
    ],
    ['a folded length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n 3\r\n\r\nabc', abc],
    ['100 Continue unasked', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', abc],
    [
      '102 with fields',
      'HTTP/1.1 102 P\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc',
      abc,
    ],
    [
      'a length that comes twice',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: y\r\nContent-Length: 3\r\n\r\nabc',
      { ...abc, headers: { 'content-length': '3', x: 'y' } },
    ],
    [
      'a list of one length',
      'HTTP/1.1 200 OK\r\nContent-Length: 3, 3 ,3\r\n\r\nabc',
      { ...abc, headers: { 'content-length': '3' } },
    ],
    [
      'TAB around values',
      'HTTP/1.1 200 OK\r\nContent-Length:\t3\t\r\nX: \t a\tb \t\r\n\r\nabc',
      { ...abc, headers: { 'content-length': '3', x: 'a\tb' } },
    ],
    [
      'TAB before a coding',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding:\tchunked\t\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      { text: 'abc' },
    ],
    ['no blank behind the colon', 'HTTP/1.1 200 OK\r\nContent-Length:3\r\n\r\nabc', abc],
    [
      'blanks behind a chunk size',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3  \r\nabc\r\n2\t;x=y\r\nde\r\n0 \r\n\r\n',
      { text: 'abcde' },
    ],
    ['a status line without a reason', 'HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc', abc],
    ['a status line with more than one blank', 'HTTP/1.1  200  OK\r\nContent-Length: 3\r\n\r\nabc', abc],
    ['a later version of HTTP/1', 'HTTP/1.2 200 OK\r\nContent-Length: 3\r\n\r\nabc', abc],
    ['HTTP/1.0 without fields', 'HTTP/1.0 200 OK\r\n\r\nabc', { status: 200, text: 'abc', completeness: 'eof-only' }],
    ['HTTP/1.0 without fields or a reason, in LF', 'HTTP/1.0 200\n\nabc', { status: 200, text: 'abc' }],
    [
      '205 with a body',
      'HTTP/1.1 205 Reset\r\nContent-Length: 3\r\n\r\nabc',
      { status: 205, text: 'abc', completeness: 'verified' },
    ],
    ['205 without one', 'HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n', { status: 205, text: '' }],
    [
      'raw UTF-8 in a value',
      'HTTP/1.1 200 OK\r\nX: gr\xC3\xBC\xC3\xA0\r\nContent-Length: 3\r\n\r\nabc',
      { ...abc, headers: { x: 'gr\xC3\xBC\xC3\xA0', 'content-length': '3' } },
    ],
  ])('%s', (_, octets, expected) => fin(octets, expected))

  test('a reason of any octets is told', () =>
    expectEach('HTTP/1.1 404 N\xF6 \r\nContent-Length: 0\r\n\r\n', (got) =>
      expect(got).toMatchObject({ reply: '404 Nö' }),
    ))

  test.each(['BYTES 1-2/3', 'Bytes 1-2/*'])('%s as a unit of ranges', (stated) =>
    fin(`HTTP/1.1 206 P\r\nContent-Range: ${stated}\r\nContent-Length: 2\r\n\r\nbc`, { text: 'bc' }, { range: [1, 2] }),
  )
})

describe('property 17: what smuggles is refused, and the sentence names the field', () => {
  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 7', 'two different Content-Length fields (5 and 7)'],
    ['a list of two lengths', 'Content-Length: 5, 7', 'two different Content-Length fields (5 and 7)'],
    [
      'a length in two spellings',
      'Content-Length: 5\r\nContent-Length: 05',
      'two different Content-Length fields (5 and 05)',
    ],
    ['no number behind 0xA0', 'Content-Length: 3,\xA03', 'Content-Length is no number'],
    ['no number', 'Content-Length: 5x', 'Content-Length is no number (5x)'],
    ['a list with nothing in it', 'Content-Length: 5,', 'Content-Length is no number'],
    ['a length that no number holds', 'Content-Length: 99999999999999999999', 'Content-Length is no number'],
    [
      'a length and a coding',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'both Content-Length and Transfer-Encoding',
    ],
    [
      'a coding and a length, folded',
      'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5',
      'both Content-Length and Transfer-Encoding',
    ],
    ['LF within a value', 'X-A: b\nX-B: c\r\nContent-Length: 5', 'X-A holds a line feed'],
    ['LF within a later value', 'Content-Length: 5\r\nX-A: b\nX-B: c', 'X-A holds a line feed'],
    ['LF and a blank line within a value', 'Content-Length: 5\r\nX-A: b\n\nHTTP/1.1 200 OK', 'X-A holds a line feed'],
    ['LF within the last value', 'X-A: b\r\nX-B: c\nX-C: d\n\n', 'X-B holds a line feed'],
    ['LF as of a script behind a length', 'Content-Length: 5\r\nX-A: b\nContent-Type: x\n\n', 'X-A holds a line feed'],
    ['LF within a folded value', 'X-A: b\r\n c\n\n', 'X-A holds a line feed'],
    ['CR within a value', 'X-A: b\rContent-Length: 9\r\nContent-Length: 5', 'X-A holds a control character'],
    ['NUL within a value', 'X-A: b\0\r\nContent-Length: 5', 'X-A holds a control character'],
    ['a blank before the colon', 'Content-Length : 5', 'no field name before a colon (Content-Length : 5)'],
    ['no colon', 'Content-Length 5', 'no field name before a colon (Content-Length 5)'],
    ['no name', ': 5', 'no field name before a colon'],
    ['a fold before any field', ' X: a', 'a line begins with a blank, before any field'],
  ])('%s', (_, fields, words) =>
    expectEach(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\nabcde`, (got) =>
      expect(got).toMatchObject({
        code: 'protocol-violation',
        phase: 'request',
        message: expect.stringContaining(`The server's answer is not valid HTTP: ${words}`),
      }),
    ),
  )

  test.each(['5 5', '5 x', '5\t 5'])('a chunk size of %j', (size) =>
    expectEach(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\nabcde\r\n0\r\n\r\n`, (got) =>
      expect(got).toMatchObject({ code: 'protocol-violation', phase: 'body' }),
    ),
  )

  test('101 is a switch that was not asked for', () =>
    expectEach('HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\n', (got) =>
      expect(got).toMatchObject({ code: 'protocol-violation', message: expect.stringContaining('101') }),
    ))
})

test('a connection serves again after a head that had to be put right', async () => {
  const lines = 'HTTP/1.1 200 OK\nContent-Length:\t3\nContent-Length: 3\n\nabc'
  await using server = await scriptedHttp(() => lines)
  await using client = createClient()
  for (let round = 0; round < 3; round++) expect(await (await client.retrieve(server.url)).text()).toBe('abc')
  expect(server.sockets).toHaveLength(1)
})

test('a status that the web gives, though its Response refuses it (999), comes by fetch', async () => {
  await using server = await scriptedHttp(() => 'HTTP/1.1 999 N\r\nContent-Length: 1\r\n\r\nx')
  await using client = createClient({ limits: { maxRetries: 0 } })
  const response = await client.fetch(server.url)
  expect(response).toMatchObject({ status: 999, ok: false, url: server.url })
  expect(await response.text()).toBe('x')
})

describe('Location is read as browsers read it', () => {
  test.each([
    ['/gr\xC3\xBC\xC3\x9F', '/gr%C3%BC%C3%9F'],
    ['/a b c', '/a%20b%20c'],
    [' \t/a \t', '/a'],
    ['/a\\b\\c?d\\e', '/a/b/c?d%5Ce'],
    ['\\a', '/a'],
    ['/a"<b>`|^{c}', '/a%22%3Cb%3E%60%7C%5E%7Bc%7D'],
    ['/a%zz', '/a%25zz'],
    ['/a%', '/a%25'],
  ])('%j', async (location, target) => {
    await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo(location) : ok('x')))
    await using client = createClient()
    expect(await (await client.retrieve(server.url)).text()).toBe('x')
    expect(server.lines[1]).toBe(`GET ${target} HTTP/1.1`)
  })

  test.each(['\\\\HOST\\x', '/\\HOST/x', 'http:\\\\HOST\\x', 'http:/\\HOST/x'])('%j names a host', async (location) => {
    await using other = await scriptedHttp(() => ok('x'))
    const to = location.replace('HOST', `127.0.0.1:${other.port}`)
    await using server = await scriptedHttp(() => redirectTo(to))
    await using client = createClient()
    expect(await (await client.retrieve(server.url)).text()).toBe('x')
    expect(other.lines).toEqual(['GET /x HTTP/1.1'])
  })

  test('an empty one leads nowhere: its page is the result for those who ask for it', async () => {
    await using server = await scriptedHttp(() => 'HTTP/1.1 302 F\r\nLocation: \r\nContent-Length: 1\r\n\r\nx')
    await using client = createClient()
    expect(await (await client.retrieve(server.url, { http: { fail: false } })).text()).toBe('x')
    expect(server.lines).toHaveLength(1)
  })

  test('of two, the first is followed, and a remark says so', async () => {
    const events: RetrievalEvent[] = []
    await using server = await scriptedHttp(({ target }) =>
      target === '/' ? 'HTTP/1.1 302 F\r\nLocation: /one\r\nLocation: /two\r\nContent-Length: 0\r\n\r\n' : ok(target),
    )
    await using client = createClient({ onEvent: (event) => events.push(event) })
    expect(await (await client.retrieve(server.url)).text()).toBe('/one')
    expect(remarks(events)).toEqual([expect.stringContaining('2 Location fields')])
  })
})
