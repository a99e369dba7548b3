/** client.fetch beside Node's own fetch: the same calls to the same servers, and the same results. */
import { createClient } from '@retriever/fetchers'
import { startHttpServer, type TestServer } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'

let server: TestServer
let scripted: ScriptedHttp
const client = createClient()

/** Answers that the test server does not give. */
const answers: Readonly<Record<string, string>> = {
  '/cookies': '200 OK\r\nSet-Cookie: a=1, b\r\nSet-Cookie: c=2\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 2\r\n\r\nhi',
  '/reason': '200 All is well\r\nContent-Length: 2\r\n\r\nhi',
  '/no-reason': '200 \r\nContent-Length: 2\r\n\r\nhi',
  '/odd': '999 Odd\r\nContent-Length: 2\r\n\r\nhi',
  '/coding': '200 OK\r\nContent-Encoding: zork\r\nContent-Length: 2\r\n\r\nhi',
  '/no-location': '302 Found\r\nContent-Length: 2\r\n\r\nhi',
  '/fragment': '302 Found\r\nLocation: /reason#there\r\nContent-Length: 0\r\n\r\n',
  '/ftp': '302 Found\r\nLocation: ftp://127.0.0.1/x\r\nContent-Length: 0\r\n\r\n',
  '/loop': '302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n',
  '/latin1': '200 OK\r\nX-Name: caf\xE9\r\nContent-Length: 0\r\n\r\n',
  '/cut': '200 OK\r\nContent-Length: 9\r\n\r\nhi',
  '/garbage': 'not HTTP',
}

beforeAll(async () => {
  server = await startHttpServer()
  scripted = await scriptedHttp(({ target, line }) => {
    const answer = answers[target] ?? '404 Not Found\r\nContent-Length: 0\r\n\r\n'
    const octets = line.startsWith('HEAD ') ? answer.replace(/\r\n\r\n.*$/s, '\r\n\r\n') : answer
    if (target === '/garbage') return { octets: `${octets}\r\n\r\n`, end: 'fin' }
    return { octets: `HTTP/1.1 ${octets}`, end: target === '/cut' ? 'fin' : 'keep' }
  })
})

afterAll(async () => {
  await Promise.all([client.close(), server.close(), scripted[Symbol.asyncDispose]()])
})

type Call = [what: string, input: (server: string, scripted: string) => unknown, init?: unknown]

const at =
  (path: string) =>
  (url: string): string =>
    `${url}${path}`
const odd =
  (path: string) =>
  (_: string, url: string): string =>
    `${url}${path}`
const sha256 = (digest: string): string => `sha256-${digest}`

