/** Bodies of which nothing proves that another answer is of the same: counted, and begun anew where that is safe. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { type Fields, reply } from '../support/http-answers.ts'
import { type HttpScript, type Reply, scriptedHttp } from '../support/scripted-http.ts'

const content = 'The quick brown fox jumps over the lazy dog.'

interface Got {
  readonly text: string
  readonly code: string
  readonly asked: readonly string[]
  readonly retried: readonly string[]
  readonly files: readonly string[]
}

/** The outcome of one retrieval, saved to a file where `save` says so. Tries follow without waits. */
async function get(
  script: HttpScript,
  request: RetrieveOptions = {},
  save = false,
  options: ClientOptions = {},
): Promise<Got> {
  await using server = await scriptedHttp(script)
  const events: RetrievalEvent[] = []
  const limits = { maxRetryDelay: 0, ...options.limits }
  await using client = createClient({ ...options, limits, onEvent: (event) => events.push(event) })
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
  let text = ''
  let code = ''
  try {
    const representation = await client.retrieve(server.url, request)
    if (save) {
      await representation.saveTo(join(folder, 'item'))
      text = await readFile(join(folder, 'item'), 'latin1')
    } else for await (const chunk of representation) text += Buffer.from(chunk).toString('latin1')
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    code = error.code
  }
  const files = await readdir(folder)
  await rm(folder, { recursive: true })
  const asked = server.asked.map(({ fields }) => fields.range ?? '')
  return { text, code, asked, retried: retries(events).map((error) => error.code), files }
}

/** The first octets of the content, and then the end. */
const cut = (octets: number, fields: Record<string, string | null> = {}, text = content): Reply => ({
  octets: reply('200', { 'Content-Length': String(content.length), ...fields }, text.slice(0, octets)),
  end: 'fin',
})

