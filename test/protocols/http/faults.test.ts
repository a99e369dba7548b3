/**
 * Faults of docs/internals/threats.md, section 3, by number, and what else an HTTP server may do wrong; however it
 * comes in pieces.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { RetrievalError } from '@retriever/core'
import { type Client, type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { handlesSince, openHandles } from '../../support/contract/observe.ts'
import { isFull, stride } from '../../support/runs.ts'
import { httpProxy, scriptedProxy } from '../../support/wire/scripted-proxy.ts'
import { challenge, ok, redirectTo } from './support/http-answers.ts'
import { type Reply, type Segments, scriptedHttp } from './support/scripted-http.ts'

const segmentations: readonly Segments[] = ['whole', 'bytes', [3, 1, 40, 7, 2, 19, 1, 1, 90]]

/** A body and how its end is known, or `code phase` of the error. */
type Result = { body: string; completeness: string } | string

const verified = (body: string): Result => ({ body, completeness: 'verified' })
const terminated = (body: string): Result => ({ body, completeness: 'terminated' })
const eofOnly = (body: string): Result => ({ body, completeness: 'eof-only' })
const partial = 'partial body'
const violation = 'protocol-violation request'

/** No second tries and low limits: an octet a segment takes its time. */
const limits = { maxRetries: 0, maxReply: 2048, idleTimeout: 5000 }

async function resultOf(client: Client, url: string, request: RetrieveOptions = {}): Promise<Result> {
  try {
    const representation = await client.retrieve(url, request)
    const body = Buffer.from(await representation.bytes()).toString('latin1')
    return { body, completeness: representation.completeness }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    expect(error.message).not.toMatch(/[\0-\x1F\x7F]/)
    return `${error.code} ${error.phase}`
  }
}

interface Case {
  readonly request?: RetrieveOptions
  readonly tls?: boolean
}

/** The same outcome however the answer is cut; then nothing is open. */
async function expectResult(reply: Reply | string, expected: Result, { request = {}, tls = false }: Case = {}) {
  for (const segments of segmentations) {
    await using server = await scriptedHttp(() => reply, { segments, tls })
    const options: ClientOptions = { limits, ...(tls && { tls: { ca: testCa } }) }
    const client = createClient(options)
    expect(await resultOf(client, server.url, request), `in segments: ${segments}`).toEqual(expected)
    await client.close()
    await server.closed()
  }
}

const head = (...fields: string[]): string => `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`
const chunked = (body: string): string => head('Transfer-Encoding: chunked') + body

describe('R1: the body is shorter than Content-Length', () => {
  test.each(['fin', 'reset'] as const)('and ends by %s', (end) =>
    expectResult({ octets: `${head('Content-Length: 10')}123456789`, end }, partial),
  )

  test('of it there is nothing at all', () => expectResult({ octets: head('Content-Length: 10'), end: 'fin' }, partial))
})

