import { EventEmitter, once } from 'node:events'
import { type ClientOptions, createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { part, reply } from '../support/http-answers.ts'
import { type Asked, type Reply, scriptedHttp } from '../support/scripted-http.ts'

const content = 'The quick brown fox jumps over the lazy dog.'
const etag = '"a"'
const modified = 'Sat, 03 Feb 2001 04:05:06 GMT'
const later = 'Sat, 03 Feb 2001 04:06:06 GMT'

interface Result {
  readonly text?: string
  readonly offset?: number
  readonly size?: number | null
  readonly error?: unknown
  /** Range and If-Range of each request. */
  readonly asked: readonly string[]
  readonly remarks: readonly string[]
  readonly retried: readonly string[]
  readonly before: string
}

/** Tells of each chunk that has come, by how many octets have. */
const progress = new EventEmitter()

/** The outcome of one retrieval. Tries follow without waits. */
async function retrieve(
  answer: (asked: Asked) => Reply | Promise<Reply>,
  options: RetrieveOptions = {},
  { limits, ...settings }: ClientOptions = {},
  segments: 'whole' | 'bytes' = 'whole',
): Promise<Result> {
  await using server = await scriptedHttp(answer, { segments })
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetryDelay: 0, ...limits },
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'progress') progress.emit(String(event.received))
    },
    ...settings,
  })
  let before = ''
  let outcome: Partial<Result>
  try {
    const representation = await client.retrieve(server.url, options)
    for await (const chunk of representation) before += Buffer.from(chunk).toString('latin1')
    outcome = { text: before, offset: representation.offset, size: representation.size }
  } catch (error) {
    outcome = { error }
  }
  await client.close()
  await server.closed()
  return {
    ...outcome,
    before,
    asked: server.asked.map(({ fields }) => [fields.range, fields['if-range']].filter(Boolean).join(' if ')),
    remarks: events.flatMap((event) => (event.type === 'remark' ? [event.message] : [])),
    retried: events.flatMap((event) => (event.type === 'retried' ? [event.error.code] : [])),
  }
}

/** The whole, of which so many octets come. */
const cut = (octets: number, fields: Record<string, string | null> = { ETag: etag }): Reply => ({
  octets: reply('200', { 'Content-Length': String(content.length), ...fields }, content.slice(0, octets)),
  end: 'fin',
})
const whole = (text: string = content, fields: Record<string, string | null> = { ETag: etag }): Reply => ({
  octets: reply('200', fields, text),
})
const isFirst = ({ index }: Asked): boolean => index === 0

