/** The proxy for http: requests and answers pass as they are. */
import { startHttpServer } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScripted } from './support/origin.ts'
import { ask, exchange, parse, startProxy } from './support/proxy.ts'

const server = await startHttpServer()
let proxy: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  proxy = await startProxy()
  server.route('/echo', ({ method, headers, body }) =>
    Response.json({ method, headers, body: Buffer.from(body).toString() }, { status: 201 }),
  )
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server.close()
})

const url = (path: string): string => `${server.url}${path}`
const echoed = async (fields: Record<string, string>) =>
  JSON.parse(String((await ask(proxy.port, url('echo'), { fields })).body)).headers

test('an answer comes back as it is, with Via', async () => {
  const { status, fields, body } = await ask(proxy.port, url('pub/hello.txt'))
  expect({ status, body: String(body) }).toEqual({ status: 200, body: 'Hello, world.\n' })
  expect(fields).toMatchObject({
    etag: expect.any(String),
    'accept-ranges': 'bytes',
    via: expect.stringMatching(/^1\.1 /),
  })
  expect(fields).not.toHaveProperty('content-security-policy')
})

test('redirects, refusals, ranges and conditions are those of the server', async () => {
  const { etag = '' } = (await ask(proxy.port, url('pub/hello.txt'))).fields
  const asked = [
    ask(proxy.port, url('pub/nothing')),
    ask(proxy.port, url('no/such')),
    ask(proxy.port, url('pub/hello.txt'), { fields: { range: 'bytes=3-4' } }),
    ask(proxy.port, url('pub/hello.txt'), { fields: { 'if-none-match': etag } }),
    ask(proxy.port, url('pub/hello.txt'), { method: 'HEAD' }),
  ]
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status)).toEqual([301, 404, 206, 304, 200])
  expect(answers.map(({ body }) => body.length > 0)).toEqual([true, true, true, false, false])
  expect(answers[0]?.fields.location).toBe('/pub/nothing/')
})

test('the server gets the fields of the client, and none of the connection', async () => {
  const headers = await echoed({
    ...{ 'x-own': 'a', accept: 'x/y', cookie: 'a=b', 'user-agent': 'me', 'accept-encoding': 'gzip' },
    ...{ connection: 'close, x-hop', 'x-hop': 'gone', 'keep-alive': 'timeout=1', te: 'trailers', upgrade: 'x' },
    ...{ 'proxy-connection': 'keep-alive', 'proxy-authorization': 'Basic pl4nted', host: 'other.example' },
  })
  expect(headers).toMatchObject({
    'x-own': 'a',
    accept: 'x/y',
    cookie: 'a=b',
    'user-agent': 'me',
    'accept-encoding': 'gzip',
  })
  expect(headers.host).toBe(`127.0.0.1:${server.port}`)
  expect(headers.via).toMatch(/^1\.1 retriever-/)
  for (const gone of ['x-hop', 'keep-alive', 'te', 'upgrade', 'proxy-connection', 'proxy-authorization']) {
    expect(headers).not.toHaveProperty(gone)
  }
})

test('Connection cannot take away fields that frame or address a message', async () => {
  const headers = await echoed({
    connection: 'close, host, content-length, authorization',
    authorization: 'Basic eDp5',
  })
  expect(headers).toMatchObject({ host: `127.0.0.1:${server.port}`, authorization: 'Basic eDp5' })
})

test('the login of the URL becomes that of the request', async () => {
  const { body } = await ask(proxy.port, url('echo').replace('//', '//al%69ce:s%3Acret@'))
  expect(JSON.parse(String(body)).headers.authorization).toBe(`Basic ${Buffer.from('alice:s:cret').toString('base64')}`)
})

test('the login of the request comes before that of the URL', async () => {
  await using origin = await startScripted('HTTP/1.1 204 No Content\r\n\r\n')
  const fields = { authorization: 'Basic eDp5' }
  await ask(proxy.port, `http://alice:secret@127.0.0.1:${origin.port}/`, { fields })
  expect(origin.received.join('').match(/^authorization: .*(?=\r)/gim)).toEqual(['authorization: Basic eDp5'])
})

describe('content passes, whole', () => {
  test.each([
    ['with a length', 'Content-Length: 5\r\n\r\nab\ncd'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\n\ncd\r\n0\r\n\r\n'],
  ])('%s', async (_, rest) => {
    const octets = await exchange(proxy.port, `POST ${url('echo')} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${rest}`)
    const { status, body } = parse(octets)
    expect(status).toBe(201)
    expect(JSON.parse(String(body))).toMatchObject({ method: 'POST', body: 'ab\ncd' })
  })
})

test('OPTIONS and PUT pass, TRACE does not', async () => {
  const answers = await Promise.all(
    ['OPTIONS', 'PUT', 'TRACE'].map((method) => ask(proxy.port, url('echo'), { method })),
  )
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 405])
})

