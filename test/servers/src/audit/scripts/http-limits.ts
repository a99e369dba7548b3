import { deflateSync, gzipSync } from 'node:zlib'
import { mayGive, mustFail, type Script } from '../script.ts'
import { endless, good, httpRows, ok, whole } from './http.ts'

const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

let bomb: Buffer | undefined
/** A gigabyte of zeros in one megabyte; a client that unpacks it stops, or fails by what it writes. */
function zeros(): Buffer {
  if (bomb === undefined) {
    const piece = gzipSync(Buffer.alloc(64 * 2 ** 20))
    // Gzip may have several members (RFC 1952, 2.2).
    bomb = Buffer.concat(Array.from({ length: 16 }, () => piece))
  }
  return bomb
}

function coded(coding: string, octets: Buffer): Buffer {
  const head = `${ok}Content-Encoding: ${coding}\r\nContent-Length: ${octets.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), octets])
}

/** Heads and framing without an end: a client must give up before its memory does. */
const unending = {
  'fields without end': () => endless('X-Field: value\r\n', ok),
  'one field without end': () => endless('y', `${ok}X: `),
  'the name of a field without end': () => endless('y', ok),
  'a status line without end': () => endless('y', 'HTTP/1.1 200 '),
  'no line end at all': () => endless('y'),
  'empty lines before the status line': () => endless('\r\n'),
  'a field that goes on without end': () => endless(' y\r\n', `${ok}X: y\r\n`),
  'cookies without end': () => endless(`Set-Cookie: a=${'b'.repeat(200)}\r\n`, ok),
  'interim answers without end': () => endless('HTTP/1.1 100 Continue\r\n\r\n'),
  'early hints without end': () => endless('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
  'a chunk size without end': () => endless('0', chunked),
  'a chunk extension without end': () => endless('x', `${chunked}5;`),
  'trailers without end': () => endless('X: y\r\n', `${chunked}0\r\n`),
  'a realm without end': () => endless('y', 'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="'),
}

export const httpLimits: readonly Script[] = [
  ...httpRows('limits', { outcome: mustFail }, unending),
  ...httpRows(
    'limits',
    { outcome: mustFail },
    {
      'redirects without end, each to another path': ({ count }) =>
        `HTTP/1.1 302 Found\r\nLocation: /${count}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      'a redirect to a URL of a megabyte': `HTTP/1.1 302 Found\r\nLocation: /${'x'.repeat(2 ** 20)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      'a demand for a login that never ends':
        'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      'a proxy login that the server itself demands':
        'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    },
  ),
  ...httpRows(
    'limits',
    { outcome: mustFail, login: true },
    {
      'a login that is refused again and again':
        'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      'a digest whose nonce is stale again and again': ({ count }) =>
        `HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm="x", nonce="${count}", stale=true\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    },
  ),
  ...httpRows(
    'limits',
    {},
    {
      'a bomb of gzip, 1 GiB': () => coded('gzip', zeros()),
      'a bomb of gzip in gzip': () => coded('gzip, gzip', gzipSync(zeros())),
      'a bomb of gzip in chunks': () => {
        const octets = zeros()
        return [
          `${ok}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
          `${octets.length.toString(16)}\r\n`,
          octets,
          '\r\n0\r\n\r\n',
        ]
      },
      'a bomb of deflate': () => coded('deflate', deflateSync(Buffer.alloc(256 * 2 ** 20))),
      'the same coding twenty times': () => {
        let octets = Buffer.from(good)
        for (let count = 0; count < 20; count++) octets = gzipSync(octets)
        return coded(Array.from({ length: 20 }, () => 'gzip').join(', '), octets)
      },
      'a name within gzip without end': () =>
        endless('x', `${ok}Content-Encoding: gzip\r\nContent-Length: 67108864\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\x03`),
    },
  ),
  ...httpRows(
    'limits',
    { outcome: mayGive(good.repeat(1000)) },
    {
      'a chunk for each of 46,000 octets': `${chunked}${[...good.repeat(1000)].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`,
    },
  ),
  ...httpRows(
    'limits',
    { outcome: mayGive(good) },
    {
      'a field of 64 MiB': function* () {
        yield `${ok}X: `
        for (let count = 0; count < 1024; count++) yield 'y'.repeat(64 * 1024)
        yield `\r\n${whole.slice(ok.length)}`
      },
      'a thousand fields': `${ok}${'X-Field: value\r\n'.repeat(1000)}Content-Length: ${good.length}\r\n\r\n${good}`,
      'a thousand cookies': `${ok}${Array.from({ length: 1000 }, (_, at) => `Set-Cookie: c${at}=${at}\r\n`).join('')}Content-Length: ${good.length}\r\n\r\n${good}`,
    },
  ),
]