describe.each(['whole', 'bytes'] as const)('a body that breaks off (R1, R2), sent %s', (segments) => {
  const complete = { text: content, offset: 0, size: content.length }

  const rest = (asked: Asked): Reply => ({ octets: part(asked, content, { ETag: etag }) })

  test('is taken up where a server without ranges sends the same representation once more', async () => {
    for (const fields of [{ ETag: etag }, { 'Last-Modified': modified, Date: later }]) {
      const answer = (asked: Asked): Reply => (isFirst(asked) ? cut(10, fields) : whole(content, fields))
      const result = await retrieve(answer, {}, {}, segments)
      expect(result).toMatchObject({ ...complete, retried: ['partial'] })
    }
  })

  test.each([
    ['of another size', content.slice(1), { ETag: etag }],
    ['of another entity tag', content, { ETag: '"b"' }],
    ['without one', content, {}],
  ])('is partial where a server without ranges sends a whole %s', async (_, text, fields) => {
    const answer = (asked: Asked): Reply => (isFirst(asked) ? cut(10) : whole(text, fields))
    const result = await retrieve(answer, {}, { limits: { maxRetries: 1 } }, segments)
    expect(result).toMatchObject({ before: content.slice(0, 10), error: { code: 'partial' } })
  })

  test('by its end, or a reset, is taken up', async () => {
    for (const end of ['fin', 'reset'] as const) {
      const answer = (asked: Asked): Reply =>
        isFirst(asked) ? { ...cut(10), end, after: once(progress, '10') } : rest(asked)
      const result = await retrieve(answer, {}, {}, segments)
      expect(result).toMatchObject({
        ...complete,
        asked: ['', 'bytes=10-43 if "a"'],
        retried: ['partial'],
        remarks: [],
      })
    }
  })

  test('by silence (R33) is taken up', async () => {
    const hang = (asked: Asked): Reply => (isFirst(asked) ? { octets: cut(10).octets } : rest(asked))
    const result = await retrieve(hang, {}, { limits: { idleTimeout: 500 } }, segments)
    expect(result).toMatchObject({ ...complete, asked: ['', 'bytes=10-43 if "a"'], retried: ['timeout'], remarks: [] })
  })

  test('as often as it breaks off, up to limits.maxRetries', async () => {
    const result = await retrieve(
      (asked) => {
        if (isFirst(asked)) return cut(4)
        const octets = part(asked, content, { ETag: etag })
        const head = octets.indexOf('\r\n\r\n') + 4
        return { octets: octets.subarray(0, head + 4), end: 'fin' }
      },
      {},
      { limits: { maxRetries: 10 } },
      segments,
    )
    expect(result).toMatchObject(complete)
    expect(result.asked).toEqual(['', ...Array.from({ length: 10 }, (_, n) => `bytes=${4 * (n + 1)}-43 if "a"`)])
  })

  test('fails where nothing more comes, after limits.maxRetries tries', async () => {
    const nothing = (asked: Asked): Reply => {
      if (isFirst(asked)) return cut(10)
      return {
        octets: part(asked, content, { ETag: etag })
          .toString('latin1')
          .replace(/\r\n\r\n.*/s, '\r\n\r\n'),
        end: 'fin',
      }
    }
    const result = await retrieve(nothing, {}, { limits: { maxRetries: 2 } }, segments)
    expect(result).toMatchObject({ before: content.slice(0, 10), error: { code: 'partial', phase: 'body' } })
    expect(result.asked).toEqual(['', 'bytes=10-43 if "a"', 'bytes=10-43 if "a"'])
    const never = await retrieve(nothing, {}, { limits: { maxRetries: 0 } }, segments)
    expect(never).toMatchObject({ before: content.slice(0, 10), asked: [''], error: { code: 'partial' }, retried: [] })
  })
})

