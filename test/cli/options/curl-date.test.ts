/** The dates of curl_getdate(3), with what curl 7.88 sends for each of them as If-Modified-Since. */
import { describe, expect, test } from 'vitest'
import { curlDate } from '../../../packages/cli/src/options/curl-date.ts'

const noon = 'Sun, 06 Nov 1994 08:49:37 GMT'
const midnight = 'Sun, 06 Nov 1994 00:00:00 GMT'

describe('dates of curl', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', noon],
    ['Sunday, 06-Nov-94 08:49:37 GMT', noon],
    ['Sun Nov  6 08:49:37 1994', noon],
    ['Nov  6 08:49:37 1994', noon],
    ['06-Nov-94 08:49:37', noon],
    ['1994 Nov 6 08:49:37', noon],
    ['GMT 08:49:37 06-Nov-94 Sunday', noon],
    ['94 6 Nov 08:49:37', noon],
    ['1994 Nov 6', midnight],
    ['1994.Nov.6', midnight],
    ['Sun/Nov/6/94/GMT', midnight],
    ['6 nov 94', midnight],
    ['Sun, 06 Nov 1994 08:49:37 CET', 'Sun, 06 Nov 1994 07:49:37 GMT'],
    ['06 Nov 1994 08:49:37 cest', 'Sun, 06 Nov 1994 06:49:37 GMT'],
    ['06 Nov 1994 08:49:37 EST', 'Sun, 06 Nov 1994 13:49:37 GMT'],
    ['06 Nov 1994 08:49:37 A', 'Sun, 06 Nov 1994 09:49:37 GMT'],
    ['06 Nov 1994 08:49:37 N', 'Sun, 06 Nov 1994 07:49:37 GMT'],
    ['06 Nov 1994 08:49:37 Z', noon],
    ['6 Nov 1994 PDT', 'Sun, 06 Nov 1994 07:00:00 GMT'],
    ['6 Nov 1994 NZST', 'Sat, 05 Nov 1994 12:00:00 GMT'],
    ['6 Nov 1994 +1400', 'Sat, 05 Nov 1994 10:00:00 GMT'],
    ['6 Nov 1994 8:49', 'Sun, 06 Nov 1994 08:49:00 GMT'],
    ['6 Nov 1994 8:49:1', 'Sun, 06 Nov 1994 08:49:01 GMT'],
    ['6 Nov 1994 08:49:60', 'Sun, 06 Nov 1994 08:50:00 GMT'],
    ['Sun, 06 Nov 1994 08:49:37 GMT extra', noon],
    ['Sun, 12 Sep 2004 15:05:58 -0700', 'Sun, 12 Sep 2004 22:05:58 GMT'],
    ['20040912 15:05:58 -0700', 'Sun, 12 Sep 2004 22:05:58 GMT'],
    ['20040911 +0200', 'Fri, 10 Sep 2004 22:00:00 GMT'],
    ['20040911', 'Sat, 11 Sep 2004 00:00:00 GMT'],
    ['31 Feb 2001', 'Sat, 03 Mar 2001 00:00:00 GMT'],
    ['6 Nov 70', 'Thu, 06 Nov 2070 00:00:00 GMT'],
    ['6 Nov 71', 'Sat, 06 Nov 1971 00:00:00 GMT'],
  ])('%s', (text, date) => expect(curlDate(text)?.toUTCString()).toBe(date))

  test.each([
    '2001-02-03',
    '2001-02-03T04:05:06Z',
    '06 Nov 1994 08:49:37 J',
    'November 6 1994',
    '6 Nov 1500',
    '32 Jan 2001',
    '6 Nov 1994 24:00:00',
    '6 Nov 1994 +1500',
    '1 2 2001',
    '2030',
    'backup-3',
    '',
  ])('%s is none', (text) => expect(curlDate(text)).toBeNull())
})
