import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { describe, expect, test } from 'vitest'
import { part, redirectTo, reply } from './support/http-answers.ts'
import { type HttpScript, scriptedHttp } from './support/scripted-http.ts'

async function retrieve(answer: Buffer, options: RetrieveOptions) {
  await using server = await scriptedHttp(() => answer)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const outcome: { text?: string; etag?: string | null; error?: unknown } = await client
    .retrieve(server.url, options)
    .then(
      async (representation) => ({ text: await representation.text(), etag: representation.etag }),
      (error: unknown) => ({ error }),
    )
  return { ...outcome, fields: server.asked[0]?.fields }
}

const tag = { ETag: '"a"' }
const whole = (fields: Record<string, string>): Buffer => reply('200', fields, 'hello')

test.each<[string, string, Buffer]>([
  ['304', '"a"', reply('304', tag)],
  ['304 without a tag', '"a"', reply('304', {})],
  ['a server that knows no conditions', '"a"', whole(tag)],
  ['of a list', '"x", W/"y,z" , "a"', whole(tag)],
  ['a weak tag for a strong one (RFC 9110 13.1.2)', 'W/"a"', whole(tag)],
  ['a strong tag for a weak one', '"a"', whole({ ETag: 'W/"a"' })],
  ['whatever there is', '*', whole(tag)],
  ['whatever there is, with blanks', ' * ', whole(tag)],
])('not modified: %s', async (_, ifNoneMatch, answer) => {
  const result = await retrieve(answer, { http: { ifNoneMatch } })
  expect(result.error).toMatchObject({ code: 'not-modified', phase: 'request' })
  expect((result.error as Error).message).toMatch(/: It has not been modified: its entity tag is the same\. \(\d+ x\)$/)
  expect(result.fields).toMatchObject({ 'if-none-match': ifNoneMatch.trim() })
})

test.each<[string, string, Record<string, string>]>([
  ['another tag', '"a"', { ETag: '"b"' }],
  ['none', '"a"', {}],
  ['a part of one of a list', '"ab", "b"', { ETag: '"a"' }],
])('modified: %s', async (_, ifNoneMatch, fields) => {
  expect(await retrieve(whole(fields), { http: { ifNoneMatch } })).toMatchObject({
    text: 'hello',
    etag: fields.ETag ?? null,
  })
})

test('where there is a tag, the date does not count (RFC 9110 13.1.3)', async () => {
  const fields = { ETag: '"b"', 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' }
  const ifChangedSince = new Date('2002-01-01')
  expect(await retrieve(whole(fields), { http: { ifNoneMatch: '"a"' }, ifChangedSince })).toMatchObject({
    text: 'hello',
  })
  expect(await retrieve(whole(fields), { ifChangedSince })).toMatchObject({ error: { code: 'not-modified' } })
})

test('ifUnchangedSince: what is newer does not come, also from a server that knows no such condition', async () => {
  const modified = { 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' }
  const before = { ifUnchangedSince: new Date('2001-02-03T04:05:05Z') }
  const result = await retrieve(whole(modified), before)
  expect(result.error).toMatchObject({ code: 'not-modified', status: 200 })
  expect(result.fields).toMatchObject({ 'if-unmodified-since': 'Sat, 03 Feb 2001 04:05:05 GMT' })
  expect(await retrieve(reply('412', {}), before)).toMatchObject({ error: { code: 'not-modified', status: 412 } })
  expect(await retrieve(reply('412', {}), {})).toMatchObject({ error: { code: 'http-error' } })
  const same = { ifUnchangedSince: new Date('2001-02-03T04:05:06Z') }
  expect(await retrieve(whole(modified), same)).toMatchObject({ text: 'hello' })
})

test('an error is an error, and 304 to no condition is none of the answers there are', async () => {
  const missing = await retrieve(reply('404', tag), { http: { ifNoneMatch: '"a"' } })
  expect(missing).toMatchObject({ error: { code: 'not-found' } })
  expect(await retrieve(reply('304', tag), {})).toMatchObject({ error: { code: 'protocol-violation' } })
})

test.each(['If-None-Match', 'if-modified-since'])('%s among the headers is a condition, too', async (name) => {
  const headers = { [name]: 'x' }
  const result = await retrieve(reply('304', tag), { headers })
  expect(result.error).toMatchObject({ code: 'not-modified', status: 304 })
  expect(await retrieve(whole(tag), { headers })).toMatchObject({ text: 'hello' })
  await using server = await scriptedHttp(() => ({ octets: reply('304', tag) }))
  await using client = createClient()
  const response = await client.fetch(server.url, { headers })
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, '"a"', ''])
})

