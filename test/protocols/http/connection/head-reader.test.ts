/** The reader of header sections by itself: the same however octets are cut, and in linear time. */
import { describe, expect, test } from 'vitest'
import { ChunkSizes } from '../../../../packages/fetchers/src/protocols/http/connection/chunk-sizes.ts'
import { HeadReader } from '../../../../packages/fetchers/src/protocols/http/connection/head-reader.ts'
import { expectLinear, filled } from '../../../support/growth.ts'

const maxReply = 65_536

/** The head as read in pieces of these lengths, and how many octets it took; or why it is refused. */
function read(octets: Buffer, lengths: readonly number[]): unknown {
  const reader = new HeadReader(maxReply)
  let at = 0
  try {
    for (let n = 0; at < octets.length && reader.head === undefined; n++) {
      at += reader.read(octets.subarray(at, at + (lengths[n % lengths.length] ?? 1)))
    }
  } catch (error) {
    return (error as Error).message
  }
  return { head: reader.head, at, framing: reader.head && reader.framing().toString('latin1') }
}

/** Always the same numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

// biome-ignore format: a list of words
const words = [
  'HTTP/1.1 200 OK', 'HTTP/1.0 204', 'HTTP/1.1 103 E', 'HTTP/1.1', '\r\n', '\r\n', '\r\n', '\n', '\r', ' ', '\t', ':', 'X: a',
  'Content-Length: 3', 'Content-Length: 5', 'Content-Length:', '3', ',', 'Transfer-Encoding: chunked', '\0', '\xFF', '\x15',
]

test('property 11: octets mean the same in pieces of any size', () => {
  const random = numbers(1738)
  for (let round = 0; round < 3000; round++) {
    const begin = random() < 0.8 ? ['HTTP/1.1 200 OK', '\r\n'] : []
    const rest = Array.from({ length: 1 + Math.floor(random() * 12) }, () => words[Math.floor(random() * words.length)])
    const octets = Buffer.from([...begin, ...rest].join(''), 'latin1')
    const whole = read(octets, [octets.length])
    for (const lengths of [[1], [2, 3], [1, 5, 1]]) {
      const got = read(octets, lengths)
      // A line that is wrong from its beginning may be shown as far as it has come.
      if (typeof whole === 'string') expect(typeof got).toBe('string')
      else expect(got).toEqual(whole)
    }
  }
})

test('what undici gets says where the body ends: one length, no folds, CRLF alone', () => {
  const octets = Buffer.from('HTTP/1.0 200\nA:\t1\n 2\nContent-Length: 3, 3\nContent-Length: 3\n\nabc', 'latin1')
  expect(read(octets, [octets.length])).toMatchObject({
    at: octets.length - 3,
    framing: 'HTTP/1.0 200 \r\nContent-Length: 3\r\n\r\n',
  })
})

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
      for (const lengths of [[octets.length], [1]]) read(octets, lengths)
    }),
  )
})

describe('chunk sizes', () => {
  const without = (text: string, length: number): string => {
    const sizes = new ChunkSizes()
    let out = ''
    for (let at = 0; at < text.length; at += length) {
      const octets = Buffer.from(text.slice(at, at + length), 'latin1')
      for (const piece of sizes.withoutBlanks(octets)) out += piece.toString('latin1')
    }
    return out
  }

  test.each([
    ['3  \r\nabc\r\n0\t\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['3 ;x = y \r\na  \r\n0\r\n\r\n', '3;x = y \r\na  \r\n0\r\n\r\n'],
    [
      '2 \r\n\n\n\r\n12 \r\n\nbcdefghi 0 \r\n 9  \r\n0 \r\n\r\n',
      '2\r\n\n\n\r\n12\r\n\nbcdefghi 0 \r\n 9  \r\n0\r\n\r\n',
    ],
    ['a\r\n0123  \r\n 9\r\n0\r\nX: y  \r\n\r\n', 'a\r\n0123  \r\n 9\r\n0\r\nX: y  \r\n\r\n'],
    // Heads that break the rules stay refused.
    ['3 4\r\nabc', '3 4\r\nabc'],
    ['3 \nabc', '3 \nabc'],
    [' 3\r\nabc\r\n', ' 3\r\nabc\r\n'],
  ])('%j', (text, expected) => {
    for (const length of [text.length, 1, 2, 3]) expect(without(text, length), `by ${length}`).toBe(expected)
  })

  test('data is handed on as it lies in memory', () => {
    const octets = Buffer.from('5\r\nabcde\r\n5 \r\nabcde\r\n')
    const pieces = new ChunkSizes().withoutBlanks(octets)
    expect(pieces.map((piece) => piece.buffer === octets.buffer)).toEqual([true, true])
  })
})

test.each([
  [1000, false],
  [1001, true],
])('a head of %d fields is refused: %s', (count, isRefused) => {
  const head = `HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(count)}\r\n`
  const read = (): number => new HeadReader(maxReply).read(Buffer.from(head))
  if (isRefused) expect(read).toThrow('more than 1000 header fields')
  else expect(read()).toBe(head.length)
})
