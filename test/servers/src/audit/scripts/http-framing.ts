import { deflateRawSync, gzipSync } from 'node:zlib'
import { mayGive, mustFail, type Script } from '../script.ts'
import { good, httpRows, ok, whole } from './http.ts'

const length = `Content-Length: ${good.length}\r\n`
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const chunk = `${good.length.toString(16)}\r\n${good}\r\n`

const packed = gzipSync(good)
const coded = (coding: string, octets: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${ok}Content-Encoding: ${coding}\r\nContent-Length: ${octets.length}\r\n\r\n`), octets])
const damaged = Buffer.from(packed).fill(0xff, packed.length - 8, packed.length - 4)

/** Answers that are cut, and whose end is known. */
const cut = {
  'no octet of an answer': '',
  'the status line is cut': 'HTTP/1.1 20',
  'the head is cut in a field': `${ok}Content-Le`,
  'the head is cut between two fields': `${ok}${length}`,
  'a head without its empty line, and then the content': `${ok}${length}X: ${good}`,
  'one octet less than Content-Length': `${ok}${length}\r\n${good.slice(1)}`,
  'no content in spite of Content-Length': `${ok}Content-Length: 100\r\n\r\n`,
  'a Content-Length of 2^53 and five octets': `${ok}Content-Length: 9007199254740992\r\n\r\nhello`,
  'chunks without the last one': `${chunked}${chunk}`,
  'a chunk is cut': `${chunked}${chunk.slice(0, 20)}`,
  'the size of a chunk is cut': `${chunked}${chunk}5`,
  'no chunk at all': chunked,
  'the last chunk is cut': `${chunked}${chunk}0`,
}

/** Answers that cannot be understood in one way alone. */
const wrong = {
  'a chunk size beyond 2^53': `${chunked}20000000000001\r\n${good}`,
  'a chunk size beyond 2^64': `${chunked}10000000000000005\r\nhello\r\n0\r\n\r\n`,
  'a chunk size below zero': `${chunked}-5\r\nhello\r\n0\r\n\r\n`,
  'a chunk size in C': `${chunked}0x5\r\nhello\r\n0\r\n\r\n`,
  'a chunk size with a blank in it': `${chunked}1 0\r\n${'x'.repeat(16)}\r\n0\r\n\r\n`,
  'an empty chunk size': `${chunked}\r\nhello\r\n0\r\n\r\n`,
  'a chunk size that is no number': `${chunked}xyz\r\nhello\r\n0\r\n\r\n`,
  'more octets than the chunk has': `${chunked}3\r\nhello\r\n0\r\n\r\n`,
  'no line end behind a chunk': `${chunked}5\r\nhello0\r\n\r\n`,
  'two lengths that differ, the longer one first': `${ok}${length}Content-Length: 5\r\n\r\n${good}`,
  'two lengths that differ, the shorter one first': `${ok}Content-Length: 5\r\n${length}\r\n${good}`,
  'a list of two lengths': `${ok}Content-Length: 5, ${good.length}\r\n\r\n${good}`,
  'a length below zero': `${ok}Content-Length: -5\r\n\r\n${good}`,
  'a length with a plus': `${ok}Content-Length: +5\r\n\r\n${good}`,
  'a length in hexadecimal': `${ok}Content-Length: 0x5\r\n\r\n${good}`,
  'a length with an exponent': `${ok}Content-Length: 1e1\r\n\r\n${good}`,
  'a length with a blank in it': `${ok}Content-Length: 4 6\r\n\r\n${good}`,
  'a length beyond 2^64': `${ok}Content-Length: 18446744073709551662\r\n\r\n${good}`,
  'a length that is a word': `${ok}Content-Length: many\r\n\r\n${good}`,
  'the greeting of an FTP server': '220 ready\r\n',
  'the greeting of an SSH server': 'SSH-2.0-OpenSSH_9.2\r\n',
  'a status line that is a request': `GET / HTTP/1.1\r\n\r\n${good}`,
  'a status that is a word': `HTTP/1.1 OK\r\n${length}\r\n${good}`,
  'a status of four digits': `HTTP/1.1 2000 OK\r\n${length}\r\n${good}`,
  'a status below zero': `HTTP/1.1 -200 OK\r\n${length}\r\n${good}`,
  'a status of zero': `HTTP/1.1 000 OK\r\n${length}\r\n${good}`,
  'a part that nobody asked for': `HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/100\r\nContent-Length: 5\r\n\r\nhello`,
  'a part that does not say which': `HTTP/1.1 206 Partial\r\nContent-Length: 5\r\n\r\nhello`,
  'parts in a multipart that nobody asked for':
    'HTTP/1.1 206 Partial\r\nContent-Type: multipart/byteranges; boundary=x\r\n\r\n--x\r\nContent-Range: bytes 0-4/9\r\n\r\nhello\r\n--x--\r\n',
  'another protocol that nobody asked for':
    'HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello',
}

/** Odd answers: strict clients refuse them, others find the whole content. None may give anything else. */
const odd = {
  'the same length twice': `${ok}${length}${length}\r\n${good}`,
  'a length beside chunks': `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`,
  'chunks beside a length': `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunk}0\r\n\r\n`,
  'a transfer coding that nobody knows': `${ok}Transfer-Encoding: xchunked\r\n\r\n${chunk}0\r\n\r\n`,
  'chunks twice': `${ok}Transfer-Encoding: chunked, chunked\r\n\r\n${chunk}0\r\n\r\n`,
  'Transfer-Encoding with a blank before the colon': `${ok}Transfer-Encoding : chunked\r\n\r\n${chunk}0\r\n\r\n`,
  'Transfer-Encoding on a line that goes on': `${ok}Transfer-Encoding:\r\n chunked\r\n\r\n${chunk}0\r\n\r\n`,
  'Transfer-Encoding behind a bare CR': `${ok}X: y\rTransfer-Encoding: chunked\r\n${length}\r\n${good}`,
  'a length behind a bare CR': `${ok}X: y\rContent-Length: 5\r\n${length}\r\n${good}`,
  'a length behind a NUL': `${ok}X: y\0Content-Length: 5\r\n${length}\r\n${good}`,
  'a NUL in a field': `${ok}X: a\0b\r\n${length}\r\n${good}`,
  'a NUL in the name of a field': `${ok}X\0Y: a\r\n${length}\r\n${good}`,
  'a line that is no field': `${ok}hello\r\n${length}\r\n${good}`,
  'a field without a name': `${ok}: x\r\n${length}\r\n${good}`,
  'a first field that begins with a blank': `${ok} X: y\r\n${length}\r\n${good}`,
  'lines that end in LF': whole.replaceAll('\r\n', '\n'),
  'octets behind the content': `${whole}and more`,
  'a second answer that nobody asked for': `${whole}${whole}`,
  'octets behind the last chunk': `${chunked}${chunk}0\r\n\r\nand more`,
  'a length in the trailers': `${chunked}${chunk}0\r\nContent-Length: 5\r\n\r\n`,
  'no head: HTTP of 1991': good,
  'the greeting of a radio station': `ICY 200 OK\r\n\r\n${good}`,
  'HTTP of the future': `HTTP/9.9 200 OK\r\n${length}\r\n${good}`,
  'two blanks in the status line': `HTTP/1.1  200 OK\r\n${length}\r\n${good}`,
}

/** Contents in codings: clients that do not decode may give what came. */
const coding = {
  'gzip that is cut': coded('gzip', packed.subarray(0, -10)),
  'gzip without its checksum': coded('gzip', packed.subarray(0, -8)),
  'gzip with a wrong checksum': coded('gzip', damaged),
  'gzip that is no gzip': coded('gzip', Buffer.from(good)),
  'deflate that is cut': coded('deflate', deflateRawSync(good).subarray(0, -5)),
  'gzip twice, the outer one cut': coded('gzip, gzip', gzipSync(packed).subarray(0, -9)),
  'the coding "constructor"': coded('constructor', packed),
  'the coding "__proto__"': coded('__proto__', packed),
}
const contentOf = (answer: Buffer): Buffer => answer.subarray(answer.indexOf('\r\n\r\n') + 4)

export const httpFraming: readonly Script[] = [
  ...httpRows('framing', { outcome: mustFail }, { ...cut, ...wrong }),
  ...httpRows(
    'framing',
    { outcome: mustFail, end: 'reset' },
    {
      'RST before any octet': '',
      'RST in the head': `${ok}${length}X: `,
      'RST in the content': `${ok}${length}\r\n${good.slice(0, 9)}`,
      'RST in a chunk': `${chunked}${chunk.slice(0, 20)}`,
      'RST behind content without a length': `${ok}\r\n${good.slice(0, 9)}`,
    },
  ),
  ...httpRows('framing', { outcome: mayGive(good) }, odd),
  ...httpRows(
    'framing',
    { outcome: mayGive('') },
    {
      'content behind 204': `HTTP/1.1 204 No Content\r\n${length}\r\n${good}`,
      'content behind 304 that nobody asked for': `HTTP/1.1 304 Not Modified\r\n${length}\r\n${good}`,
    },
  ),
  ...Object.entries(coding).flatMap(([name, answer]) =>
    httpRows('framing', { outcome: mayGive(contentOf(answer)) }, { [name]: answer }),
  ),
]
