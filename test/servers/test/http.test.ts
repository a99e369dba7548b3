import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bigOctet, startHttpServer, type TestServer } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startHttpServer()
})
afterAll(() => server.close())

function get(path: string, ...headers: readonly string[]): Promise<string> {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers]
  return exchange(server, `${lines.join('\r\n')}\r\n\r\n`)
}

function body(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}

describe('files', () => {
  test('a file has length, validators and type', async () => {
    const response = await get('/pub/hello.txt')
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(response).toContain('Content-Length: 14\r\n')
    expect(response).toContain('Last-Modified: Sat, 03 Feb 2001 04:05:06 GMT\r\n')
    expect(response).toMatch(/\r\nETag: "[0-9a-f]+"\r\n/)
    expect(body(response)).toBe('Hello, world.\n')
  })

  test.each([
    '/pub/%FF.txt',
    '/pub/gr%C3%BC%C3%9Fe.txt',
    '/pub/name%20with%20spaces.txt',
    '/pub/a;type=d',
    '/pub/a.bin?q',
  ])('%s', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each(['/nope', '/readme.txt/', '/__proto__'])('%s: 404', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 404 /)
  })

  test('HEAD has no content', async () => {
    const response = await exchange(server, 'HEAD /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(response).toContain('Content-Length: 2147483648\r\n')
    expect(body(response)).toBe('')
  })

  test.each([
    ['bytes=0-3', '206', 'Hell', 'bytes 0-3/14'],
    ['bytes=7-', '206', 'world.\n', 'bytes 7-13/14'],
    ['bytes=-7', '206', 'world.\n', 'bytes 7-13/14'],
    ['bytes=7-999', '206', 'world.\n', 'bytes 7-13/14'],
    ['bytes=14-', '416', 'No such range.\n', 'bytes */14'],
    ['bytes=-0', '416', 'No such range.\n', 'bytes */14'],
    ['bytes=0-1,3-4', '200', 'Hello, world.\n', undefined],
    ['lines=1-2', '200', 'Hello, world.\n', undefined],
    ['bytes=5-1', '200', 'Hello, world.\n', undefined],
  ])('Range: %s: %s', async (range, status, content, contentRange) => {
    const response = await get('/pub/hello.txt', `Range: ${range}`)
    expect(response.slice(9, 12)).toBe(status)
    expect(body(response)).toBe(content)
    expect(/\r\nContent-Range: (.*)\r\n/.exec(response)?.[1]).toBe(contentRange)
  })

  test('If-Range: another validator gets the whole', async () => {
    expect(await get('/pub/hello.txt', 'Range: bytes=0-3', 'If-Range: "other"')).toMatch(/ 200 /)
    const etag = /ETag: (.*)\r\n/.exec(await get('/pub/hello.txt'))?.[1]
    expect(await get('/pub/hello.txt', 'Range: bytes=0-3', `If-Range: ${etag}`)).toMatch(/ 206 /)
  })

  test('/big: a range can be checked', async () => {
    const content = body(await get('/big', 'Range: bytes=2000000000-2000000003'))
    expect([...content].map((char) => char.charCodeAt(0))).toEqual([0, 1, 2, 3].map((n) => bigOctet(2000000000 + n)))
  })

  test('304 by date and by tag', async () => {
    const etag = /ETag: (.*)\r\n/.exec(await get('/pub/hello.txt'))?.[1]
    expect(await get('/pub/hello.txt', `If-None-Match: ${etag}`)).toMatch(/ 304 /)
    expect(
      await get('/pub/hello.txt', 'If-None-Match: "x"', 'If-Modified-Since: Wed, 01 Jan 2020 00:00:00 GMT'),
    ).toMatch(/ 200 /)
    expect(await get('/pub/hello.txt', 'If-Modified-Since: Wed, 01 Jan 2020 00:00:00 GMT')).toMatch(/ 304 /)
    expect(await get('/pub/hello.txt', 'If-Modified-Since: Mon, 01 Jan 2001 00:00:00 GMT')).toMatch(/ 200 /)
  })

  test('a directory is an index, and without its slash a redirect', async () => {
    expect(await get('/pub')).toMatch(/ 301 .*\r\nLocation: \/pub\/\r\n/s)
    const page = body(await get('/pub/'))
    expect(page).toContain('<a href="./name%20with%20spaces.txt">')
    expect(page).toContain('<a href="./%FF.txt">')
    expect(page).toContain('<a href="./sub/">')
  })
})

