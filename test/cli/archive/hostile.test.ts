/** --from-warc with archives that somebody has made to do harm, or that are damaged. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Outcome, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()
const url = 'http://www.example.org/x'

interface Facts {
  readonly length?: string
  readonly type?: string
  /** The octets between head and body. */
  readonly between?: string
  readonly date?: string
  /** Further fields of the record. */
  readonly more?: readonly string[]
}

/** A record with the answer to the URL. */
function answer(head: string, body: string | Buffer, facts: Facts = {}): Buffer {
  const { length, type = 'application/http; msgtype=response', between = '\r\n\r\n', date = '2026', more = [] } = facts
  const block = Buffer.concat([Buffer.from(head + between, 'latin1'), Buffer.from(body)])
  const fields = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Record-ID: <urn:uuid:1>',
    `WARC-Date: ${date}-01-01T00:00:00Z`,
  ]
  fields.push(`WARC-Target-URI: ${url}`, `Content-Type: ${type}`, ...more)
  fields.push(`Content-Length: ${length ?? block.length}`)
  return Buffer.concat([Buffer.from(`${fields.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')])
}

async function read(archive: Buffer, ...options: string[]): Promise<Outcome> {
  const cwd = mkdtempSync(join(outer(), 'hostile-'))
  writeFileSync(join(cwd, 'x.warc'), archive)
  return retrieve(['--from-warc', 'x.warc', url, ...options], { cwd })
}

test.each(['constructor', 'toString', '__proto__'])('the content coding %s is none', async (coding) => {
  const archive = answer(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}`, 'abc')
  expect(await read(archive)).toEqual({ status: 0, stdout: 'abc', stderr: '' })
})

test.each([
  ['Fri, 30 Feb 2001 04:05:06 GMT', null],
  ['0', null],
  // The form of asctime() is in GMT as well (RFC 9110 5.6.7).
  ['Sat Feb  3 04:05:06 2001', '2001-02-03T04:05:06.000Z'],
])('Last-Modified: %s is read as over HTTP', async (field, wanted) => {
  const archive = answer(`HTTP/1.1 200 OK\r\nLast-Modified: ${field}`, 'abc')
  const { stdout } = await read(archive, '--json', '-o', 'out')
  expect(JSON.parse(stdout).modified).toBe(wanted)
})

test('a record that is longer than it says is no whole answer; those behind it are read', async () => {
  const head = 'HTTP/1.1 200 OK'
  const short = answer(head, 'hello', { length: String(`${head}\r\n\r\nhel`.length) })
  const { status, stdout, stderr } = await read(short)
  expect([status, stdout]).toEqual([18, ''])
  expect(stderr).toMatch(/^retrieve: http:\/\/www\.example\.org\/x: x\.warc has only a part of it\.\n$/)
  expect(await read(Buffer.concat([short, answer(head, 'whole')]))).toEqual({ status: 0, stdout: 'whole', stderr: '' })
  const members = [short, answer(head, 'whole')].map((record) => gzipSync(record))
  expect(await read(Buffer.concat(members))).toEqual({ status: 0, stdout: 'whole', stderr: '' })
  expect((await read(gzipSync(short))).status).toBe(18)
})

test('of several answers the newest is given, wherever it stands, and a part or 304 is none', async () => {
  const dated = (date: string, head = 'HTTP/1.1 200 OK'): Buffer => answer(head, date, { date })
  const newest = dated('2025')
  const others = [dated('2024'), dated('2026', 'HTTP/1.1 206 Part\r\nContent-Range: bytes 0-3/9')]
  others.push(dated('2026', 'HTTP/1.1 304 Not Modified'))
  for (const all of [
    [newest, ...others],
    [...others, newest],
  ])
    expect(await read(Buffer.concat(all))).toEqual({ status: 0, stdout: '2025', stderr: '' })
  for (const alone of others.slice(1)) expect((await read(alone)).status).toBe(18)
})