test('Range among the headers is a range, in octets that the server keeps', async () => {
  const part = reply('206', { ...tag, 'Content-Range': 'bytes 1-3/5' }, 'ell')
  const headers = { range: 'bytes=-4,1-3' }
  const result = await retrieve(part, { headers, http: { compressed: true, split: 4 } })
  expect(result).toMatchObject({ text: 'ell', fields: { range: headers.range, 'accept-encoding': 'identity' } })
  expect(await retrieve(whole(tag), { headers })).toMatchObject({ text: 'hello' })
  expect(await retrieve(part, {})).toMatchObject({ error: { code: 'protocol-violation' } })
  await using server = await scriptedHttp(() => ({ octets: part }))
  await using client = createClient()
  const response = await client.fetch(server.url, { headers })
  expect([response.status, await response.text()]).toEqual([206, 'ell'])
})

describe('what the caller knows of a resource is not told to another origin', () => {
  const etag = '"tracks-alice"'
  const modified = new Date('2001-02-03T04:05:06Z')
  const told = /^(?:if-|range)/

  /** Retrieves from a server that redirects to another one, and gives the conditions and ranges that came there. */
  async function redirected(script: HttpScript, options: RetrieveOptions) {
    await using second = await scriptedHttp(script)
    await using first = await scriptedHttp(() => redirectTo(second.url))
    await using client = createClient({ limits: { maxRetries: 0 } })
    const outcome: { text?: string; offset?: number; error?: unknown } = await client.retrieve(first.url, options).then(
      async (representation) => ({ text: await representation.text(), offset: representation.offset }),
      (error: unknown) => ({ error }),
    )
    const conditions = second.asked.map(({ fields }) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => told.test(name))),
    )
    return { ...outcome, conditions, first: first.asked[0]?.fields }
  }

  test.each<[string, RetrieveOptions, string]>([
    ['an entity tag', { http: { ifNoneMatch: etag } }, 'if-none-match'],
    ['a date', { ifChangedSince: modified }, 'if-modified-since'],
  ])('%s', async (_what, options, field) => {
    const result = await redirected(() => reply('200', { ETag: '"other"' }, 'hello'), options)
    expect(result.text).toBe('hello')
    expect(result.conditions).toEqual([{}])
    expect(result.first).toHaveProperty(field)
  })

  test.each<[string, RetrieveOptions]>([
    ['an entity tag', { http: { ifNoneMatch: etag } }],
    ['a date', { ifChangedSince: modified }],
  ])('%s is compared with what comes from there', async (_what, options) => {
    const fields = { ETag: etag, 'Last-Modified': modified.toUTCString() }
    const result = await redirected(() => reply('200', fields, 'hello'), options)
    expect(result.error).toMatchObject({ code: 'not-modified' })
    expect(result.conditions).toEqual([{}])
  })

  test.each([
    ['the tag that is known', { ETag: etag }, { etag }],
    ['the date that is known', { 'Last-Modified': modified.toUTCString() }, { modified }],
  ])('a rest goes on where it comes with %s', async (_what, fields, known) => {
    const resumeFrom = { offset: 2, size: 5, ...known }
    const result = await redirected((asked) => part(asked, 'hello', fields), { resumeFrom })
    expect(result).toMatchObject({ text: 'llo', offset: 2 })
    expect(result.conditions).toEqual([{ range: 'bytes=2-' }])
    expect(result.first).toHaveProperty('if-range')
  })

  test.each([
    ['another tag', { ETag: '"other"' }, { etag }],
    ['no tag', {}, { etag }],
    ['no date', {}, { modified }],
  ])('the whole comes where the rest would come with %s', async (_what, fields, known) => {
    const script: HttpScript = (asked) =>
      asked.fields.range === undefined ? reply('200', fields, 'HELLO') : part(asked, 'HELLO', fields)
    const result = await redirected(script, { resumeFrom: { offset: 2, size: 5, ...known } })
    expect(result).toMatchObject({ text: 'HELLO', offset: 0 })
    expect(result.conditions).toEqual([{ range: 'bytes=2-' }, {}])
  })

  test.each<[string, RetrieveOptions, string]>([
    ['a range', { range: [2, 4] }, 'bytes=2-4'],
    ['a bare offset, which is of no origin', { resumeFrom: 2 }, 'bytes=2-'],
  ])('but %s goes on', async (_what, options, range) => {
    const result = await redirected((asked) => part(asked, 'hello'), options)
    expect(result).toMatchObject({ text: 'llo', offset: 2, conditions: [{ range }] })
  })

  test('the cache asks by its own tag, which is of that origin', async () => {
    await using second = await scriptedHttp((asked) => {
      const fields = { ETag: etag, 'Cache-Control': 'max-age=0' }
      return asked.fields['if-none-match'] === etag ? reply('304', fields) : reply('200', fields, 'hello')
    })
    await using first = await scriptedHttp(() => redirectTo(second.url))
    await using client = createClient({ fetchers: [httpFetcher({ cache: 'memory' })] })
    for (let round = 0; round < 2; round++) expect(await (await client.retrieve(first.url)).text()).toBe('hello')
    expect(second.asked.map(({ fields }) => fields['if-none-match'])).toEqual([undefined, etag])
  })
})
