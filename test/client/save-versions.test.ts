/** client.save() joins no two versions: the file is compared octet for octet with what the server has at last. */
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '@retriever/fetchers'
import { findPart } from '@retriever/fetchers/internal'
import { type Faults, startFtpServer, startGopherServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fields, part, reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'

let folder: string
let client: Client
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  client = createClient({ limits: { maxRetries: 0 } })
})
afterEach(async () => {
  await client.close()
  await rm(folder, { recursive: true })
})

const at = (name: string): string => join(folder, name)

/** A text of 20,000 octets in which every place tells which version it is of. */
const version = (letter: string, length = 20_000): string =>
  Array.from({ length: length / 10 }, (_, line) => `${letter}${String(line).padStart(8, '0')}\n`).join('')
const first = version('a')
const second = version('b')
/** Another beginning, and the same last octets. */
const otherHead = `b${first.slice(1)}`
const cutAt = 12_000

/** The file is this text, and nothing is left beside it. */
async function expectFile(text: string): Promise<void> {
  expect((await readFile(at('x'), 'latin1')) === text).toBe(true)
  expect((await readdir(folder)).filter((name) => name.startsWith('x'))).toEqual(['x'])
}

const before = 'Sat, 03 Feb 2001 04:05:06 GMT'
const after = 'Sat, 03 Feb 2001 04:05:07 GMT'

interface HttpCase {
  readonly was: Fields
  readonly is: Fields
  readonly text?: string
  /** True: the server sends the rest without a look at If-Range. */
  readonly ignoresCondition?: boolean
  /** The octets that stay; default 0. */
  readonly resumedFrom?: number
}