describe('what a body is taken up by', () => {
  beforeAll(() => void vi.stubEnv('TZ', 'Asia/Tokyo'))
  afterAll(() => void vi.unstubAllEnvs())

  test.each<[string, Record<string, string | null>, string | null]>([
    ['a strong tag', { ETag: '"a"', 'Last-Modified': modified, Date: later }, '"a"'],
    ['a date of a minute ago', { 'Last-Modified': modified, Date: later }, modified],
    ['a date of less', { 'Last-Modified': modified, Date: 'Sat, 03 Feb 2001 04:06:05 GMT' }, null],
    [
      'a date in the form of asctime, which is GMT wherever we are',
      { 'Last-Modified': 'Sat Feb  3 04:05:06 2001', Date: later },
      modified,
    ],
    ['a date without Date', { 'Last-Modified': modified }, null],
    ['a weak tag', { ETag: 'W/"a"' }, null],
    ['a tag without quotes', { ETag: 'a' }, null],
    ['a weak tag and a date (RFC 9110 13.1.5)', { ETag: 'W/"a"', 'Last-Modified': modified, Date: later }, ''],
    ['nothing', {}, null],
    ['a strong tag of a server without ranges', { ETag: '"a"', 'Accept-Ranges': 'none' }, null],
  ])('%s', async (_, fields, ifRange) => {
    const result = await retrieve((asked) =>
      isFirst(asked) ? cut(10, fields) : { octets: part(asked, content, fields) },
    )
    if (ifRange === null) {
      expect(result).toMatchObject({ before: content.slice(0, 10), error: { code: 'partial' }, asked: [''] })
    } else {
      expect(result).toMatchObject({
        text: content,
        asked: ['', `bytes=10-43${ifRange === '' ? '' : ` if ${ifRange}`}`],
      })
    }
  })

  test('a date need not be told again where If-Range has it, and must where it has not', async () => {
    const dated = { 'Last-Modified': modified, Date: later }
    const bare = (first: Record<string, string>) =>
      retrieve((asked) => (isFirst(asked) ? cut(10, first) : { octets: part(asked, content) }))
    expect(await bare(dated)).toMatchObject({ text: content })
    expect(await bare({ ...dated, ETag: 'W/"a"' })).toMatchObject({ error: { code: 'partial' } })
  })

  test('a range goes on to its own end, a resumed body from its own beginning', async () => {
    const answer = (asked: Asked): Reply => {
      const octets = part(asked, content, { ETag: etag })
      return isFirst(asked) ? { octets: octets.subarray(0, octets.indexOf('\r\n\r\n') + 7), end: 'fin' } : { octets }
    }
    expect(await retrieve(answer, { range: [4, 8] })).toMatchObject({
      text: 'quick',
      offset: 4,
      size: 5,
      asked: ['bytes=4-8', 'bytes=7-8 if "a"'],
    })
    expect(await retrieve(answer, { resumeFrom: { offset: 35, etag } })).toMatchObject({
      text: 'lazy dog.',
      offset: 35,
      asked: ['bytes=35- if "a"', 'bytes=38-43 if "a"'],
    })
  })

  test('more than what is missing of a range is not it', async () => {
    const cut = await retrieve(
      (asked) => {
        const octets = part(asked, content, { ETag: etag })
        if (isFirst(asked)) return { octets: octets.subarray(0, octets.indexOf('\r\n\r\n') + 7), end: 'fin' }
        return { octets: reply('206', { ETag: etag, 'Content-Range': 'bytes 7-9/44' }, content.slice(7, 10)) }
      },
      { range: [4, 8] },
    )
    expect(cut).toMatchObject({ before: 'qui', error: { code: 'partial' } })
  })

  test('octets in a content coding are gone on with in that one alone', async () => {
    const coded = (second: string | null) =>
      retrieve((asked) =>
        isFirst(asked)
          ? cut(10, { ETag: etag, 'Content-Encoding': 'x-own' })
          : { octets: part(asked, content, { ETag: etag, 'Content-Encoding': second }) },
      )
    expect(await coded('x-own')).toMatchObject({ text: content })
    expect(await coded(null)).toMatchObject({ before: content.slice(0, 10), error: { code: 'partial' } })
  })
})