describe('Max-Forwards (RFC 9110 7.6.2)', () => {
  test('0 ends at the proxy, others are counted down', async () => {
    const last = await ask(proxy.port, url('echo'), { method: 'OPTIONS', fields: { 'max-forwards': '0' } })
    expect({ status: last.status, body: String(last.body) }).toEqual({ status: 200, body: '' })
    const { body } = await ask(proxy.port, url('echo'), { method: 'OPTIONS', fields: { 'max-forwards': '3' } })
    expect(JSON.parse(String(body)).headers['max-forwards']).toBe('2')
  })
})

test('https URLs are asked for within TLS', async () => {
  await using secure = await startHttpServer({ tls: true })
  await using trusting = await startProxy({}, { tls: { insecure: true } })
  expect(String((await ask(trusting.port, `${secure.url}pub/hello.txt`)).body)).toBe('Hello, world.\n')
  const { status, body } = await ask(proxy.port, `${secure.url}pub/hello.txt`)
  expect({ status, code: JSON.parse(String(body)).code }).toEqual({ status: 502, code: 'certificate' })
})

test('content of fetch() that broke off before its server was reached ends the request', async () => {
  await using own = await startProxy({ limits: { idleTimeout: 1000 } })
  await using origin = await startScripted('', 'wait')
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) })
  const request = new Request(`http://127.0.0.1:${origin.port}/`, { method: 'POST', body, duplex: 'half' })
  const answer = await own.gateway.proxy.fetch(request)
  expect(await answer.json()).toMatchObject({ status: 502, code: 'receive-failed' })
})

describe('a server that misbehaves', () => {
  test.each([
    ['is no HTTP server', 'SSH-2.0-x\r\n', 502, 'protocol-violation'],
    ['ends before the answer', '', 502, 'receive-failed'],
    [
      'has two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      502,
      'protocol-violation',
    ],
    [
      'has chunks and a length',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      502,
      'protocol-violation',
    ],
    [
      'answers in a transfer coding',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      502,
      'protocol-violation',
    ],
    [
      'sends eleven interim answers',
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(11)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
      502,
      'protocol-violation',
    ],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 502, 'protocol-violation'],
    [
      'switches protocols with Connection: Upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      502,
      'protocol-violation',
    ],
    ['answers 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 502, 'protocol-violation'],
    ['ends a line in LF alone', 'HTTP/1.1 200 OK\r\nX: a\nSet-Cookie: b=c\r\n\r\n', 502, 'protocol-violation'],
  ])('%s', async (_, octets, status, code) => {
    await using origin = await startScripted(octets)
    const answer = await ask(proxy.port, `http://127.0.0.1:${origin.port}/`)
    expect({ status: answer.status, code: JSON.parse(String(answer.body)).code }).toEqual({ status, code })
  })

  test.each([
    [205, 'HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nhi', ''],
    [999, 'HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nhi', 'hi'],
  ])('fetch() passes on %i', async (status, octets, text) => {
    await using origin = await startScripted(octets)
    const answer = await proxy.gateway.proxy.fetch(new Request(`http://127.0.0.1:${origin.port}/`))
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status, text })
  })

  test.each(['\x01', '\x7F', '\x1B]0;x'])('a reason phrase with %j is left out, and ends nothing', async (control) => {
    await using origin = await startScripted(`HTTP/1.1 200 a${control}b\r\nContent-Length: 2\r\n\r\nok`)
    const url = `http://127.0.0.1:${origin.port}/`
    expect(await ask(proxy.port, url)).toMatchObject({ status: 200, isWhole: true, body: Buffer.from('ok') })
    const { status, statusText } = await proxy.gateway.proxy.fetch(new Request(url))
    expect({ status, statusText }).toEqual({ status: 200, statusText: '' })
  })

  test('ten interim answers are no fault', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10)
    await using origin = await startScripted(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`)
    expect(String((await ask(proxy.port, `http://127.0.0.1:${origin.port}/`)).body)).toBe('ok')
  })

  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('a body that breaks off %s does not look whole', async (_, octets) => {
    await using origin = await startScripted(octets)
    expect(await ask(proxy.port, `http://127.0.0.1:${origin.port}/`)).toMatchObject({ status: 200, isWhole: false })
  })
})