describe('R2: chunked coding', () => {
  test.each([
    ['without the last chunk', '3\r\nabc\r\n', partial],
    ['that ends in a chunk', '5\r\nabc', partial],
    ['that ends in a size', '3\r\nabc\r\n1', partial],
    ['that ends before the blank line', '3\r\nabc\r\n0\r\n', partial],
    ['with a last chunk', '3\r\nabc\r\n0\r\n\r\n', terminated('abc')],
    ['with an extension, zeros, and a trailer', '0003;x=y\r\nabc\r\n0\r\nSum: 1\r\n\r\n', terminated('abc')],
    ['with a capital size', 'A\r\n0123456789\r\n0\r\n\r\n', terminated('0123456789')],
  ] as const)('%s', (_, body, expected) => expectResult({ octets: chunked(body), end: 'fin' }, expected))

  test.each(['zz', '-1', '0x5', '', '+5', '5 5', '1_0', '5.0', '10000000000000000', 'FFFFFFFFFFFFFFFFFF'])(
    'a size of %j',
    (size) =>
      expectResult(
        { octets: chunked(`1\r\na\r\n${size}\r\nabcde\r\n0\r\n\r\n`), end: 'fin' },
        'protocol-violation body',
      ),
  )

  test.each([
    ['data longer than its size', '3\r\nabcdef\r\n0\r\n\r\n'],
    ['data shorter than its size', '6\r\nabc\r\n0\r\n\r\n'],
    ['a bare LF after the size', '3\nabc\r\n0\r\n\r\n'],
  ])('%s is no whole body', async (_, body) => {
    for (const segments of segmentations) {
      await using server = await scriptedHttp(() => ({ octets: chunked(body), end: 'fin' }), { segments })
      await using client = createClient({ limits })
      expect(await resultOf(client, server.url)).toMatch(/^(partial|protocol-violation) body$/)
    }
  })

  test('a trailer is no header', async () => {
    const body = '1\r\na\r\n0\r\nETag: "late"\r\nContent-Type: text/late\r\nX-Late: 1\r\n\r\n'
    await using server = await scriptedHttp(() => chunked(body))
    await using client = createClient({ limits })
    const representation = await client.retrieve(server.url)
    expect(await representation.text()).toBe('a')
    expect(representation).toMatchObject({ etag: null, mediaType: null })
    expect(representation.metadata).toMatchObject({ status: 200, headers: { 'transfer-encoding': 'chunked' } })
  })
})

describe('R3: no length, so the connection says where the body ends', () => {
  test.each([
    ['fin', eofOnly('all of it')],
    ['reset', partial],
  ] as const)('%s', (end, expected) => expectResult({ octets: `${head()}all of it`, end }, expected))

  test('HTTP/1.0, too', () => expectResult({ octets: 'HTTP/1.0 200 OK\r\n\r\nold', end: 'fin' }, eofOnly('old')))
})

describe('R4: TLS that ends without close_notify, which anybody on the line can forge (case 34)', () => {
  test.each([
    ['a length proves the body', 'cut', `${head('Content-Length: 3')}abc`, verified('abc')],
    ['so does a last chunk', 'cut', chunked('3\r\nabc\r\n0\r\n\r\n'), terminated('abc')],
    ['a length that is not reached', 'cut', `${head('Content-Length: 4')}abc`, partial],
    ['no last chunk', 'cut', chunked('3\r\nabc\r\n'), partial],
  ] as const)('%s', (_, end, octets, expected) => expectResult({ octets, end }, expected, { tls: true }))
})

