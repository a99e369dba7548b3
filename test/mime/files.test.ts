/** Files that stand in the text of a message, as news had them before MIME: uuencoded, and in yEnc. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Message, readMessage } from '@retriever/fetchers/mime'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { runs } from '../support/runs.ts'

const every = Buffer.from(Array.from({ length: 700 }, (_, index) => index & 0xff))
const folder = await mkdtemp(join(tmpdir(), 'retriever-files-'))
afterAll(() => rm(folder, { recursive: true }))

function read(header: readonly string[], body: Buffer | string): Promise<Message> {
  return readMessage(
    Buffer.concat([Buffer.from([...header, '', ''].join('\r\n')), Buffer.from(body as string, 'latin1')]),
  )
}

function uuencoded(octets: Buffer, name: string, zero = '`'): string {
  const character = (bits: number): string => (bits === 0 ? zero : String.fromCharCode(bits + 0x20))
  const lines = []
  for (let at = 0; at < octets.length; at += 45) {
    const piece = octets.subarray(at, at + 45)
    let line = character(piece.length)
    for (let group = 0; group < piece.length; group += 3) {
      const [one = 0, two = 0, three = 0] = piece.subarray(group, group + 3)
      const bits = (one << 16) | (two << 8) | three
      line += [18, 12, 6, 0].map((shift) => character((bits >> shift) & 63)).join('')
    }
    lines.push(line.trimEnd())
  }
  return [`begin 644 ${name}`, ...lines, zero.trim(), 'end', ''].join('\r\n')
}

interface Yenc {
  readonly name?: string
  readonly size?: number
  readonly endSize?: number
  readonly sum?: string
  readonly part?: { readonly number: number; readonly begin: number; readonly whole: number }
}

function yenc(octets: Buffer, { name = 'a b=c.bin', size, endSize, sum, part }: Yenc = {}): Buffer {
  const data: number[] = []
  for (const [at, octet] of octets.entries()) {
    const shifted = (octet + 42) & 0xff
    if ([0, 9, 10, 13, 0x3d].includes(shifted)) data.push(0x3d, (shifted + 64) & 0xff)
    else data.push(shifted)
    if (at % 128 === 127) data.push(13, 10)
  }
  const whole = size ?? part?.whole ?? octets.length
  const head = `=ybegin ${part ? `part=${part.number} total=3 ` : ''}line=128 size=${whole} name=${name}\r\n`
  const range = part ? `=ypart begin=${part.begin} end=${part.begin + octets.length - 1}\r\n` : ''
  const value = sum ?? crc32(octets).toString(16).padStart(8, '0')
  const end = `\r\n=yend size=${endSize ?? octets.length} ${part ? `part=${part.number} p` : ''}crc32=${value}\r\n`
  return Buffer.concat([Buffer.from(head + range), Buffer.from(data), Buffer.from(end)])
}

function shown({ parts }: Message): unknown[] {
  return parts.map(({ number, name, mediaType, octets, damage }) => [number, name, mediaType, octets.length, damage])
}

describe('uuencode', () => {
  test.each(['`', ' '])('a file in the text is a part of its own, octet for octet; zero as %j', async (zero) => {
    const message = await read(['Subject: x'], `Before.\r\n${uuencoded(every, 'a b.bin', zero)}After.\r\n`)
    expect(shown(message)).toEqual([
      [1, null, 'text/plain', 17, null],
      [2, 'a b.bin', 'application/octet-stream', 700, null],
    ])
    expect(message.text).toBe('Before.\nAfter.\n')
    expect(Buffer.from(message.part('a b.bin')?.octets ?? [])).toEqual(every)
    expect(message.part(2)?.isAttachment).toBe(true)
  })

  test('two files, and no text but them', async () => {
    const message = await read([], `\r\n${uuencoded(every, 'one')}\r\n${uuencoded(Buffer.from('two'), 'two')}`)
    expect(message.parts.map(({ number, name }) => [number, name])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ])
    expect(message.text).toBe('')
  })

  test.each(['x-uuencode', 'X-UUE', 'uuencode'])('as the transfer encoding %s of a part', async (encoding) => {
    const message = await read(
      ['Content-Type: image/gif', `Content-Transfer-Encoding: ${encoding}`],
      uuencoded(every, 'a.gif'),
    )
    expect(shown(message)).toEqual([[1, 'a.gif', 'image/gif', 700, null]])
    expect(Buffer.from(message.parts[0]?.octets ?? [])).toEqual(every)
  })

  test('begin-base64, as POSIX has it', async () => {
    const lines = every.toString('base64').match(/.{1,60}/g) ?? []
    const message = await read([], ['begin-base64 644 x', ...lines, '====', ''].join('\r\n'))
    expect(Buffer.from(message.part('x')?.octets ?? [])).toEqual(every)
  })

  test.each([
    ['prose', 'begin 644 things today and end them tomorrow.\r\nend\r\nSo it is.\r\n'],
    ['lines that are none', 'begin 644 x\r\nthese are words\r\nend\r\n'],
    ['no end', `${uuencoded(every, 'x').replace('\r\nend\r\n', '\r\n')}`],
    ['lines that are too long', `begin 644 x\r\n!${'A'.repeat(30)}\r\n\`\r\nend\r\n`],
    ['an octet beyond ASCII', 'begin 644 x\r\n#AB\xE9D\r\n`\r\nend\r\n'],
  ])('%s stays text', async (_, text) => {
    const message = await read([], text)
    expect(message.parts).toHaveLength(1)
    expect(message.parts[0]?.octets.length).toBe(text.length)
  })
})

describe('yEnc', () => {
  test('a file in the text is a part of its own, octet for octet', async () => {
    const message = await read([], Buffer.concat([Buffer.from('Look:\r\n'), yenc(every)]))
    expect(shown(message)).toEqual([
      [1, null, 'text/plain', 7, null],
      [2, 'a b=c.bin', 'application/octet-stream', 700, null],
    ])
    expect(Buffer.from(message.parts[1]?.octets ?? [])).toEqual(every)
  })

  test('any octets come back as they were', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 600 }), async (octets) => {
        const [part] = (await read([], yenc(Buffer.from(octets)))).parts
        expect([Buffer.from(part?.octets ?? []), part?.damage]).toEqual([Buffer.from(octets), null])
      }),
      { numRuns: runs(100) },
    ))

  test('a part of several is named so that the parts can be joined in order', async () => {
    const part = { number: 2, begin: 701, whole: 2000 }
    expect(shown(await read([], yenc(every, { part })))).toEqual([
      [1, 'a b=c.bin.002', 'application/octet-stream', 700, null],
    ])
    const only = { number: 1, begin: 1, whole: 700 }
    expect((await read([], yenc(every, { part: only }))).parts[0]?.name).toBe('a b=c.bin')
  })

  test.each<[what: string, file: Yenc, damage: string]>([
    ['a wrong checksum', { sum: '0badf00d' }, 'its CRC-32 is'],
    ['another size at the end', { endSize: 701 }, 'it has 700 octets, not 701'],
    ['another size at the beginning', { size: 999_999_999_999 }, 'it has 700 octets, not 999999999999'],
    ['a wrong checksum of a part', { part: { number: 1, begin: 1, whole: 2000 }, sum: '1' }, 'not 00000001'],
  ])('%s: the file is damaged, and not saved', async (_, file, damage) => {
    const [part] = (await read([], yenc(every, file))).parts
    expect(part?.damage).toContain(damage)
    expect(part?.octets).toHaveLength(700)
    const error = await failure(part?.saveTo(join(folder, 'damaged')) ?? Promise.resolve())
    expect(error).toMatchObject({ code: 'partial', message: expect.stringContaining('damaged') })
    expect(await failure(readFile(join(folder, 'damaged')).catch(() => Promise.reject(error)))).toBe(error)
  })

  test('without a checksum its size alone is checked', async () => {
    const file = yenc(every)
      .toString('latin1')
      .replace(/ crc32=\w+/, '')
    expect((await read([], file)).parts[0]?.damage).toBe(null)
  })

  test.each([
    ['no end', yenc(every).toString('latin1').replace('=yend', 'yend')],
    ['no name', '=ybegin line=128 size=3\r\nabc\r\n=yend size=3\r\n'],
    ['no size', '=ybegin line=128 name=x\r\nabc\r\n=yend size=3\r\n'],
    ['a part that does not say of what', '=ybegin part=1 line=1 size=3 name=x\r\n=yend size=3\r\n'],
  ])('%s: it stays text', async (_, text) => {
    const { parts } = await read([], text)
    expect(parts.map(({ mediaType, size }) => [mediaType, size])).toEqual([['text/plain', text.length]])
  })
})

test('more files in a text than parts are allowed: limit-exceeded', async () => {
  const text = Buffer.from(`\r\n${'begin 644 x\r\n`\r\nend\r\n'.repeat(1001)}`)
  expect(await failure(readMessage(text))).toMatchObject({ code: 'limit-exceeded' })
  expect((await readMessage(text.subarray(0, 2 + 21 * 999))).parts).toHaveLength(999)
})

test('lines that promise octets and hold none are no bomb (uuencode)', async () => {
  const text = `begin 644 x\r\n${'_\r\n'.repeat(100_000)}\`\r\nend\r\n`
  const { parts } = await read([], text)
  expect(parts.map(({ octets }) => octets.length)).toEqual([text.length])
})

test('many small files are no bomb either (uuencode)', async () => {
  const file = `begin 644 x\r\n${'_\r\n'.repeat(1000)}\`\r\nend\r\n`
  const { parts } = await read([], file.repeat(100))
  const total = parts.reduce((sum, { octets }) => sum + octets.length, 0)
  expect(total).toBeLessThan(6 * 100 * file.length)
})

test.each([
  ['beginnings', 'begin 644 x\r\n'],
  ['beginnings and lines', 'begin 644 x\r\n#86)C\r\n#86)C\r\n'],
  ['yEnc beginnings', '=ybegin line=1 size=1 name=x\r\n'],
  ['yEnc parts', '=ybegin part=1 line=1 size=1 name=x\r\n=ypart begin=1 end=1\r\n'],
  ['a long name', 'begin 644 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
  ['keywords', '=ybegin line=1 line=1 =1 == name= name='],
])('1 MiB of %s without an end is read at once', async (_, pump) => {
  const text = pump.repeat(Math.ceil(1_048_576 / pump.length))
  const { parts } = await read([], text)
  expect(parts).toHaveLength(1)
})