describe('over HTTP', () => {
  test.each<[string, HttpCase]>([
    ['the entity tag is another one', { was: { ETag: '"1"' }, is: { ETag: '"2"' } }],
    [
      'the entity tag is another one, and the date the same',
      {
        was: { ETag: '"1"', 'Last-Modified': before },
        is: { ETag: '"2"', 'Last-Modified': before },
      },
    ],
    [
      'the server sends the rest of another entity tag',
      { was: { ETag: '"1"' }, is: { ETag: '"2"' }, ignoresCondition: true },
    ],
    ['the date is another one', { was: { 'Last-Modified': before }, is: { 'Last-Modified': after } }],
    [
      'the server sends the rest of another date',
      {
        was: { 'Last-Modified': before },
        is: { 'Last-Modified': after },
        ignoresCondition: true,
      },
    ],
    [
      'the size is another one, and the date the same',
      {
        was: { 'Last-Modified': before },
        is: { 'Last-Modified': before },
        text: version('b', 21_000),
      },
    ],
    [
      'only a weak entity tag is another one',
      {
        was: { ETag: 'W/"1"', 'Last-Modified': before },
        is: { ETag: 'W/"2"', 'Last-Modified': before },
      },
    ],
    [
      'there is but a weak entity tag, and it is the same',
      { was: { ETag: 'W/"1"' }, is: { ETag: 'W/"1"' }, text: otherHead },
    ],
    ['there is nothing but an equal size', { was: {}, is: {}, text: otherHead }],
    ['there is nothing at all', { was: { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, is: {} }],
    [
      'it was modified just now, and again within the second',
      {
        was: { 'Last-Modified': new Date().toUTCString() },
        is: { 'Last-Modified': new Date().toUTCString() },
        text: otherHead,
      },
    ],
    [
      'it is the same by its entity tag',
      { was: { ETag: '"1"' }, is: { ETag: '"1"' }, text: first, resumedFrom: cutAt },
    ],
    [
      'it is the same by its date and a weak entity tag',
      {
        was: { ETag: 'W/"1"', 'Last-Modified': before },
        is: { ETag: 'W/"1"', 'Last-Modified': before },
        text: first,
        resumedFrom: cutAt,
      },
    ],
  ])('%s', async (_, { was, is, text = second, ignoresCondition = false, resumedFrom = 0 }) => {
    await using server = await scriptedHttp(() => {
      if (!('Transfer-Encoding' in was))
        return { octets: reply(200, was, first).subarray(0, cutAt - first.length), end: 'fin' }
      const chunk = `${cutAt.toString(16)}\r\n${first.slice(0, cutAt)}\r\n`
      return { octets: reply(200, was, chunk), end: 'fin' }
    })
    const url = `${server.url}x`
    expect(await failure(client.save(url, at('x')))).toMatchObject({ code: 'partial' })
    expect((await readFile(at('x.part'), 'latin1')) === first.slice(0, cutAt)).toBe(true)
    server.script = (asked) => {
      const { range, 'if-range': condition } = asked.fields
      const isSame = condition === undefined || ignoresCondition || Object.values(is).includes(condition)
      return range !== undefined && isSame ? part(asked, text, is) : reply(200, is, text)
    }
    expect(await client.save(url, at('x'))).toMatchObject({ size: text.length, resumedFrom })
    await expectFile(text)
  })

  test('it changes a second time, while its rest is saved', async () => {
    const old = { ETag: '"1"' }
    await using server = await scriptedHttp(() => ({ octets: reply(200, old, first).subarray(0, -8000), end: 'fin' }))
    const url = `${server.url}x`
    expect(await failure(client.save(url, at('x')))).toMatchObject({ code: 'partial' })
    server.script = (asked) => ({ octets: part(asked, first, old).subarray(0, -4000), end: 'fin' })
    expect(await failure(client.save(url, at('x')))).toMatchObject({ code: 'partial' })
    expect(await findPart(at('x'))).toMatchObject({ length: 16_000 })
    server.script = () => reply(200, { ETag: '"2"' }, second)
    expect(await client.save(url, at('x'))).toMatchObject({ resumedFrom: 0 })
    await expectFile(second)
  })
})

describe('over FTP', () => {
  interface FtpCase {
    readonly text: string
    readonly faults?: Faults
    readonly wasFaults?: Faults
    readonly resumedFrom?: number
  }

  const noDate = { replies: { MDTM: '500 what?\r\n' } }

  test.each<[string, FtpCase]>([
    ['the date is another one', { text: otherHead, faults: { replies: { MDTM: '213 20010203040507\r\n' } } }],
    ['the size is another one', { text: version('a', 21_000) }],
    ['the octets are others, and size and date the same', { text: second }],
    ['the server forgets where to begin', { text: first, faults: { ignoreRestart: true } }],
    ['the server tells no date', { text: otherHead, faults: noDate, wasFaults: noDate }],
    [
      'the server tells no size and no date',
      {
        text: otherHead,
        faults: { replies: { MDTM: '500 what?\r\n', SIZE: '500 what?\r\n' } },
      },
    ],
    ['it is the same', { text: first, resumedFrom: cutAt }],
  ])('%s', async (_, { text, faults = {}, wasFaults = {}, resumedFrom = 0 }) => {
    const old = await startFtpServer({ files: { '/x': first }, faults: { ...wasFaults, cutAfter: cutAt } })
    const url = `${old.url}x`
    expect(await failure(client.save(url, at('x')))).toMatchObject({ code: 'partial' })
    const kept = await readFile(at('x.part'), 'latin1')
    expect(first.startsWith(kept) && kept.length).toBe(cutAt)
    await old.close()
    await using now = await startFtpServer({ files: { '/x': text }, port: old.port, faults })
    expect(now.url).toBe(old.url)
    expect(await client.save(url, at('x'))).toMatchObject({ size: text.length, resumedFrom })
    await expectFile(text)
  })
})

test('over Gopher, which tells nothing, it comes whole again', async () => {
  // The NUL makes it no text, whose line ends would change.
  const binary = `\0${first}`
  await using server = await startGopherServer({ files: { '/x.bin': binary }, faults: { resetAfter: cutAt } })
  const url = `${server.url}9/x.bin`
  await failure(client.save(url, at('x')))
  expect(await findPart(at('x'))).toMatchObject({ point: null })
  server.setFaults({})
  expect(await client.save(url, at('x'))).toMatchObject({ resumedFrom: 0 })
  await expectFile(binary)
})

test('of local files, one that was written again comes whole', async () => {
  const url = pathToFileURL(at('source')).href
  const time = new Date(before)
  await writeFile(at('source'), second)
  await utimes(at('source'), time, time)
  for (const [old, resumedFrom] of [
    ['1999-01-01T00:00:00.000Z', 0],
    [time.toISOString(), cutAt],
  ] as const) {
    await writeFile(at('x.part'), second.slice(0, cutAt))
    const record = { url, etag: null, modified: old, size: second.length, length: cutAt, writer: null }
    await writeFile(at('x.part.json'), JSON.stringify(record), { mode: 0o600 })
    expect(await client.save(url, at('x'))).toMatchObject({ resumedFrom })
    await expectFile(second)
  }
})