describe('what is not the rest (R7, R10, R11) never follows the octets before', () => {
  const other = content.toUpperCase()
  const wrong: [string, (asked: Asked) => Buffer][] = [
    ['another tag', (asked) => part(asked, other, { ETag: '"b"' })],
    ['a weak tag', (asked) => part(asked, other, { ETag: 'W/"a"' })],
    ['no tag', (asked) => part(asked, other)],
    ['an octet too late', (asked) => part(asked, content, { ETag: etag, 'Content-Range': 'bytes 11-44/45' })],
    ['from the beginning', (asked) => part(asked, content, { ETag: etag, 'Content-Range': 'bytes 0-33/44' })],
    ['of another total', (asked) => part(asked, content, { ETag: etag, 'Content-Range': 'bytes 10-43/45' })],
    ['more than asked for', () => reply('206', { ETag: etag, 'Content-Range': 'bytes 10-44/44' }, content.slice(9))],
    ['of another length', (asked) => part(asked, content, { ETag: etag, 'Content-Range': 'bytes 10-42/44' })],
    ['without Content-Range', (asked) => part(asked, content, { ETag: etag, 'Content-Range': null })],
    [
      'several parts',
      (asked) => part(asked, content, { ETag: etag, 'Content-Type': 'multipart/byteranges; boundary=x' }),
    ],
    ['the whole (R8)', () => reply('200', { ETag: '"b"' }, other)],
    ['a refusal of the range', () => reply('416', { 'Content-Range': 'bytes */3' })],
    ['a redirect', () => reply('302', { Location: '/other' })],
  ]

  test.each(wrong)('%s: asked once more, then partial', async (_, answer) => {
    const result = await retrieve((asked) => (isFirst(asked) ? cut(10) : { octets: answer(asked) }))
    expect(result).toMatchObject({ before: content.slice(0, 10), error: { code: 'partial', phase: 'body' } })
    expect(result.asked).toEqual(['', 'bytes=10-43 if "a"', 'bytes=10-43 if "a"'])
  })

  test.each(wrong)('%s, of one server of several', async (_, answer) => {
    const result = await retrieve((asked) => {
      if (isFirst(asked)) return cut(10)
      return { octets: asked.index === 1 ? answer(asked) : part(asked, content, { ETag: etag }) }
    })
    expect(result).toMatchObject({ text: content, retried: ['partial', 'partial'] })
  })

  test('an error that stays: partial, with what it was', async () => {
    const result = await retrieve((asked) => (isFirst(asked) ? cut(10) : { octets: reply('404', {}) }))
    expect(result).toMatchObject({
      before: content.slice(0, 10),
      error: { code: 'partial', phase: 'body', cause: { code: 'not-found', status: 404 } },
      asked: ['', 'bytes=10-43 if "a"'],
    })
    expect((result.error as Error).message).toMatch(
      /^http:\S+: The rest, from octet 10, could not be retrieved: The server has no/,
    )
  })

  test('an error that passes', async () => {
    const result = await retrieve((asked) => {
      if (isFirst(asked)) return cut(10)
      return { octets: asked.index < 3 ? reply('503', { 'Retry-After': '0' }) : part(asked, content, { ETag: etag }) }
    })
    expect(result).toMatchObject({ text: content, retried: ['partial', 'http-error', 'http-error'] })
  })

  test('less than asked for is gone on with (RFC 9110 15.3.7)', async () => {
    const result = await retrieve((asked) => {
      if (isFirst(asked)) return cut(10)
      const first = Number(/\d+/.exec(asked.fields.range ?? '')?.[0])
      const last = Math.min(first + 19, 43)
      return {
        octets: reply(
          '206',
          { ETag: etag, 'Content-Range': `bytes ${first}-${last}/44` },
          content.slice(first, last + 1),
        ),
      }
    })
    expect(result).toMatchObject({ text: content, asked: ['', 'bytes=10-43 if "a"', 'bytes=30-43 if "a"'] })
  })

  test.each(['0\r\n\r\n', ''])('more in chunks than announced is cut off (R5); last chunk %j', async (end) => {
    const result = await retrieve((asked) => {
      if (isFirst(asked)) return cut(10)
      const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Length': null }
      const chunk = `${content.slice(10)}!`
      return {
        octets: `${reply('206', { ETag: etag, 'Content-Range': 'bytes 10-43/44', ...chunked })}23\r\n${chunk}\r\n${end}`,
      }
    })
    expect(result).toMatchObject({ text: content })
  })

  test('octets behind a length are not part of it, and spoil the connection (R5)', async () => {
    const result = await retrieve(() => ({ octets: `${whole().octets}HTTP/1.1 200 OK\r\n\r\nrest` }))
    expect(result).toMatchObject({ text: content, asked: [''] })
  })
})