describe('TLS, and neither length nor last chunk: close_notify proves the end', () => {
  test.each([
    ['HTTP/1.1', 'fin', 'abc', terminated('abc')],
    ['HTTP/1.0', 'fin', 'abc', terminated('abc')],
    ['HTTP/1.1', 'cut', 'abc', partial],
    ['HTTP/1.0', 'cut', 'abc', partial],
    ['HTTP/1.1', 'cut', '', partial],
  ] as const)('%s, ended by %s', (version, end, content, expected) => {
    const octets = `${version} 200 OK\r\nConnection: close\r\n\r\n${content}`
    return expectResult({ octets, end }, expected, { tls: true })
  })

  test.each(['fin', 'cut'] as const)('a large one that waits for its reader, too (%s)', async (end) => {
    const octets = Buffer.from(`${head()}${'x'.repeat(3_000_000)}`)
    await using server = await scriptedHttp(() => ({ octets, end }), { tls: true })
    await using client = createClient({ limits, tls: { ca: testCa } })
    let length = 0
    let code = ''
    try {
      for await (const chunk of await client.retrieve(server.url)) {
        length += chunk.length
        await new Promise((resolve) => setImmediate(resolve))
      }
    } catch (error) {
      code = RetrievalError.is(error) ? error.code : String(error)
    }
    expect({ length, code }).toEqual({ length: 3_000_000, code: end === 'fin' ? '' : 'partial' })
  })

  const ends = [
    ['fin', terminated('abc')],
    ['cut', partial],
  ] as const

  describe.each(['http', 'https'])('through the tunnel of an %s proxy, too', (kind) => {
    test.each(ends)('%s', async (end, expected) => {
      await using server = await scriptedHttp(() => ({ octets: `${head()}abc`, end }), { tls: true })
      await using proxy = await scriptedProxy(httpProxy(), { tls: kind === 'https' })
      const ca = testCa
      await using client = createClient({
        limits,
        tls: { ca, proxyCa: ca },
        proxy: `${kind}://127.0.0.1:${proxy.port}`,
      })
      expect(await resultOf(client, server.url)).toEqual(expected)
    })
  })

  test.each(ends)('where the first address of the server does not answer, too (%s; R32)', async (end, expected) => {
    await using server = await scriptedHttp(() => ({ octets: `${head()}abc`, end }), { tls: true })
    const relay = createServer((socket) => {
      const onwards = connect(server.port, '127.0.0.1').on('error', () => {})
      socket
        .on('error', () => {})
        .pipe(onwards)
        .pipe(socket)
    })
    onTestFinished(() => void relay.close())
    const port = await listenWhereNobodyElse(relay)
    await using client = createClient({ limits, tls: { ca: testCa } })
    // localhost is 127.0.0.1 first.
    expect(await resultOf(client, `https://localhost:${port}/`)).toEqual(expected)
  })

  test('the error says why', async () => {
    await using server = await scriptedHttp(() => ({ octets: `${head()}abc`, end: 'cut' }), { tls: true })
    await using client = createClient({ limits, tls: { ca: testCa } })
    const representation = await client.retrieve(server.url)
    await expect(representation.text()).rejects.toMatchObject({
      code: 'partial',
      message: expect.stringContaining('it has no length, and TLS ended without close_notify'),
    })
  })

  test('by a reset, it is partial', () =>
    expectResult({ octets: `${head('Connection: close')}abc`, end: 'reset' }, partial, { tls: true }))

  test('nothing is asked for a second time', async () => {
    await using server = await scriptedHttp(() => ({ octets: `${head()}abc`, end: 'fin' }), { tls: true })
    await using client = createClient({ limits, tls: { ca: testCa } })
    expect(await resultOf(client, server.url)).toEqual(terminated('abc'))
    expect(server.asked).toHaveLength(1)
  })
})

describe('R5: octets after the body', () => {
  const more = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong'

  test.each([
    ['a length', `${ok('right')}${more}`, verified('right')],
    ['a length, then noise', `${ok('right')}\0\xFF\r\n`, verified('right')],
    ['a last chunk', `${chunked('5\r\nright\r\n0\r\n\r\n')}${more}`, terminated('right')],
  ] as const)('%s: the body is as long as it said', (_, octets, expected) => expectResult(octets, expected))

  test.each(segmentations)('and are no answer to the next request: %s (case 39, CVE-2026-6733)', async (segments) => {
    await using server = await scriptedHttp(({ index }) => (index === 0 ? ok('first') + more : ok('second')), {
      segments,
    })
    await using client = createClient({ limits })
    expect(await resultOf(client, `${server.url}1`)).toEqual(verified('first'))
    // The client could take the octets for an answer, so the connection must be closed before.
    await server.closed()
    expect(await resultOf(client, `${server.url}2`)).toEqual(verified('second'))
    expect(server.sockets).toHaveLength(2)
    expect(server.lines).toEqual(['GET /1 HTTP/1.1', 'GET /2 HTTP/1.1'])
  })
})

