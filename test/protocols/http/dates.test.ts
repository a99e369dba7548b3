import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { reply } from './support/http-answers.ts'
import { scriptedHttp } from './support/scripted-http.ts'

async function modifiedOf(field: string): Promise<string | null> {
  await using server = await scriptedHttp(() => reply(200, { 'Last-Modified': field }))
  await using client = createClient()
  const { modified } = await client.retrieve(server.url)
  return modified?.toISOString() ?? null
}

test.each([
  ['Sat, 03 Feb 2001 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
  ['Saturday, 03-Feb-01 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
  ['Saturday, 03-Feb-96 04:05:06 GMT', '1996-02-03T04:05:06.000Z'],
  ['Sat Feb  3 04:05:06 2001', '2001-02-03T04:05:06.000Z'],
  ['Sat Feb 13 04:05:06 2001', '2001-02-13T04:05:06.000Z'],
  ['Sat, 3 Feb 2001 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
  ['sat, 03 feb 2001 04:05:06 utc', '2001-02-03T04:05:06.000Z'],
  ['Sat, 03 Feb 2001 04:05:06 +0130', '2001-02-03T02:35:06.000Z'],
  ['Sat, 03 Feb 2001 04:05:06', '2001-02-03T04:05:06.000Z'],
  ['2001-02-03T04:05:06.789+01:00', '2001-02-03T03:05:06.789Z'],
])('%s is a date (RFC 9110 5.6.7)', async (field, date) => {
  expect(await modifiedOf(field)).toBe(date)
})

test.each([
  'Fri, 30 Feb 2001 04:05:06 GMT',
  'Sat, 03 Feb 2001 24:05:06 GMT',
  'Sat, 03 Feb 2001 04:05:06 CEST',
  'Sat, 03 Feb 2001 04:05:06 +2500',
  'Sat, 03 Feb 2001 04:05:06 GMT, Sun, 04 Feb 2001 04:05:06 GMT',
  'Sat, 03 Feb 2001',
  'Invalid Date',
  '2001-02-30T04:05:06Z',
  '2001',
  '0',
  '-1',
])('%s is none', async (field) => {
  expect(await modifiedOf(field)).toBe(null)
})