describe('resumeFrom', () => {
  const at = { offset: 10, size: 44, etag }
  const rest = { text: content.slice(10), offset: 10, size: 34, remarks: [] }
  const all = { text: content, offset: 0, size: 44 }
  const remark = (why: string) => [`${why.charAt(0).toUpperCase()}${why.slice(1)}; starting over.`]

  test.each<[string, NonNullable<RetrieveOptions['resumeFrom']>, string]>([
    ['a number', 10, ''],
    ['a strong tag', at, ' if "a"'],
    ['a date', { offset: 10, modified: new Date(modified) }, ` if ${modified}`],
    ['a tag and a date', { ...at, modified: new Date(0) }, ' if "a"'],
    ['a weak tag and a date', { offset: 10, etag: 'W/"a"', modified: new Date(modified) }, ''],
  ])('%s: the rest comes', async (_, resumeFrom, condition) => {
    const fields = { ETag: (resumeFrom as { etag?: string }).etag ?? etag, 'Last-Modified': modified }
    for (const segments of ['whole', 'bytes'] as const) {
      const result = await retrieve((asked) => ({ octets: part(asked, content, fields) }), { resumeFrom }, {}, segments)
      expect(result).toMatchObject({ ...rest, asked: [`bytes=10-${condition}`] })
    }
  })

  test('0 is the whole, a weak tag alone too', async () => {
    expect(await retrieve(() => whole(), { resumeFrom: 0 })).toMatchObject({ ...all, asked: [''], remarks: [] })
    expect(await retrieve(() => whole(), { resumeFrom: { offset: 10, etag: 'W/"a"' } })).toMatchObject({
      ...all,
      asked: [''],
      remarks: remark('its entity tag is a weak one'),
    })
  })

  test('the whole comes where the server sends it (R8)', async () => {
    expect(await retrieve(() => whole(), { resumeFrom: at })).toMatchObject({
      ...all,
      asked: ['bytes=10- if "a"'],
      remarks: remark('the server cannot resume'),
    })
    expect(await retrieve(() => whole(content, { ETag: '"b"' }), { resumeFrom: at })).toMatchObject({
      ...all,
      asked: ['bytes=10- if "a"'],
      remarks: remark('it has changed since'),
    })
  })

  test.each<[string, (asked: Asked) => Buffer, string]>([
    ['another tag (R11)', (asked) => part(asked, content, { ETag: '"b"' }), 'it has changed since'],
    ['no tag (R10)', (asked) => part(asked, content), 'it has changed since'],
    ['another total', (asked) => part(asked, `${content}!`, { ETag: etag }), 'its size is 45 now, and was 44'],
    [
      'another start (R7)',
      (asked) => part(asked, content, { ETag: etag, 'Content-Range': 'bytes 9-42/44' }),
      'the server sends another part than the rest',
    ],
    [
      'several parts (R7)',
      (asked) =>
        part(asked, content, { ETag: etag, 'Content-Type': 'multipart/byteranges; boundary=x', 'Content-Range': null }),
      'the server sends another part than the rest',
    ],
    [
      'less',
      () => reply('206', { ETag: etag, 'Content-Range': 'bytes 10-12/44' }, 'abc'),
      'the server sends only a part of the rest',
    ],
    [
      'less, without a total',
      () => reply('206', { ETag: etag, 'Content-Range': 'bytes 10-12/*' }, 'abc'),
      'the server sends only a part of the rest',
    ],
    [
      '200 with a part',
      () => reply('200', { ETag: etag, 'Content-Range': 'bytes 10-43/44' }, content.slice(10)),
      'the server sends a part as if it were the whole',
    ],
    ['416 of a shorter one', () => reply('416', { 'Content-Range': 'bytes */9' }), 'the resource has only 9 octets'],
    ['416 of a longer one', () => reply('416', { 'Content-Range': 'bytes */99' }), 'it has changed since'],
    ['416 without a size', () => reply('416', {}), 'the server refuses the range'],
  ])('the whole is asked for where the answer is %s', async (_, answer, why) => {
    const result = await retrieve((asked) => (isFirst(asked) ? { octets: answer(asked) } : whole()), { resumeFrom: at })
    expect(result).toMatchObject({ ...all, asked: ['bytes=10- if "a"', ''], remarks: remark(why) })
  })

  test('a server that sends a part even then breaks the protocol', async () => {
    const octets = reply('206', { 'Content-Range': 'bytes 3-6/44' }, 'abcd')
    expect(await retrieve(() => ({ octets }), { resumeFrom: at })).toMatchObject({
      error: { code: 'protocol-violation', status: 206 },
      asked: ['bytes=10- if "a"', ''],
    })
  })

  test.each<[NonNullable<RetrieveOptions['resumeFrom']>, Record<string, string>, boolean]>([
    [44, {}, true],
    [{ offset: 44, size: 44, etag }, {}, true],
    [{ offset: 44, size: 44, etag }, { ETag: etag }, true],
    [{ offset: 44, etag }, { ETag: '"b"' }, false],
    [{ offset: 44, size: 50 }, {}, false],
    [{ offset: 44, modified: new Date(modified) }, {}, true],
    [{ offset: 44, modified: new Date(modified) }, { 'Last-Modified': later }, false],
    [{ offset: 44, modified: new Date(modified), etag: 'W/"a"' }, {}, false],
  ])('416 at the end (R9): %j, %j', async (resumeFrom, fields, isComplete) => {
    const result = await retrieve(
      (asked) =>
        isFirst(asked) ? { octets: reply('416', { 'Content-Range': 'bytes */44', ...fields }, 'No.') } : whole(),
      { resumeFrom },
    )
    if (isComplete) expect(result).toMatchObject({ text: '', offset: 44, size: 0, remarks: [] })
    else expect(result).toMatchObject({ ...all, remarks: remark('it has changed since') })
    expect(result.asked).toHaveLength(isComplete ? 1 : 2)
  })

  test('what is compressed on its way and decoded here is not gone on with', async () => {
    const coded = (asked: Asked): Reply =>
      isFirst(asked) ? { octets: part(asked, content, { ETag: etag, 'Content-Encoding': 'gzip' }) } : whole()
    expect(await retrieve(coded, { resumeFrom: at })).toMatchObject({
      ...rest,
      remarks: [expect.stringContaining('was not asked for (gzip)')],
    })
    expect(await retrieve(coded, { resumeFrom: at, http: { compressed: true } })).toMatchObject({
      ...all,
      remarks: remark('it is compressed on its way'),
    })
  })

  test.each([
    { offset: 1, etag: 'a' },
    { offset: 1, etag: '"a\r\n"' },
    { offset: 1, tag: '"a"' },
  ])('nothing is asked with %j', async (resumeFrom) => {
    const result = await retrieve(() => whole(), { resumeFrom })
    expect(result).toMatchObject({ error: { code: 'invalid-option' }, asked: [] })
  })
})

