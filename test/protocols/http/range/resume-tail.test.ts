/** resumeFrom with the last octets of what the caller has: what nothing else proves to be the same is compared. */
import { createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { part, reply } from '../support/http-answers.ts'
import { type Asked, type Segments, scriptedHttp } from '../support/scripted-http.ts'

const content = 'The quick brown fox jumps over the lazy dog.'
const tail = Buffer.from(content.slice(6, 10))
const from: RetrieveOptions['resumeFrom'] = { offset: 10, tail }

async function resumed(
  answer: (asked: Asked) => Buffer,
  resumeFrom: RetrieveOptions['resumeFrom'] = from,
  segments: Segments = 'whole',
) {
  await using server = await scriptedHttp(answer, { segments })
  const events: RetrievalEvent[] = []
  await using client = createClient({ limits: { maxRetryDelay: 0 }, onEvent: (event) => events.push(event) })
  const representation = await client.retrieve(server.url, { ...(resumeFrom !== undefined && { resumeFrom }) })
  const { offset, size } = representation
  const text = await representation.text()
  return { text, offset, size, remarks: remarks(events), asked: server.asked.map(({ fields }) => fields.range) }
}

const rest = { text: content.slice(10), offset: 10, size: 34, remarks: [] }
const all = { text: content, offset: 0, size: 44 }
const why = (obstacle: string) => [`${obstacle.charAt(0).toUpperCase()}${obstacle.slice(1)}; starting over.`]

describe('where nothing else proves that the resource is the same', () => {
  test.each<Segments>(['whole', 'bytes', [3]])('the tail comes again and is left out, sent %s', async (segments) => {
    expect(await resumed((asked) => part(asked, content), from, segments)).toEqual({ ...rest, asked: ['bytes=6-'] })
  })

  test('also where the caller has it all', async () => {
    const point = { offset: 44, tail: Buffer.from('dog.') }
    expect(await resumed((asked) => part(asked, content), point)).toMatchObject({ text: '', offset: 44, size: 0 })
  })

  test('other octets are of another representation, of which the whole comes', async () => {
    const other = content.toUpperCase()
    for (const segments of ['whole', 'bytes'] as const) {
      const result = await resumed(
        (asked) => (asked.index === 0 ? part(asked, other) : reply(200, {}, other)),
        from,
        segments,
      )
      expect(result).toMatchObject({
        ...all,
        text: other,
        remarks: why('it has changed since'),
        asked: ['bytes=6-', undefined],
      })
    }
  })

  test.each([
    ['shorter than the octets that are there', content.slice(0, 8)],
    ['that ends within the tail', content.slice(0, 9)],
  ])('one that is %s has too few', async (_, other) => {
    const result = await resumed((asked) => (asked.index === 0 ? part(asked, other) : reply(200, {}, other)))
    expect(result).toMatchObject({
      text: other,
      offset: 0,
      remarks: why(`the resource has only ${other.length} octets`),
    })
  })

  test('the answer must begin with the tail', async () => {
    const late = (asked: Asked): Buffer =>
      asked.index === 0 ? reply(206, { 'Content-Range': 'bytes 10-43/44' }, content.slice(10)) : reply(200, {}, content)
    expect(await resumed(late)).toMatchObject({ ...all, remarks: why('the server sends another part than the rest') })
  })
})

test('a strong validator needs no tail', async () => {
  const result = await resumed((asked) => part(asked, content, { ETag: '"a"' }), { offset: 10, etag: '"a"', tail })
  expect(result).toEqual({ ...rest, asked: ['bytes=10-'] })
})

test.each([Buffer.alloc(11), 'abcd', [1, 2]])('a tail of %j is refused', async (odd) => {
  await using client = createClient()
  const request = { resumeFrom: { offset: 10, tail: odd as Uint8Array } }
  await expect(client.retrieve('http://127.0.0.1/', request)).rejects.toMatchObject({ code: 'invalid-option' })
})
