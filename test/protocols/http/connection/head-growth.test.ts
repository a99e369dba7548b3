/** The reader of header sections takes linear time, whatever it reads. */
import { describe, test } from 'vitest'
import { HeadReader } from '../../../../packages/fetchers/src/protocols/http/connection/head-reader.ts'
import { expectLinear, filled } from '../../../support/growth.ts'

/** Reads a head in pieces of this length, to its end or until it is refused. */
function read(octets: Buffer, length: number): void {
  const reader = new HeadReader(65_536)
  try {
    for (let at = 0; at < octets.length && reader.head === undefined; ) {
      at += reader.read(octets.subarray(at, at + length))
    }
  } catch {
    // It was refused.
  }
}

describe('case 44, property 13: a head of any shape is read in linear time, whole and octet by octet', () => {
  test.each<[string, (fill: (pump: string) => string) => string]>([
    ['blanks in the status line', (fill) => `HTTP/1.1${fill(' ')}200 OK\r\n\r\n`],
    ['blanks behind the status', (fill) => `HTTP/1.1 200${fill(' ')}\r\r\n\r\n`],
    ['a reason', (fill) => `HTTP/1.1 200 ${fill('x ')}\r\n\r\n`],
    ['a reason and a CR', (fill) => `HTTP/1.1 200 ${fill(' \t')}\rx\r\n\r\n`],
    ['blank lines', (fill) => `${fill('\r\n')}HTTP/1.1 200 OK\r\n\r\n`],
    ['blanks around a value', (fill) => `HTTP/1.1 200 OK\r\nX:${fill(' ')}a${fill('\t')}\r\n\r\n`],
    ['blanks within a value', (fill) => `HTTP/1.1 200 OK\r\nX: a${fill(' ')}b\0\r\n\r\n`],
    ['folds', (fill) => `HTTP/1.1 200 OK\r\nX: a\r\n${fill(' b\r\n')}\r\n`],
    ['folds of nothing', (fill) => `HTTP/1.1 200 OK\r\nX: a\r\n${fill(' \r\n')}\r\n`],
    ['short fields', (fill) => `HTTP/1.1 200 OK\r\n${fill('a:\r\n')}\r\n`],
    ['lengths', (fill) => `HTTP/1.1 200 OK\r\n${fill('Content-Length: 3\r\n')}\r\n`],
    ['a list of lengths', (fill) => `HTTP/1.1 200 OK\r\nContent-Length: ${fill('3,')}3\r\n\r\n`],
    ['a list of nothing', (fill) => `HTTP/1.1 200 OK\r\nContent-Length: ${fill(' ,')}\r\n\r\n`],
    ['a name', (fill) => `HTTP/1.1 200 OK\r\n${fill('n')}\r\n\r\n`],
    ['a name with a blank behind it', (fill) => `HTTP/1.1 200 OK\r\n${fill('n')} : x\r\n\r\n`],
    ['CRs', (fill) => `HTTP/1.1 200 OK\r\nX: ${fill('\r')}\n\r\n`],
  ])('%s', (_, head) =>
    expectLinear(60_000, (length) => {
      const octets = Buffer.from(
        head((pump) => filled(pump, length)),
        'latin1',
      )
      for (const piece of [octets.length, 1]) read(octets, piece)
    }),
  )
})
