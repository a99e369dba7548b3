import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { reply } from './http-answers.ts'
import { scriptedHttp } from './scripted-http.ts'

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
])('not modified: %s', async (_, ifNoneMatch, answer) => {
  const result = await retrieve(answer, { ifNoneMatch })
  expect(result.error).toMatchObject({ code: 'not-modified', phase: 'request' })
  expect((result.error as Error).message).toMatch(/: It has not been modified: its entity tag is the same\. \(\d+ x\)$/)
  expect(result.fields).toMatchObject({ 'if-none-match': ifNoneMatch })
})

test.each<[string, string, Record<string, string>]>([
  ['another tag', '"a"', { ETag: '"b"' }],
  ['none', '"a"', {}],
  ['a part of one of a list', '"ab", "b"', { ETag: '"a"' }],
])('modified: %s', async (_, ifNoneMatch, fields) => {
  expect(await retrieve(whole(fields), { ifNoneMatch })).toMatchObject({ text: 'hello', etag: fields.ETag ?? null })
})

test('where there is a tag, the date does not count (RFC 9110 13.1.3)', async () => {
  const fields = { ETag: '"b"', 'Last-Modified': 'Sat, 03 Feb 2001 04:05:06 GMT' }
  const ifChangedSince = new Date('2002-01-01')
  expect(await retrieve(whole(fields), { ifNoneMatch: '"a"', ifChangedSince })).toMatchObject({ text: 'hello' })
  expect(await retrieve(whole(fields), { ifChangedSince })).toMatchObject({ error: { code: 'not-modified' } })
})

test('an error is an error, and 304 to no condition is none of the answers there are', async () => {
  const missing = await retrieve(reply('404', tag), { ifNoneMatch: '"a"' })
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
  const result = await retrieve(part, { headers, compressed: true, split: 4 })
  expect(result).toMatchObject({ text: 'ell', fields: { range: headers.range, 'accept-encoding': 'identity' } })
  expect(await retrieve(whole(tag), { headers })).toMatchObject({ text: 'hello' })
  expect(await retrieve(part, {})).toMatchObject({ error: { code: 'protocol-violation' } })
  await using server = await scriptedHttp(() => ({ octets: part }))
  await using client = createClient()
  const response = await client.fetch(server.url, { headers })
  expect([response.status, await response.text()]).toEqual([206, 'ell'])
})