const chunks = (head: string, ...pieces: string[]): string => {
  const coded = [...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
  return `${head}Transfer-Encoding: chunked\r\n\r\n${coded.join('')}`
}

describe('a part in chunks is counted by its Content-Range', () => {
  const head = 'HTTP/1.1 206 P\r\nContent-Range: bytes 4-8/44\r\n'
  const tagged = `${head}ETag: "a"\r\n`
  const range = [4, 8] as const

  test('that it fits', async () => {
    expect(await get(() => chunks(head, 'qu', 'ick'), { range })).toMatchObject({ text: 'quick', code: '' })
  })

  test.each([
    ['longer', chunks(head, 'quick brown'), 'protocol-violation'],
    ['longer by a chunk', chunks(head, 'quick', ' brown'), 'protocol-violation'],
    ['longer, with an entity tag', chunks(tagged, 'quick brown'), 'protocol-violation'],
    ['longer by a chunk, with an entity tag', chunks(tagged, 'quick', ' brown'), 'protocol-violation'],
    ['shorter', chunks(head, 'qui'), 'partial'],
    ['nothing at all', chunks(head), 'partial'],
  ])('%s is no success', async (_, octets, code) => {
    for (const save of [false, true]) {
      const limits = { maxRetries: 0 }
      const result = await get(() => ({ octets, end: 'fin' }), { range }, save, { limits })
      expect(result).toMatchObject({ code, files: [] })
    }
  })
})

describe('a body that breaks off without a validator', () => {
  const kept = ['item.part', 'item.part.json']
  const serve =
    (first: Reply, then: Reply = { octets: reply('200', {}, content) }): HttpScript =>
    ({ index }) =>
      index === 0 ? first : then
  const fox = { text: content, code: '', retried: ['partial'] }

  test('begins anew where nothing has been given out', async () => {
    expect(await get(serve(cut(0)))).toMatchObject({ ...fox, asked: ['', ''] })
  })

  test('is partial where something has, and the octets go elsewhere', async () => {
    expect(await get(serve(cut(10)))).toMatchObject({ text: content.slice(0, 10), code: 'partial', asked: [''] })
  })

  test.each<[string, Reply, Reply?]>([
    ['with a length', cut(10)],
    ['with a weak tag', cut(10, { ETag: 'W/"a"' }), { octets: reply('200', { ETag: 'W/"a"' }, content) }],
    [
      'of a server without ranges',
      cut(10, { ETag: '"a"', 'Accept-Ranges': 'none' }),
      { octets: reply('200', { ETag: '"a"' }, content) },
    ],
    [
      'in chunks',
      { octets: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nThe q\r\n', end: 'fin' },
      { octets: chunks('HTTP/1.1 200 OK\r\n', content) },
    ],
    [
      'reset, without a length',
      { octets: 'HTTP/1.1 200 OK\r\n\r\nThe q', end: 'reset' },
      { octets: `HTTP/1.1 200 OK\r\n\r\n${content}`, end: 'fin' },
    ],
  ])('%s is saved whole: the file begins anew', async (_, first, then) => {
    expect(await get(serve(first, then), {}, true)).toMatchObject({ ...fox, asked: ['', ''], files: ['item'] })
  })

  test('a part, too', async () => {
    const part = (length: number): Reply => ({
      octets: reply('206', { 'Content-Range': 'bytes 4-8/44', 'Content-Length': '5' }, 'quick'.slice(0, length)),
      end: 'fin',
    })
    const result = await get(serve(part(2), part(5)), { range: [4, 8] }, true)
    expect(result).toMatchObject({ text: 'quick', asked: ['bytes=4-8', 'bytes=4-8'] })
  })

  test.each<[string, Reply]>([
    ['another length', { octets: reply('200', {}, `${content}!`) }],
    ['another date', { octets: reply('200', { 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' }, content) }],
    ['another type', { octets: reply('200', { 'Content-Type': 'text/html' }, content) }],
    ['a redirect', { octets: reply('302', { Location: '/x' }) }],
  ])('is partial where the server answers by %s: what was told of the first does not fit', async (_, then) => {
    expect(await get(serve(cut(10), then), {}, true)).toMatchObject({ code: 'partial', asked: ['', ''], files: kept })
  })

  test('is partial after another entity tag, though the date and the length are the same', async () => {
    const fields = (etag: string): Fields => ({ ETag: etag, 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' })
    for (const [one, other] of [
      ['W/"a"', 'W/"b"'],
      ['"a"', '"b"'],
    ] as const) {
      const first = cut(10, { ...fields(one), 'Accept-Ranges': 'none' })
      const then = { octets: reply('200', { ...fields(other), 'Accept-Ranges': 'none' }, content) }
      expect(await get(serve(first, then), {}, true)).toMatchObject({ code: 'partial', asked: ['', ''], files: kept })
    }
  })

  test('what has no body is none that broke off: 304 with a length', async () => {
    const octets = reply('304', { 'Content-Length': '44', ETag: '"a"' })
    const result = await get(() => octets, { headers: { 'If-None-Match': '"a"' }, http: { fail: false } })
    expect(result).toMatchObject({ text: '', code: '', asked: [''] })
  })

  test('each time is partial after maxRetries tries, and its part is kept', async () => {
    const result = await get(() => cut(10), {}, true, { limits: { maxRetries: 2 } })
    expect(result).toMatchObject({ code: 'partial', asked: ['', '', ''], files: kept })
  })

  test('each time behind much more than a mebibyte is partial after maxRetries tries, too', async () => {
    const size = 3 * 1024 * 1024
    const octets = reply('200', { 'Content-Length': String(size) }, Buffer.alloc(size - 1))
    const result = await get(() => ({ octets, end: 'fin' }), {}, true, { limits: { maxRetries: 2 } })
    expect(result.asked.length).toBeLessThanOrEqual(5)
    expect(result).toMatchObject({ code: 'partial', files: kept })
  })

  test('maxSize counts the octets of one try', async () => {
    const result = await get(serve(cut(30)), {}, true, { limits: { maxSize: content.length } })
    expect(result).toMatchObject(fox)
  })

  test('a decoded body is given as it came, and partial', async () => {
    const coded = { 'Content-Encoding': 'gzip' }
    const result = await get(
      serve(cut(10, coded, '\x1f\x8b\x08\0\0\0\0\0\0\x03')),
      { http: { compressed: true } },
      true,
    )
    expect(result).toMatchObject({ code: 'partial', files: [] })
  })
})