describe('two lengths, or a length and a coding (RFC 9112 6.3)', () => {
  test.each([
    ['two that differ', `${head('Content-Length: 3', 'Content-Length: 5')}abcde`],
    ['a list of two', `${head('Content-Length: 3, 5')}abcde`],
    ['a length, then a coding', `${head('Content-Length: 3', 'Transfer-Encoding: chunked')}1\r\na\r\n0\r\n\r\n`],
    ['a coding, then a length', `${head('Transfer-Encoding: chunked', 'Content-Length: 3')}1\r\na\r\n0\r\n\r\n`],
    ['a negative length', `${head('Content-Length: -3')}abc`],
    ['a length with a sign', `${head('Content-Length: +3')}abc`],
    ['a hexadecimal length', `${head('Content-Length: 0x3')}abc`],
    ['a length that no number holds', `${head('Content-Length: 99999999999999999999')}abc`],
    ['an unknown coding', `${head('Transfer-Encoding: rot13')}abc`],
    ['a coding that is not the last', `${head('Transfer-Encoding: chunked, gzip')}abc`],
    ['chunked twice', `${head('Transfer-Encoding: chunked, chunked')}1\r\na\r\n0\r\n\r\n`],
    ['a field name with a blank before the colon', `${head('Content-Length : 3')}abc`],
    ['a field without a colon', `${head('Content-Length 3')}abc`],
    ['a NUL in a value', `${head('X: a\0b', 'Content-Length: 3')}abc`],
    ['a bare CR in a value', `${head('X: a\rContent-Length: 9', 'Content-Length: 3')}abc`],
  ])('%s', (_, octets) => expectResult({ octets, end: 'fin' }, violation))
})

describe('answers that have no body, and bring one', () => {
  const wrong = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong'

  test.each([
    ['HEAD, with a body of its length', { head: true }, `${head('Content-Length: 5')}wrong`],
    ['HEAD, with a whole answer', { head: true }, `${head('Content-Length: 5')}${wrong}`],
    ['HEAD, with chunks', { head: true }, chunked('5\r\nwrong\r\n0\r\n\r\n')],
    ['204', {}, `HTTP/1.1 204 No Content\r\n\r\n${wrong}`],
  ])('%s: it is no body, and no answer to what is asked next', async (_, request, octets) => {
    for (const segments of segmentations) {
      await using server = await scriptedHttp(({ index }) => (index === 0 ? octets : ok('right')), { segments })
      await using client = createClient({ limits })
      const first = await resultOf(client, server.url, request)
      expect(first).toMatchObject({ body: '' })
      await server.closed()
      expect(await resultOf(client, server.url)).toEqual(verified('right'))
      expect(server.asked).toHaveLength(2)
    }
  })

  test('204 with a length, of which RFC 9112 6.3 says that it counts for nothing', async () => {
    for (const length of ['0', '5']) {
      await using server = await scriptedHttp(() => `HTTP/1.1 204 No Content\r\nContent-Length: ${length}\r\n\r\n`)
      await using client = createClient({ limits })
      expect(await resultOf(client, server.url), `a length of ${length}`).toMatchObject({ body: '' })
    }
  })

  test('304 unasked is a violation', () => expectResult({ octets: 'HTTP/1.1 304 N\r\n\r\n', end: 'fin' }, violation))

  test('206 unasked is a violation', () => {
    const fields = ['Content-Range: bytes 0-2/9', 'Content-Length: 3']
    const octets = `HTTP/1.1 206 Partial\r\n${fields.join('\r\n')}\r\n\r\nabc`
    return expectResult({ octets, end: 'fin' }, violation)
  })
})