const calls: readonly Call[] = [
  ['a file', at('readme.txt')],
  ['a URL object', (url) => new URL('readme.txt', url)],
  ['an object with a toString()', (url) => ({ toString: () => `${url}readme.txt` })],
  ['a Request', (url) => new Request(`${url}readme.txt`)],
  ['a Request with a method', (url) => new Request(`${url}readme.txt`, { method: 'HEAD' })],
  [
    'a Request and init, which overrides it',
    (url) => new Request(`${url}readme.txt`, { method: 'HEAD' }),
    { method: 'GET' },
  ],
  ['HEAD', at('readme.txt'), { method: 'head' }],
  ['a file in chunks', at('chunked/pub/hello.txt')],
  ['an empty file', at('pub/empty.txt')],
  ['no file', at('nothing-here')],
  ['a directory, by a redirect', at('pub')],
  ['a blank in the path', at('pub/name with spaces.txt')],
  ['a path beyond ASCII', at('pub/grüße.txt')],
  ['dot segments', at('pub/../readme.txt')],
  ['a backslash', at('pub\\hello.txt')],
  ['a fragment', at('readme.txt#here')],
  ['blanks around the URL', (url) => `  ${url}readme.txt\n`],
  ['no slash after the host', (url) => url.slice(0, -1)],
  ['a scheme in capitals', (url) => url.replace('http', 'HTTP')],
  ['an address in hexadecimal', (url) => url.replace('127.0.0.1', '0x7f.1')],
  ['a range', at('pub/a.bin'), { headers: { Range: 'bytes=0-9' } }],
  ['a range that is not there', at('readme.txt'), { headers: { Range: 'bytes=999999-' } }],
  ['a condition that holds not', at('readme.txt'), { headers: { 'If-Modified-Since': new Date().toUTCString() } }],
  ...[204, 205, 400, 401, 403, 404, 410, 418, 500, 503].map((status): Call => [String(status), at(`status/${status}`)]),
  ...[301, 302, 303, 307, 308].map((status): Call => [`${status}, followed`, at(`redirect/${status}`)]),
  ['302, manual', at('redirect/302'), { redirect: 'manual' }],
  ['302, error', at('redirect/302'), { redirect: 'error' }],
  ['no redirect, error', at('readme.txt'), { redirect: 'error' }],
  ['a redirect in a Request', (url) => new Request(`${url}redirect/302`, { redirect: 'manual' })],
  ['a redirect without Location', odd('no-location')],
  ['a redirect without Location, manual', odd('no-location'), { redirect: 'manual' }],
  ['a redirect without Location, error', odd('no-location'), { redirect: 'error' }],
  ['a redirect to a fragment', odd('fragment#before')],
  ['a redirect to FTP', odd('ftp')],
  ['a redirect to itself', odd('loop')],
  ['a login that is missing', at('auth/readme.txt')],
  ['a login', at('auth/readme.txt'), { headers: { Authorization: `Basic ${btoa('alice:secret')}` } }],
  ['fields as a list', at('readme.txt'), { headers: [['Accept', 'a/b']] }],
  ['fields as Headers', at('readme.txt'), { headers: new Headers({ accept: 'a/b' }) }],
  ['cookies', odd('cookies')],
  ['a reason phrase', odd('reason')],
  ['no reason phrase', odd('no-reason')],
  ['a status of 999', odd('odd')],
  ['an unknown coding', odd('coding')],
  ['a field beyond ASCII', odd('latin1')],
  ['a body that is cut', odd('cut')],
  ['no HTTP', odd('garbage')],
  ['no server', () => 'http://127.0.0.1:1/'],
  ['a forbidden port', () => 'http://127.0.0.1:25/'],
  ['an unknown scheme', () => 'zork://h/'],
  ['a relative URL', () => '/readme.txt'],
  ['no URL', () => undefined],
  ['a port that is none', () => 'http://127.0.0.1:99999/'],
  ['an aborted signal', at('readme.txt'), { signal: AbortSignal.abort() }],
  ['an aborted signal with a reason', at('readme.txt'), { signal: AbortSignal.abort('mine') }],
  ['an aborted signal and a bad member', at('readme.txt'), { signal: AbortSignal.abort(), redirect: 'zork' }],
  ['no signal', at('readme.txt'), { signal: null }],
  ['a signal that is none', at('readme.txt'), { signal: {} }],
  ['init of null', at('readme.txt'), null],
  ['init that is no object', at('readme.txt'), 'zork'],
  ['a body', at('readme.txt'), { body: 'x' }],
  ['a method that is none', at('readme.txt'), { method: 'GET ' }],
  ['TRACE', at('readme.txt'), { method: 'TRACE' }],
  ['a bad field name', at('readme.txt'), { headers: { ä: '1' } }],
  ['a bad field value', at('readme.txt'), { headers: { a: '1\n2' } }],
  ['fields that are none', at('readme.txt'), { headers: 5 }],
  ...['cors', 'no-cors', 'same-origin', 'navigate', 'zork'].map((mode): Call => [mode, at('readme.txt'), { mode }]),
  ...['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached', 'zork'].map(
    (cache): Call => [`cache: ${cache}`, at('readme.txt'), { cache }],
  ),
  ...['omit', 'same-origin', 'include', 'zork'].map(
    (credentials): Call => [`credentials: ${credentials}`, at('readme.txt'), { credentials }],
  ),
  ['integrity', at('pub/hello.txt'), { integrity: sha256('2doVNgUPVhW2A7Lgl7FVMTh/3Bcjtf0ZAUpn7onPnUM=') }],
  ['integrity of another body', at('readme.txt'), { integrity: sha256('AAAA') }],
  ['keepalive', at('readme.txt'), { keepalive: true }],
  ['duplex', at('readme.txt'), { duplex: 'half' }],
  ['another duplex', at('readme.txt'), { duplex: 'full' }],
  ['window', at('readme.txt'), { window: null }],
  ['another window', at('readme.txt'), { window: {} }],
  ['priority', at('readme.txt'), { priority: 'high' }],
  ['a referrer', at('readme.txt'), { referrer: 'http://example.org/a', referrerPolicy: 'origin' }],
  ['a referrer that is none', at('readme.txt'), { referrer: '::' }],
  ['a referrer policy that is none', at('readme.txt'), { referrerPolicy: 'zork' }],
  ['a member that nobody knows', at('readme.txt'), { zork: 1 }],
  ['a data URL', () => 'data:TEXT/plain;charset=UTF-8,caf%C3%A9 100%?#x'],
  ['a data URL in Base64', () => 'data:image/png; BASE64,aG%6B='],
  ['a data URL without a comma', () => 'data:text/plain'],
  ['a data URL with bad Base64', () => 'data:;base64,a'],
  ['a data URL without a subtype', () => 'data:foo,bar'],
  ['POST', at('echo'), { method: 'POST', body: 'x' }],
  ['the field Connection', at('readme.txt'), { headers: { Connection: 'keep-alive', 'Content-Length': '0' } }],
  ['the field Host', at('readme.txt'), { headers: { Host: 'h' } }],
  ['a field value beyond ASCII', at('readme.txt'), { headers: { a: '\xE9' } }],
  ['304 without a condition', at('status/304')],
  ['a coding that is undone', at('gzip/pub/hello.txt')],
  ['integrity without a hash', at('readme.txt'), { integrity: 'zork' }],
  ['a priority that is none', at('readme.txt'), { priority: 'zork' }],
  ['a data URL by HEAD', () => 'data:,x', { method: 'HEAD' }],
  ['a blob URL', () => URL.createObjectURL(new Blob(['hello'], { type: 'text/plain' }))],
  ['a blob URL by HEAD', () => URL.createObjectURL(new Blob(['hello'])), { method: 'HEAD' }],
  ['a blob URL that is none', () => 'blob:nodedata:zork'],
]

