/** The reader of header sections by itself: the same however octets are cut. */
import { describe, expect, test } from 'vitest'
import { ChunkSizes } from '../../../../packages/fetchers/src/protocols/http/connection/chunk-sizes.ts'
import type { Head } from '../../../../packages/fetchers/src/protocols/http/connection/connection.ts'
import { HeadReader } from '../../../../packages/fetchers/src/protocols/http/connection/head-reader.ts'
import { runs } from '../../../support/runs.ts'

const maxReply = 65_536

/** The head as read in pieces of these lengths, and how many octets it took; or why it is refused. */
function read(octets: Buffer, lengths: readonly number[], limit: number = maxReply): unknown {
  const reader = new HeadReader(limit)
  let at = 0
  try {
    for (let n = 0; at < octets.length && reader.head === undefined; n++) {
      at += reader.read(octets.subarray(at, at + (lengths[n % lengths.length] ?? 1)))
    }
  } catch (error) {
    return (error as Error).message
  }
  return { head: reader.head, at }
}

test('fields come with one length, without folds, and without what ends their lines', () => {
  const octets = Buffer.from('HTTP/1.0 200\nA:\t1\n 2\nContent-Length: 3, 3\nContent-Length: 3\n\nabc', 'latin1')
  expect(read(octets, [octets.length])).toMatchObject({
    at: octets.length - 3,
    head: {
      version: 'HTTP/1.0',
      fields: [
        ['A', '1 2'],
        ['Content-Length', '3'],
      ],
    },
  })
})

const ok = 'HTTP/1.1 200 OK\r\n'
const noNumber = 'Content-Length is no number'
const long = 'x'.repeat(100)

