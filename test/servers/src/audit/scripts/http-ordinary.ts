import { gzipSync } from 'node:zlib'
import { mustGive, type Script } from '../script.ts'
import { good, httpRows, ok, unmeasured, whole, withLogin } from './http.ts'

const { length } = good
const size = length.toString(16)
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const packed = gzipSync(good)

/** Answers that are in order, though some servers alone give them. */
export const httpOrdinary: readonly Script[] = [
  ...httpRows(
    'ordinary',
    { outcome: mustGive(good) },
    {
      'content with a length': whole,
      'content that ends with the connection': unmeasured,
      'one chunk': `${chunked}${size}\r\n${good}\r\n0\r\n\r\n`,
      'a chunk for each octet': `${chunked}${[...good].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`,
      'chunks with extensions and trailers': `${chunked}${size};a="b;c"\r\n${good}\r\n0;x\r\nX: y\r\n\r\n`,
      'a chunk size with zeros and capitals': `${chunked}000${size.toUpperCase()}\r\n${good}\r\n0\r\n\r\n`,
      'names of fields in capitals': `${ok}CONTENT-LENGTH:${length}\r\n\r\n${good}`,
      'HTTP/1.0': `HTTP/1.0 200 OK\r\nContent-Length: ${length}\r\n\r\n${good}`,
      'no reason behind the status': `HTTP/1.1 200 \r\nContent-Length: ${length}\r\n\r\n${good}`,
      'status 203': `HTTP/1.1 203 From elsewhere\r\nContent-Length: ${length}\r\n\r\n${good}`,
      'an interim answer 103': `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${whole}`,
      'fifty fields': `${ok}${'X-Field: value\r\n'.repeat(50)}Content-Length: ${length}\r\n\r\n${good}`,
      'a field of 4,000 octets': `${ok}X: ${'y'.repeat(4000)}\r\nContent-Length: ${length}\r\n\r\n${good}`,
      'octet by octet': function* () {
        yield* whole
      },
    },
  ),
  ...httpRows(
    'ordinary',
    { outcome: mustGive(good), end: 'silence' },
    {
      'a connection that stays open behind the content': whole,
      'a connection that stays open behind the last chunk': `${chunked}${size}\r\n${good}\r\n0\r\n\r\n`,
    },
  ),
  ...httpRows(
    'ordinary',
    { outcome: mustGive('') },
    { 'no content': `${ok}Connection: close\r\nContent-Length: 0\r\n\r\n` },
  ),
  ...httpRows(
    'ordinary',
    { outcome: mustGive(good, packed) },
    {
      'content in gzip': Buffer.concat([
        Buffer.from(`${ok}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`),
        packed,
      ]),
    },
  ),
  ...httpRows(
    'ordinary',
    { outcome: mustGive(good) },
    Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [
        `a redirect by ${status}`,
        ({ count }) =>
          count > 0
            ? whole
            : `HTTP/1.1 ${status} Moved\r\nLocation: /other.txt\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      ]),
    ),
  ),
  ...httpRows(
    'ordinary',
    { outcome: mustGive(good), login: true },
    { 'a login that the server asks for': withLogin(whole) },
  ),
]