test.each([
  ['sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5', 0],
  ['sha1:a9993e364706816aba3e25717850c26c9cd0d89d', 0],
  ['sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 0],
  ['sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6', 18],
  ['sha256:ca7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 18],
])('a body whose record says the digest %s: status %i', async (digest, wanted) => {
  const archive = answer('HTTP/1.1 200 OK', 'abc', { more: [`WARC-Payload-Digest: ${digest}`] })
  const { status, stderr } = await read(archive)
  expect(status).toBe(wanted)
  if (wanted !== 0) expect(stderr).toContain('another digest than its record says')
})

test.each([
  ['no fields', 'HTTP/1.0 200 OK\r\n\r\n'],
  ['no reason', 'HTTP/1.1 200\r\nX: y\r\n\r\n'],
  ['lines that end in LF', 'HTTP/1.0 200 OK\nContent-Type: text/plain\n\n'],
  ['folded fields, and lines that are none', 'HTTP/1.1 200 OK\r\nX: y\r\n z\r\nnothing\r\n\r\n'],
])('a head with %s is the head alone', async (_what, head) => {
  const record = answer(head, 'a\r\nb: c\r\n\r\nd', { between: '' })
  expect(await read(record)).toEqual({ status: 0, stdout: 'a\r\nb: c\r\n\r\nd', stderr: '' })
})

test('fields come octet for octet: those beyond ASCII need not be UTF-8', async () => {
  const archive = answer('HTTP/1.1 200 OK\r\nContent-Disposition: inline; filename="voil\xe0.txt"', 'abc')
  const { stdout } = await read(archive, '--json', '-OJ')
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'retrieved', file: 'voilà.txt' })
})

test('an answer of DNS in a record for responses is no message of HTTP', async () => {
  const text = '20260101000000\nwww.example.org. 300 IN A 127.0.0.1\n'
  const archive = answer('', text, { between: '', type: 'text/dns' })
  expect(await read(archive)).toEqual({ status: 0, stdout: text, stderr: '' })
})

test('a charset that nobody knows is passed over', async () => {
  const archive = answer('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=none', 'abc')
  expect(await read(archive)).toEqual({ status: 0, stdout: 'abc', stderr: '' })
})

test.each([
  ['gzip', 'abc'],
  ['gzip', gzipSync('abc').subarray(0, 20)],
  ['br', 'abc'],
])('a body that is no %s, or not a whole one, is damaged', async (coding, body) => {
  const { status, stderr } = await read(answer(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}`, body))
  expect({ status, stderr }).toEqual({ status: 18, stderr: expect.stringContaining(`the body is no ${coding}`) })
})

test.each(['abc', '000', '-200', '2e2000', '1e9', ''])('the status %j is no answer', async (code) => {
  const { status, stderr } = await read(answer(`HTTP/1.1 ${code} OK`, 'abc'))
  expect({ status, stderr }).toEqual({ status: 18, stderr: expect.stringContaining('has only a part of it') })
})

test.each(['-5', 'zz', '', '99999999999999999999', '1e1'])('a record of the length %j is damaged', async (length) => {
  const { status, stderr } = await read(answer('HTTP/1.1 200 OK', 'abc', { length }))
  expect({ status, stderr }).toEqual({ status: 78, stderr: expect.stringContaining('(cut or damaged)') })
})

test('chunks without their end are no whole body', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked'
  expect(await read(answer(chunked, '3\r\nabc\r\n0\r\n\r\n'))).toMatchObject({ status: 0, stdout: 'abc' })
  expect(await read(answer(chunked, '3\r\nabc\r\n'))).toMatchObject({ status: 18, stdout: 'abc' })
  expect(await read(answer(chunked, '3\r\nabc\r\n5\r\nde'))).toMatchObject({ status: 18, stdout: 'abcde' })
  expect(await read(answer(chunked, '5\r\nabc'))).toMatchObject({ status: 18, stdout: 'abc' })
  expect(await read(answer(chunked, '3\r\nabcd'))).toMatchObject({ status: 18, stdout: 'abc' })
})

test('chunks may have extensions, and a trailer', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked'
  const extension = `;a="${'b'.repeat(100)}"`
  const body = `3${extension}\r\nabc\r\n0\r\nETag: "c"\r\n\r\n`
  expect(await read(answer(chunked, body))).toMatchObject({ status: 0, stdout: 'abc' })
})

test.each(['abc', 'a line\nand another', ''])('the body %j without the frames of its head is whole', async (body) => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked'
  expect(await read(answer(chunked, body))).toMatchObject({ status: 0, stdout: body })
})

test.each([
  ['a line', 'A'],
  ['lines', 'a: b\r\n'],
])('a head with %s of 64 MiB is not read to its end', async (_, text) => {
  const octets = Buffer.alloc(64 * 2 ** 20, text)
  const head = Buffer.from('WARC/1.1\r\nWARC-Type: response\r\nA: b')
  const { status, stderr } = await read(gzipSync(Buffer.concat([head, octets])))
  expect({ status, stderr }).toEqual({
    status: 37,
    stderr: expect.stringContaining('the head of a record is too long'),
  })
})

test('a body that expands a thousand times is not read to its end', async () => {
  const bomb = gzipSync(Buffer.alloc(80 * 2 ** 20))
  const { status, stderr } = await read(answer('HTTP/1.1 200 OK\r\nContent-Encoding: gzip', bomb), '-o', 'file')
  expect({ status, stderr }).toEqual({ status: 63, stderr: expect.stringContaining('expands more than 250 times') })
})