test.each([
  ['x', 'no status line'],
  ['HTTPS', 'no status line'],
  ['HTTP/x HTTP/1.1 200 OK\r\n', 'the status line is "HTTP/x HTTP/1.1 200 OK"'],
  [`HTTP/${long}\r\n`, `the status line is "HTTP/${long.slice(25)}"`],
  ['HTTP/1.1 20 OK\r\n', 'the status line is "HTTP/1.1 20 OK"'],
  ['HTTP/1.1 2000\r\n', 'the status line is "HTTP/1.1 2000"'],
  ['HTTP/1.1200 OK\r\n', 'the status line is "HTTP/1.1200 OK"'],
  ['HTTP/2.0 200 OK\r\n', 'an answer of HTTP/2.0'],
  ['HTTP/1.1 200 a\0\r\n', 'The status line holds a control character'],
  ['HTTP/1.1 101\r\n\r\n', 'it switches to another protocol (101), which was not asked for'],
  [`${ok}A: b\r\n \x1F\r\n`, 'A holds a control character'],
  [`${ok}A: b\x08\r\n`, 'A holds a control character'],
  [`${ok}A: b\x7F\r\n`, 'A holds a control character'],
  [`${ok} A: b\r\n`, 'a line begins with a blank, before any field ( A: b)'],
  [`${ok}Token\r\n`, 'no field name before a colon (Token)'],
  [`${ok}${long}\r\n`, `no field name before a colon (${long.slice(20)})`],
  [`${ok}Content-Length: 5\r\nContent-Length: 7\r\n\r\n`, 'two different Content-Length fields (5 and 7)'],
  [`${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, 'both Content-Length and Transfer-Encoding'],
  ['HTTP/1.1 103 E\r\n\r\n'.repeat(11), 'over 10 interim answers'],
  [`${ok}Content-Length: x, 5\r\n\r\n`, `${noNumber} (x)`],
  [`${ok}Content-Length: 5, x\r\n\r\n`, `${noNumber} (x)`],
  [`${ok}Content-Length: 5e0\r\n\r\n`, `${noNumber} (5e0)`],
  [`${ok}Content-Length: ${long}\r\n\r\n`, `${noNumber} (${long.slice(60)})`],
  // A line feed within a value, and the field that holds it.
  [`${ok}A: b\r\nC: d\r\nE: f\r\n\n`, 'E holds a line feed (LF without CR)'],
  [`${ok}A: b\nC: d\nE: f\nG: h\r\n`, 'E holds a line feed (LF without CR)'],
  [`${ok}A: b\r\nX-Status: c\n\n`, 'X-Status holds a line feed (LF without CR)'],
  [`${ok}A: b\r\nStatus-X: c\n\n`, 'Status-X holds a line feed (LF without CR)'],
  [`${ok}Transfer-Encoding: chunked\r\nStatus: c\n\n`, 'Status holds a line feed (LF without CR)'],
])('%j is refused', (octets, words) => {
  for (const length of [octets.length, 1]) {
    expect(read(Buffer.from(octets, 'latin1'), [length])).toBe(words)
  }
})

test.each<[string, readonly (readonly [string, string])[]]>([
  [
    'X-Content-Length: 1\r\nStatus: c\n\n',
    [
      ['X-Content-Length', '1'],
      ['Status', 'c'],
    ],
  ],
  [
    'Content-Length-X: 1\r\nStatus: c\n\n',
    [
      ['Content-Length-X', '1'],
      ['Status', 'c'],
    ],
  ],
  ['A: b\r\n\t\r\n c\r\n\r\n', [['A', 'b c']]],
  [
    'Status: a\r\n b\nC: d\n\n',
    [
      ['Status', 'a b'],
      ['C', 'd'],
    ],
  ],
  ['A:\r\n b\r\n\r\n', [['A', 'b']]],
  ['A: \tb\t \r\n\r\n', [['A', 'b']]],
  ['Content-Length: 12\r\n\r\n', [['Content-Length', '12']]],
  [
    'Content-Length: 3, 3\r\nX-Fourteen-Abc: d\r\nContent-Length: 3\r\n\r\n',
    [
      ['Content-Length', '3'],
      ['X-Fourteen-Abc', 'd'],
    ],
  ],
  [
    'A: b\r\nStatus: c\nContent-Length: 3\n\n',
    [
      ['A', 'b'],
      ['Status', 'c'],
      ['Content-Length', '3'],
    ],
  ],
  [
    'A:b\r\nC:\r\nD: \xFF\r\n\r\n',
    [
      ['A', 'b'],
      ['C', ''],
      ['D', '\xFF'],
    ],
  ],
])('the fields of %j', (octets, fields) => {
  for (const length of [octets.length, 1]) {
    expect(read(Buffer.from(`\r\n\n${ok}${octets}`, 'latin1'), [length])).toMatchObject({ head: { fields } })
  }
})

test('ten interim answers are passed over with their fields, and the status line is read word by word', () => {
  const octets = `${'HTTP/1.1 103 E\nA: b\n\n'.repeat(10)}HTTP/1.7 \t200 \t No\tWay \r\nC: d\r\n\r\n`
  for (const length of [octets.length, 1]) {
    expect(read(Buffer.from(octets), [length])).toMatchObject({
      head: { status: 200, reason: 'No\tWay', version: 'HTTP/1.1', fields: [['C', 'd']] },
    })
  }
})

test('fields by name are joined, without cookies, and no name is that of a prototype', () => {
  const fields = 'Via: a\r\nVIA: b\r\nSet-Cookie: c\r\n__proto__: d\r\n__PROTO__: f\r\nX-Set-Cookie: e\r\n'
  const { head } = read(Buffer.from(`${ok}${fields}\r\n`), [1000]) as { readonly head: Head }
  expect(Object.entries(head.named)).toEqual([
    ['via', 'a, b'],
    ['__proto__', 'd, f'],
    ['x-set-cookie', 'e'],
  ])
})

test.each([
  ['A: bcd\r\n\r\n', 7],
  ['A:\tbcd\r\n\r\n', 7],
  ['A: bcd\r\nE: fgh\r\n\r\n', 11],
  ['A: bcd\r\n e\r\nF: g\r\n\r\n', 11],
  ['A:b\r\n\r\nHTTP/1.1 200 OK\r\nA: bcd\r\n\r\n', 7],
])('%j needs a limit of %i', (octets, limit) => {
  const head = Buffer.from(`HTTP/1.1 ${octets.includes('HTTP') ? 103 : 200} OK\r\n${octets}`)
  for (const length of [head.length, 1]) {
    expect(read(head, [length], limit)).toMatchObject({ at: head.length, head: { status: 200 } })
    expect(read(head, [length], limit - 1)).toBe('a header section that is too long')
  }
})

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
  for (let round = 0; round < runs(3000); round++) {
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

  test.each<[string, string]>([
    ['3  \r\nabc\r\n0\t\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['3 ;x = y \r\na  \r\n0\r\n\r\n', '3;x = y \r\na  \r\n0\r\n\r\n'],
    [
      '2 \r\n\n\n\r\n12 \r\n\nbcdefghi 0 \r\n 9  \r\n0 \r\n\r\n',
      '2\r\n\n\n\r\n12\r\n\nbcdefghi 0 \r\n 9  \r\n0\r\n\r\n',
    ],
    ['a\r\n0123  \r\n 9\r\n0\r\nX: y  \r\n\r\n', 'a\r\n0123  \r\n 9\r\n0\r\nX: y  \r\n\r\n'],
    ['0\r\n\r\na  \r\n', '0\r\n\r\na  \r\n'],
    [
      'f  \r\na  \r\nb  \r\nc  \r\n\r\n9  \r\na  \r\nb  \r\r\nA  \r\na  \r\nb  \r\n\r\n0 \r\n\r\n',
      'f\r\na  \r\nb  \r\nc  \r\n\r\n9\r\na  \r\nb  \r\r\nA\r\na  \r\nb  \r\n\r\n0\r\n\r\n',
    ],
    // Anything but digits stays refused, and so do heads that break the rules.
    ...['/', ':', '@', 'G', '`', 'g'].map((octet): [string, string] => [`${octet}  \r\na`, `${octet}  \r\na`]),
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
