import { readMessage } from '@retriever/fetchers/mime'
import { expect, test } from 'vitest'

async function dateOf(field: string): Promise<string | null> {
  const { date } = await readMessage(Buffer.from(`Date: ${field}\r\n\r\n`))
  return date?.toISOString() ?? null
}

test.each([
  ['Sat, 03 Feb 2001 04:05:06 +0100', '2001-02-03T03:05:06.000Z'],
  ['3 Feb 2001 04:05 -0330', '2001-02-03T07:35:00.000Z'],
  ['3 Feb 01 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
  ['3 Feb 49 00:00 UT', '2049-02-03T00:00:00.000Z'],
  ['3 Feb 50 00:00 UT', '1950-02-03T00:00:00.000Z'],
  ['Fri, 19 Nov 82 16:14:55 EST', '1982-11-19T21:14:55.000Z'],
  ['3 Feb 101 04:05:06 +0000', '2001-02-03T04:05:06.000Z'],
  ['3 Feb 2001 04:05:06 PDT', '2001-02-03T11:05:06.000Z'],
  ['3 Feb 2001 04:05:06 mst', '2001-02-03T11:05:06.000Z'],
  // RFC 5322 4.3: the letters of the military zones were defined wrongly, and say nothing.
  ['3 Feb 2001 04:05:06 A', '2001-02-03T04:05:06.000Z'],
  ['3 Feb 2001 04:05:06 z', '2001-02-03T04:05:06.000Z'],
  ['3 Feb 2001 04:05:06 CEST', '2001-02-03T04:05:06.000Z'],
  ['Sat, 03 Feb 2001 04:05:06 +0000 (UTC)', '2001-02-03T04:05:06.000Z'],
  ['Sat (day), 03 Feb (month (of winter)) 2001 04:05 (s) :06 +0000', '2001-02-03T04:05:06.000Z'],
  ['Sat,3 FEB 2001 4:05:06 +0000', '2001-02-03T04:05:06.000Z'],
  ['Saturday, 03-Feb-01 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
  ['31 Dec 1998 23:59:60 +0000', '1999-01-01T00:00:00.000Z'],
  ['29 Feb 2000 00:00:00 +0000', '2000-02-29T00:00:00.000Z'],
])('%s is a date (RFC 5322 3.3, 4.3)', async (field, date) => {
  expect(await dateOf(field)).toBe(date)
})

test.each([
  '30 Feb 2001 04:05:06 +0000',
  '29 Feb 2001 04:05:06 +0000',
  '31 Apr 2001 04:05:06 +0000',
  '0 Feb 2001 04:05:06 +0000',
  '3 Foo 2001 04:05:06 +0000',
  '3 Feb 2001 24:05:06 +0000',
  '3 Feb 2001 04:60:06 +0000',
  '3 Feb 2001 04:05:61 +0000',
  '3 Feb 2001 04:05:06 +2500',
  '3 Feb 2001 04:05:06 +0160',
  '3 Feb 2001 04:05:06 +00000',
  '3 Feb 1 04:05:06 +0000',
  '3 Feb 20011 04:05:06 +0000',
  '3 Feb 0001 04:05:06 +0000',
  '3 Feb 1899 04:05:06 +0000',
  '2001-02-03 04:05:06 +0000',
  '0',
  '',
])('%j is none', async (field) => {
  expect(await dateOf(field)).toBe(null)
})