describe('floods (case 42)', () => {
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n'

  test('ten interim answers are passed over, eleven are not', async () => {
    await expectResult(early.repeat(10) + ok('ok'), verified('ok'))
    await expectResult(early.repeat(11) + ok('ok'), violation)
  })

  test('a header section of maxReply is read, a larger one is not', async () => {
    await expectResult(ok('ok', [`X: ${'x'.repeat(1800)}`]), verified('ok'))
    await expectResult(ok('ok', [`X: ${'x'.repeat(2100)}`]), 'limit-exceeded request')
    await expectResult(ok('ok', Array(600).fill('X: yyyyy')), 'limit-exceeded request')
  })

  test.each<Flood>([
    ['interim answers', '', early, /^(protocol-violation|limit-exceeded)$/],
    ['fields', 'HTTP/1.1 200 OK\r\n', `X-${'n'.repeat(30)}: ${'v'.repeat(200)}\r\n`, /^limit-exceeded$/],
    ['one field that never ends', 'HTTP/1.1 200 OK\r\nX: ', 'v'.repeat(1000), /^limit-exceeded$/],
    ['a field name that never ends', 'HTTP/1.1 200 OK\r\n', 'n'.repeat(1000), /^limit-exceeded$/],
    ['fields of interim answers', 'HTTP/1.1 103 E\r\n', `Link: ${'v'.repeat(200)}\r\n`, /^limit-exceeded$/],
    ['a trailer', chunked('1\r\na\r\n0\r\n'), `X: ${'v'.repeat(200)}\r\n`, /^limit-exceeded$/],
  ])('%s without end', expectFloodToEnd)
})

describe('floods that llhttp passes over without a word (case 42; as CVE-2024-22019 of Node)', () => {
  test.each<Flood>([
    ['a reason', 'HTTP/1.1 200 ', 'r'.repeat(1000), /^(limit-exceeded|protocol-violation)$/],
    ['blank lines before an answer', '', '\r\n'.repeat(500), /^(limit-exceeded|protocol-violation)$/],
    ['a chunk extension', chunked('1\r\na\r\n1;x='), 'v'.repeat(1000), /^(limit-exceeded|protocol-violation)$/],
    ['a chunk size of zeros', chunked('1\r\na\r\n'), '0'.repeat(1000), /^(limit-exceeded|protocol-violation)$/],
  ])('%s without end', expectFloodToEnd)
})

/** The answer's name, how it begins, what is repeated while the client reads, and the code of the error. */
type Flood = [what: string, begin: string, piece: string, code: RegExp]

