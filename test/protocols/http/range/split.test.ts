import { createHash } from 'node:crypto'
import { createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { part, reply } from '../support/http-answers.ts'
import { type Asked, type HttpScript, type Reply, type ScriptedHttp, scriptedHttp } from '../support/scripted-http.ts'

const segment = 4 * 1024 * 1024
const total = 3 * segment + 1000
const etag = '"a"'
// A period that is prime to the segment's size: a segment in another place is seen.
const content = Buffer.alloc(
  total,
  Uint8Array.from({ length: 251 }, (_, n) => n),
)
const ranges = ['bytes=0-4194303', 'bytes=4194304-8388607', 'bytes=8388608-12582911', 'bytes=12582912-12583911']

const hash = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex')
const serve = (asked: Asked): Reply => ({ octets: part(asked, content, { ETag: etag }) })
const rangesOf = (server: ScriptedHttp): string[] => server.asked.map(({ fields }) => fields.range ?? '')

async function retrieve(answer: HttpScript, options: RetrieveOptions = { http: { split: 4 } }) {
  await using server = await scriptedHttp(answer)
  const events: RetrievalEvent[] = []
  await using client = createClient({ limits: { maxRetryDelay: 0 }, onEvent: (event) => events.push(event) })
  const representation = await client.retrieve(server.url, options)
  const outcome = await representation.bytes().then(
    (octets) => ({ hash: hash(octets), length: octets.length }),
    (error: unknown) => ({ error }),
  )
  await client.close()
  await server.closed()
  return {
    representation,
    events,
    ...outcome,
    ranges: rangesOf(server),
    asked: server.asked,
    accepted: server.sockets.length,
  }
}

describe('a large body over several connections', () => {
  const whole = { hash: hash(content), length: total }

  test.each([2, 4, 16])('%i of them: octet for octet the whole, and it looks like it', async (split) => {
    const result = await retrieve(serve, { http: { split } })
    expect(result).toMatchObject(whole)
    expect(result.ranges.toSorted()).toEqual(ranges.toSorted())
    expect(result.asked.map(({ fields }) => fields['if-range'])).toEqual([undefined, etag, etag, etag])
    expect(result.accepted).toBeGreaterThan(1)
    expect(result.accepted).toBeLessThanOrEqual(Math.min(split, 4))
    const { representation } = result
    expect(representation).toMatchObject({ size: total, offset: 0, etag, completeness: 'verified' })
    expect(representation.metadata).toMatchObject({
      status: 200,
      fields: [
        ['Content-Length', String(total)],
        ['ETag', etag],
      ],
    })
    expect({ ...representation.metadata, fields: undefined, reason: undefined }).toEqual({
      status: 200,
      headers: { 'content-length': String(total), etag },
    })
  })

  test('comes in order, whichever segment is there first', async () => {
    const waiting: (() => void)[] = []
    const result = await retrieve(async (asked) => {
      // Each is answered only once the one behind it was.
      const at = ranges.indexOf(asked.fields.range ?? '')
      if (at > 0 && at < 3) await new Promise<void>((resolve) => (waiting[at] = resolve))
      if (at > 1) setImmediate(() => waiting[at - 1]?.())
      return serve(asked)
    })
    expect(result).toMatchObject(whole)
  })

  test('is held in memory for so many segments as there are connections', async () => {
    await using server = await scriptedHttp(serve)
    await using client = createClient()
    const octets = (await client.retrieve(server.url, { http: { split: 2 } }))[Symbol.asyncIterator]()
    await octets.next()
    await expect.poll(() => server.asked.length).toBe(2)
    let length = 0
    const more = async (limit: number): Promise<void> => {
      while (length < limit) {
        const { value } = await octets.next()
        if (value === undefined) return
        length += value.length
      }
    }
    await more(segment / 2)
    expect(server.asked).toHaveLength(2)
    await more(segment + 1)
    await expect.poll(() => server.asked.length).toBe(3)
    await octets.return()
    await client.close()
    await server.closed()
  })

  test('nothing but the first segment is asked for before anybody reads, and a cancel ends all', async () => {
    await using server = await scriptedHttp(serve)
    await using client = createClient()
    const representation = await client.retrieve(server.url, { http: { split: 4 } })
    expect(rangesOf(server)).toEqual(ranges.slice(0, 1))
    await representation.cancel()
    await server.closed()
    expect(rangesOf(server)).toEqual(ranges.slice(0, 1))
  })

  test('one segment that breaks off is taken up', async () => {
    const result = await retrieve((asked) => {
      const octets = part(asked, content, { ETag: etag })
      return asked.fields.range === ranges[2] ? { octets: octets.subarray(0, 1000), end: 'fin' } : { octets }
    })
    expect(result).toMatchObject(whole)
    expect(result.ranges).toHaveLength(5)
    expect(result.ranges.some((range) => /^bytes=8389\d{3}-12582911$/.test(range))).toBe(true)
  })

  test('a segment of something else is asked for once more', async () => {
    let wrong = 0
    const result = await retrieve((asked) => {
      const isWrong = asked.fields.range === ranges[1] && wrong++ === 0
      return { octets: part(asked, content, { ETag: isWrong ? '"b"' : etag }) }
    })
    expect(result).toMatchObject(whole)
    expect(result.ranges.filter((range) => range === ranges[1])).toHaveLength(2)
  })

  test('and is partial then, with the octets before it and none behind', async () => {
    await using server = await scriptedHttp((asked) => ({
      octets: part(asked, content, { ETag: asked.fields.range === ranges[1] ? '"b"' : etag }),
    }))
    await using client = createClient({ limits: { maxRetryDelay: 0 } })
    const chunks: Uint8Array[] = []
    const reading = (async () => {
      for await (const chunk of await client.retrieve(server.url, { http: { split: 4 } })) chunks.push(chunk)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'partial', phase: 'body' })
    expect(Buffer.concat(chunks).equals(content.subarray(0, segment))).toBe(true)
    expect(rangesOf(server).filter((range) => range === ranges[1])).toHaveLength(2)
    await client.close()
    await server.closed()
  })

  test.each(['fails', 'stops'])('where one %s, the others end', async (way) => {
    await using server = await scriptedHttp((asked) => {
      if (asked.fields.range === ranges[2]) return undefined
      const isWrong = way === 'fails' && asked.fields.range === ranges[1]
      const fields = { ETag: isWrong ? '"b"' : etag, Connection: 'close' }
      return { octets: part(asked, content, fields), end: 'fin' }
    })
    await using client = createClient({ limits: { maxRetryDelay: 0 } })
    const octets = (await client.retrieve(server.url, { http: { split: 4 } }))[Symbol.asyncIterator]()
    let length = 0
    const read = async (limit: number): Promise<void> => {
      while (length < limit) length += (await octets.next()).value?.length ?? 0
    }
    await read(segment)
    await expect.poll(() => rangesOf(server)).toContain(ranges[2])
    if (way === 'fails') await expect(read(total)).rejects.toMatchObject({ code: 'partial' })
    else await octets.return()
    await server.closed()
  })

  test('conditions hold', async () => {
    await using server = await scriptedHttp(serve)
    await using client = createClient()
    await expect(client.retrieve(server.url, { http: { split: 4, ifNoneMatch: etag } })).rejects.toMatchObject({
      code: 'not-modified',
    })
    await expect(client.retrieve(server.url, { http: { split: 17 } })).rejects.toMatchObject({ code: 'invalid-option' })
  })
})

describe('where no ranges are proved, one connection brings the whole', () => {
  const small = content.subarray(0, 10_000)
  const first = 'bytes=0-4194303'

  test.each<[string, (asked: Asked) => Buffer, string[]]>([
    ['200', () => reply('200', { ETag: etag }, small), [first]],
    ['the whole in one segment', (asked) => part(asked, small, { ETag: etag }), [first]],
    ['no validator', (asked) => (asked.fields.range ? part(asked, small) : reply('200', {}, small)), [first, '']],
    [
      'no total',
      (asked) =>
        asked.fields.range
          ? part(asked, small, { ETag: etag, 'Content-Range': 'bytes 0-9999/*' })
          : reply('200', {}, small),
      [first, ''],
    ],
    [
      'another part',
      (asked) =>
        asked.fields.range
          ? part(asked, small, { ETag: etag, 'Content-Range': 'bytes 1-10000/20000' })
          : reply('200', {}, small),
      [first, ''],
    ],
    [
      '416, since it was empty then',
      (asked) => (asked.fields.range ? reply('416', { 'Content-Range': 'bytes */0' }) : reply('200', {}, small)),
      [first, ''],
    ],
  ])('%s', async (_, answer, asked) => {
    const result = await retrieve((each) => ({ octets: answer(each) }))
    expect(result).toMatchObject({ hash: hash(small), length: 10_000, ranges: asked })
    expect(result.representation).toMatchObject({ size: 10_000, offset: 0, metadata: { status: 200 } })
  })

  test('compressed is left out of a split body, and a remark says so', async () => {
    const result = await retrieve(serve, { http: { split: 4, compressed: true } })
    expect(result).toMatchObject({ hash: hash(content), length: total })
    expect(result.ranges.toSorted()).toEqual(ranges.toSorted())
    expect(result.asked.map(({ fields }) => fields['accept-encoding'])).toEqual(Array(4).fill('identity'))
    expect(remarks(result.events)).toEqual([
      expect.stringMatching(/^`http.compressed` has no effect: .* several connections/),
    ])
  })

  test.each<[string, RetrieveOptions, string]>([
    ['a range', { range: [0, 9] }, 'bytes=0-9'],
    ['resumeFrom', { resumeFrom: 5 }, 'bytes=5-'],
    ['HEAD', { head: true }, ''],
  ])('nor with %s', async (_, options, range) => {
    const result = await retrieve(
      (asked) => ({
        octets: asked.fields.range ? part(asked, small) : reply('200', { ETag: etag }, options.head ? '' : small),
      }),
      { http: { split: 4 }, ...options },
    )
    expect(result.ranges).toEqual([range])
  })
})