test('an abort in the wait before going on ends it, and leaves nothing open (R40)', async () => {
  await using server = await scriptedHttp((asked) => (isFirst(asked) ? cut(10) : whole()))
  const abort = new AbortController()
  await using client = createClient({
    onEvent: ({ type }) => {
      if (type === 'retried') setImmediate(() => abort.abort('enough'))
    },
  })
  const representation = await client.retrieve(server.url, { signal: abort.signal })
  await expect(representation.bytes()).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  await server.closed()
  expect(server.asked).toHaveLength(1)
})

test('a consumer that stops closes the connection of the rest too', async () => {
  const big = 'x'.repeat(100_000)
  await using server = await scriptedHttp((asked) =>
    isFirst(asked)
      ? { octets: reply('200', { ETag: etag, 'Content-Length': '200000' }, 'x'), end: 'fin' }
      : {
          octets: reply(
            '206',
            { ETag: etag, 'Content-Range': 'bytes 1-199999/200000', 'Content-Length': '199999' },
            big,
          ),
        },
  )
  await using client = createClient({ limits: { maxRetryDelay: 0 } })
  const representation = await client.retrieve(server.url)
  let length = 0
  for await (const chunk of representation) {
    length += chunk.length
    if (length > 1) break
  }
  await server.closed()
  expect(server.asked).toHaveLength(2)
})