async function expectFloodToEnd(_what: string, begin: string, piece: string, code: RegExp): Promise<void> {
  let written = 0
  await using server = await scriptedHttp(() => begin)
  await using client = createClient({ limits: { ...limits, maxReply: 65_536, totalTimeout: 4000 } })
  const running = resultOf(client, server.url)
  await expect.poll(() => server.heads.length).toBe(1)
  const socket = server.sockets[0] as Socket
  while (!socket.destroyed && written < 64 * 2 ** 20) {
    written += piece.length * 64
    if (socket.write(piece.repeat(64))) await new Promise((resolve) => setImmediate(resolve))
    else await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
  const result = await running
  expect(typeof result === 'string' ? result.split(' ')[0] : result).toMatch(code)
  // The limit, and what the kernel's buffers hold.
  expect(written).toBeLessThan(16 * 2 ** 20)
}

describe('what is no HTTP', () => {
  test.each([
    ['HTTP/0.9: a page alone', '<html>hello</html>\r\n'],
    ["another protocol's banner", '220 mail.example ESMTP\r\n'],
    ['HTTP/3.7', 'HTTP/3.7 200 OK\r\n\r\nabc'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\nabc'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\nabc'],
    ['a status of words', 'HTTP/1.1 OK\r\n\r\nabc'],
    ['a request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a name in lower case', 'http/1.1 200 OK\r\nContent-Length: 1\r\n\r\na'],
  ])('%s', (_, octets) => expectResult({ octets, end: 'fin' }, violation))
})

describe('a version that was not asked for', () => {
  test('HTTP/2.0 in the clear is a violation', () =>
    expectResult({ octets: 'HTTP/2.0 200 OK\r\n\r\nabc', end: 'fin' }, violation))
})

describe('R40: an abort at any point ends it once, with nothing left open', () => {
  const scripts: Readonly<Record<string, readonly string[]>> = {
    'a length': [ok('x'.repeat(isFull ? 1000 : 200))],
    chunks: [chunked(`${'5\r\nabcde\r\n'.repeat(20)}0\r\n\r\n`)],
    'a redirect': [redirectTo('/elsewhere'), ok('x')],
    'a login': [challenge('Basic realm="r"'), ok('x')],
    'an error': ['HTTP/1.1 500 E\r\nContent-Length: 4\r\n\r\noops'],
  }

  test.each([
    ...Object.keys(scripts).map((name) => [name, false] as const),
    ['a length', true] as const,
    ['a redirect', true] as const,
  ])('%s, in TLS: %s', async (name, tls) => {
    const replies = scripts[name] ?? []
    const run = async (abortAt: number): Promise<{ events: number; code: string }> => {
      await using server = await scriptedHttp(({ index }) => replies[index], { segments: [7], tls })
      const before = openHandles()
      const abort = new AbortController()
      let events = 0
      let settled = 0
      const client = createClient({
        limits,
        ...(tls && { tls: { ca: testCa } }),
        credentials: () => ({ user: 'u', password: 'p' }),
        onEvent: () => {
          if (events++ === abortAt) abort.abort('enough')
        },
      })
      const code = await client
        .retrieve(server.url, { signal: abort.signal })
        .then((representation) => representation.bytes())
        .then(
          () => 'whole',
          (error: unknown) => (RetrievalError.is(error) ? error.code : String(error)),
        )
        .finally(() => settled++)
      // Before the client is closed: the abort alone has closed the socket, unless that has answered and is kept for
      // the next one.
      if (code === 'aborted' && replies.length === 1) await server.closed()
      await client.close()
      await server.closed()
      expect(settled).toBe(1)
      expect(await handlesSince(before)).toEqual([])
      return { events, code }
    }
    const { events, code } = await run(-1)
    expect(code).toBe(name === 'an error' ? 'http-error' : 'whole')
    // The last event is `done`: it is too late then.
    for (let at = 0; at < events - 1; at += stride) {
      expect((await run(at)).code, `aborted at event ${at}`).toBe('aborted')
    }
  })
})

describe('R41: a slow consumer (http.test.ts has a body with a length)', () => {
  test.each([
    ['chunks', false],
    ['chunks', true],
    ['no length', false],
  ] as const)('%s, in TLS: %s: is not punished, and nothing is read ahead of it', async (framing, tls) => {
    const size = 16 * 2 ** 20
    const body = 'x'.repeat(size)
    const octets =
      framing === 'chunks'
        ? chunked(`${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
        : `${head('Connection: close')}${body}`
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await using server = await scriptedHttp(() => ({ octets, end: framing === 'chunks' ? 'keep' : 'fin' }), { tls })
    await using client = createClient({ limits: { idleTimeout: 400 }, ...(tls && { tls: { ca: testCa } }) })
    const reader = (await client.retrieve(server.url)).body.getReader()
    let length = (await reader.read()).value?.length ?? 0
    // The consumer reads nothing for twice the idle timeout, and for the turns in which a reader would have had it all.
    await vi.advanceTimersByTimeAsync(800)
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(server.sockets[0]?.writableLength).toBeGreaterThan(size / 2)
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) length += chunk.value.length
    expect(length).toBe(size)
  })
})

/** Listens on ::1 on a port that no other test has on 127.0.0.1. */
async function listenWhereNobodyElse(server: Server): Promise<number> {
  await once(server.listen(0, '::1'), 'listening')
  const { port } = server.address() as AddressInfo
  const probe = connect(port, '127.0.0.1')
  const isFree = await once(probe, 'connect').then(
    () => false,
    () => true,
  )
  probe.destroy()
  if (isFree) return port
  await new Promise((resolve) => server.close(resolve))
  return listenWhereNobodyElse(server)
}
