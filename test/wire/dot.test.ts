import { RetrievalError } from '@retriever/core'
import { defaultLimits } from '@retriever/fetchers'
import type { RetrievalContext } from '@retriever/fetchers/plugin'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { DotDecoder, type DotOptions, dotBody } from '../../packages/fetchers/src/wire/framing/dot.ts'
import { LineReader } from '../../packages/fetchers/src/wire/framing/lines.ts'
import { parseReply } from '../../packages/fetchers/src/wire/framing/reply.ts'

const context = {
  limits: { ...defaultLimits, maxLine: 8192 },
  deadline: new RetrievalDeadline('', defaultLimits),
  error: (code, message, details) => new RetrievalError(code, message, { phase: 'body', ...details }),
} as Partial<RetrievalContext> as RetrievalContext

/** A stream of these segments, then its end. */
function reader(segments: readonly string[]): LineReader {
  const left = segments.map((segment) => Buffer.from(segment, 'latin1'))
  return new LineReader({ read: async () => left.shift() ?? null }, context)
}

async function collect(source: LineReader, options?: DotOptions): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of dotBody(source, context, options)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** The rest after the block. */
async function remainder(source: LineReader): Promise<string> {
  let text = ''
  for (let chunk = await source.read('body'); chunk !== null; chunk = await source.read('body')) {
    text += Buffer.from(chunk).toString('latin1')
  }
  return text
}

const blocks: readonly (readonly [name: string, wire: string, body: string])[] = [
  ['an empty block', '.\r\n', ''],
  ['lines', 'a\r\nb\r\n.\r\n', 'a\r\nb\r\n'],
  ['an empty line', '\r\n.\r\n', '\r\n'],
  ['doubled dots', '..\r\n...\r\n..a\r\n.\r\n', '.\r\n..\r\n.a\r\n'],
  ['dots within lines', 'a.\r\nb..c\r\n.\r\n', 'a.\r\nb..c\r\n'],
  // RFC 3977 3.1.1 (5): the first dot goes, whatever follows.
  ['a dot that should have been doubled', '.a\r\n.\r\n', 'a\r\n'],
  ['LF alone, which ends no line', 'a\n.\r\nb\n.\n\r\n.\r\n', 'a\n.\r\nb\n.\n\r\n'],
  ['CR alone', 'a\r.\r\n\r.\r\n.\r\n', 'a\r.\r\n\r.\r\n'],
  ['CR CR LF', 'a\r\r\n.\r\n', 'a\r\r\n'],
  ['a dot and a CR that are no end', '.\rx\r\n.\r\n', '\rx\r\n'],
  ['a dot and two CRs', '.\r\r\n.\r\n', '\r\r\n'],
  ['octets beyond ASCII', '\xff\x00\xfe\r\n.\r\n', '\xff\x00\xfe\r\n'],
]

test.each([
  ['.net\r\n.\r\n', '.net\r\n'],
  ['..net\r\n..\r\n...\r\n.\r\n', '.net\r\n.\r\n..\r\n'],
  ['.\rx\r\n.\r\r\n.\r\n', '.\rx\r\n.\r\r\n'],
])('with keepsLoneDot, %j keeps the dots that were not doubled', async (wire, body) => {
  expect(await collect(reader([wire]), { keepsLoneDot: true })).toBe(body)
  expect(await collect(reader([...wire]), { keepsLoneDot: true })).toBe(body)
})

describe('a dot-terminated block', () => {
  test.each(blocks)('%s', async (_, wire, body) => {
    const source = reader([`${wire}205 bye\r\n`])
    expect(await collect(source)).toBe(body)
    expect(await remainder(source)).toBe('205 bye\r\n')
  })

  test.each(blocks)('property 11: %s, an octet a segment', async (_, wire, body) => {
    expect(await collect(reader(wire.split('')))).toBe(body)
  })

  test.each(blocks)('property 12: %s, cut off before its end', async (_, wire) => {
    for (let length = 0; length < wire.length; length++) {
      const cut = collect(reader([wire.slice(0, length)]))
      await expect(cut, `${length} octets`).rejects.toMatchObject({ code: 'partial', phase: 'body' })
    }
  })

  test('gives what came before it was cut off', async () => {
    const body = dotBody(reader(['a\r\n..b\r\n']), context)
    expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('a\r\n.b\r\n')
    await expect(body.next()).rejects.toMatchObject({ code: 'partial' })
  })

  test('property 15: any lines, in any segments, come back as they were', async () => {
    const octet = fc.constantFrom('.', '\r', 'a', '\xff', ' ')
    const line = fc.string({ unit: octet, maxLength: 6 }).map((text) => text.replace(/\r$/, ''))
    const cutting = fc.array(fc.nat({ max: 80 }))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), cutting, async (lines, cuts) => {
        const wire = `${lines.map((text) => `${text.startsWith('.') ? '.' : ''}${text}\r\n`).join('')}.\r\n200 next\r\n`
        const ends = [0, ...cuts.filter((cut) => cut < wire.length).sort((a, b) => a - b), wire.length]
        const source = reader(ends.slice(1).map((end, index) => wire.slice(ends[index], end)))
        expect(await collect(source)).toBe(lines.map((text) => `${text}\r\n`).join(''))
        expect(await source.line('body')).toBe('200 next')
      }),
    )
  })
})

describe('a block of local text (lineEnd any)', () => {
  test.each([
    ['LF lines', 'a\n..b\n.\n', 'a\n.b\n'],
    ['a dot line of CRLF after LF lines', 'a\n.\r\n', 'a\n'],
    ['a dot without a line end at the end of the stream', 'a\n.', 'a\n'],
    ['a dot and a CR at the end of the stream', 'a\n.\r', 'a\n'],
  ])('%s', async (_, wire, body) => {
    expect(await collect(reader([wire]), { lineEnd: 'any' })).toBe(body)
    expect(await collect(reader(wire.split('')), { lineEnd: 'any' })).toBe(body)
  })

  test('without a dot it is not whole', async () => {
    await expect(collect(reader(['a\n']), { lineEnd: 'any' })).rejects.toMatchObject({ code: 'partial' })
  })
})

test.each([
  ['200 ready', { code: 200, text: 'ready' }],
  ['281', { code: 281, text: '' }],
  ['211 0 0 0 g', { code: 211, text: '0 0 0 g' }],
  ['220-Welcome', undefined],
  ['2000 x', undefined],
  ['600 x', undefined],
  ['20 x', undefined],
  [' 200 x', undefined],
  ['HTTP/1.1 400 Bad Request', undefined],
  ['', undefined],
])('the reply %j', (line, reply) => {
  expect(parseReply(line)).toEqual(reply)
})

test('an empty block takes no memory for the 64 KiB that stand behind it', () => {
  const chunk = Buffer.from(`.\r\n${'151 word db\r\n.\r\n'.repeat(4096)}`)
  const { octets, rest } = new DotDecoder().push(chunk)
  expect([octets.length, rest.length]).toEqual([0, chunk.length - 3])
  expect(octets.buffer.byteLength).toBeLessThan(32)
})