/** Fields of the connection, which differ by the moment. */
const hopByHop = ['connection', 'date', 'keep-alive']

async function outcome(fetch: (input: never, init: never) => Promise<Response>, input: unknown, init: unknown) {
  try {
    const response = await fetch(input as never, init as never)
    const { status, statusText, ok, url, redirected, type, headers, body } = response
    const fields = [...headers].filter(([name]) => !hopByHop.includes(name))
    const text = await response.text().catch((error: Error) => `${error.name}: ${error.message}`)
    const { bodyUsed } = response
    return { status, statusText, ok, url, redirected, type, fields, hasBody: body !== null, text, bodyUsed }
  } catch (error) {
    return error instanceof Error ? { rejected: error.constructor.name, name: error.name } : { rejected: error }
  }
}

const refused = { rejected: 'TypeError', name: 'TypeError' }

/** The calls whose results differ, and why. */
const exceptions: Readonly<Record<string, { readonly why: string; readonly ours: object }>> = {
  'a coding that is undone': {
    why: 'The fields of the coded body would be wrong for the decoded one.',
    ours: {
      fields: [
        ['content-type', 'text/plain'],
        ['server', 'retriever-test'],
      ],
    },
  },
  'a data URL': {
    why: 'The length is known, and characters that no URL may have are escaped.',
    ours: {
      url: 'data:TEXT/plain;charset=UTF-8,caf%C3%A9%20100%25?',
      fields: [
        ['content-length', '11'],
        ['content-type', 'text/plain;charset=UTF-8'],
      ],
    },
  },
  'a data URL in Base64': {
    why: 'As above.',
    ours: {
      url: 'data:image/png;%20BASE64,aG%6B=',
      fields: [
        ['content-length', '2'],
        ['content-type', 'image/png'],
      ],
    },
  },
  'a data URL by HEAD': {
    why: 'The length is known.',
    ours: {
      fields: [
        ['content-length', '1'],
        ['content-type', 'text/plain;charset=US-ASCII'],
      ],
    },
  },
  'a data URL without a subtype': { why: 'Its media type is malformed (docs/schemes/data.md).', ours: refused },
  POST: { why: 'This client only retrieves.', ours: refused },
  'the field Host': { why: 'It is not that of the URL, and Node drops it silently.', ours: refused },
  'a field value beyond ASCII': { why: 'RFC 9110 5.5 has only ASCII for new fields.', ours: refused },
  '304 without a condition': { why: 'RFC 9110 15.4.5 forbids it, and there is no body to give.', ours: refused },
  'integrity without a hash': { why: 'Node checks nothing then, and does not say so.', ours: refused },
  'a priority that is none': { why: 'Node does not know the member yet.', ours: refused },
}

describe('client.fetch gives what the fetch of Node gives', () => {
  test.each<Call>(calls)('%s', async (what, input, init) => {
    const url = input(server.url, scripted.url)
    // A Request can be used again, because it has no body.
    const ours = await outcome(client.fetch, url, init)
    const nodes = await outcome(globalThis.fetch, url, init)
    const { ours: different = {} } = exceptions[what] ?? {}
    expect(ours).toEqual('rejected' in different ? different : { ...nodes, ...different })
  })

  test('every exception is one', () => {
    const names = calls.map(([what]) => what)
    expect(Object.keys(exceptions).filter((what) => !names.includes(what))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })
})
