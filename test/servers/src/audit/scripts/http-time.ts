import { mustFail, type Script } from '../script.ts'
import { drip, good, httpRows, ok } from './http.ts'

const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const long = `${ok}Content-Length: 1000\r\n`

export const httpTime: readonly Script[] = [
  ...httpRows(
    'time',
    { outcome: mustFail, end: 'silence' },
    {
      'silence behind the request': '',
      'silence in the status line': 'HTTP/1.1 2',
      'silence in the head': `${long}X: `,
      'silence behind the head': `${long}\r\n`,
      'silence in the content': `${long}\r\n${good}`,
      'silence in content without a length': `${ok}\r\n${good}`,
      'silence in a chunk': `${chunked}ff\r\n${good}`,
      'silence before the last chunk': `${chunked}${good.length.toString(16)}\r\n${good}\r\n`,
      'silence behind an interim answer': 'HTTP/1.1 100 Continue\r\n\r\n',
      'silence behind a redirect to itself': ({ count, target }) =>
        count > 0 ? '' : `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`,
    },
  ),
  ...httpRows(
    'time',
    { outcome: mustFail },
    {
      'an octet a second of the head': () => drip('X: y\r\n', ok),
      'an octet a second of the status line': () => drip('HTTP/1.1 200 OK '),
      'an octet a second of the content': () => drip(good, `${ok}Content-Length: 1000000\r\n\r\n`),
      'an octet a second of content without a length': () => drip(good, `${ok}\r\n`),
      'a chunk every few seconds': () => drip('1\r\nx\r\n', chunked),
      'interim answers, an octet a second': () => drip('HTTP/1.1 100 Continue\r\n\r\n'),
    },
  ),
  ...httpRows(
    'time',
    {},
    {
      'a Retry-After of a hundred years': 'HTTP/1.1 503 Later\r\nRetry-After: 3155760000\r\nContent-Length: 0\r\n\r\n',
      'a Retry-After in the year 9999':
        'HTTP/1.1 503 Later\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n',
    },
  ),
]