describe('routes', () => {
  test.each([301, 302, 303, 307, 308])('/redirect/%s', async (code) => {
    expect(await get(`/redirect/${code}`)).toMatch(new RegExp(` ${code} .*\r\nLocation: /readme\\.txt\r\n`, 's'))
    expect(await get(`/redirect/${code}/pub/a.bin`)).toMatch(/\r\nLocation: \/pub\/a\.bin\r\n/)
  })

  test('/redirect/loop', async () => {
    expect(await get('/redirect/loop')).toMatch(/\r\nLocation: \/redirect\/loop\r\n/)
  })

  test.each([204, 404, 418, 429, 500, 503, 599])('/status/%s', async (code) => {
    expect(await get(`/status/${code}`)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `))
  })

  test('/echo gives the request back', async () => {
    expect(body(await get('/echo?a=b', 'X-Odd: caf\xe9'))).toBe(
      'GET /echo?a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Odd: caf\xe9\r\n\r\n',
    )
  })

  test('/gzip and /chunked', async () => {
    const packed = await get('/gzip/pub/hello.txt')
    expect(packed).toContain('Content-Encoding: gzip\r\n')
    expect(gunzipSync(Buffer.from(body(packed), 'latin1')).toString()).toBe('Hello, world.\n')
    const chunked = await get('/chunked/pub/hello.txt')
    expect(chunked).toContain('Transfer-Encoding: chunked\r\n')
    expect(body(chunked)).toBe('e\r\nHello, world.\n\r\n0\r\n\r\n')
  })

  test('/auth/ wants alice', async () => {
    expect(await get('/auth/readme.txt')).toMatch(/ 401 .*\r\nWWW-Authenticate: Basic realm=/s)
    const credentials = Buffer.from('alice:secret').toString('base64')
    expect(await get('/auth/readme.txt', `Authorization: Basic ${credentials}`)).toMatch(/ 200 /)
  })

  test('other methods are 405', async () => {
    expect(await exchange(server, 'DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toMatch(/ 405 /)
  })
})

test('a connection is kept for more requests', async () => {
  const before = server.accepted
  const dialogue = await Dialogue.to(server)
  for (let n = 0; n < 3; n++) {
    dialogue.send('GET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await dialogue.until('world.\n')
  }
  expect(server.accepted - before).toBe(1)
  dialogue.close()
  await server.waitForConnections(0)
})

test('a request after which the client half-closes is answered', async () => {
  const dialogue = await Dialogue.to(server)
  dialogue.socket.end('GET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await dialogue.rest()).toMatch(/world\.\n$/)
})

test('what is no HTTP is 400', async () => {
  expect(await exchange(server, '/pub/hello.txt\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})

test('a directory with an index.html is that page; a folder of that name is none', async () => {
  const files = { '/site/index.html': '<p>Hi.', '/site/a.txt': 'a', '/odd/index.html/b.txt': 'b' }
  await using own = await startHttpServer({ files })
  const page = await fetch(`${own.url}site`)
  expect([page.url, page.headers.get('content-type'), await page.text()]).toEqual([
    `${own.url}site/`,
    'text/html; charset=utf-8',
    '<p>Hi.',
  ])
  const etag = page.headers.get('etag') ?? ''
  expect((await fetch(`${own.url}site/`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect(await (await fetch(`${own.url}odd/`)).text()).toContain('Index of /odd')
})
