import { describe, expect, test, vi } from 'vitest'
import { expectTable, list, shown, utf8 } from '../support/ftp-listed.ts'

async function at<T>(now: string, run: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
  try {
    return await run()
  } finally {
    vi.useRealTimers()
  }
}

describe('ls -l', () => {
  test('columns', () =>
    expectTable([
      ['-rw-r--r--   1 ann      ann            27 Feb  3  2001 hello.txt', 'file 27 2001-02-03 00:00 "hello.txt"'],
      ['drwxr-xr-x   2 ann      ann          4096 Feb  3  2001 sub', 'directory - 2001-02-03 00:00 "sub"'],
      ['-rw-r--r--   1 1000     1000           27 Feb  3  2001 numbers', 'file 27 2001-02-03 00:00 "numbers"'],
      ['-rw-------+  1 9469            0 May  6  2011 no group', 'file 0 2011-05-06 00:00 "no group"'],
      ['-r--r--r-- 0125039 12 Nov 11 2005 neither', 'file 12 2005-11-11 00:00 "neither"'],
      ['-rw-r--r--   1 group domain user 531 Jan 29  2001 three', 'file 531 2001-01-29 00:00 "three"'],
      ['drwx------ 4 maxm Domain Users 512 Oct 2 2001 .metadata', 'directory - 2001-10-02 00:00 ".metadata"'],
      ['drwxr-xr-x   4 (?)      (?)          4096 Apr  8  2007 jigdo', 'directory - 2007-04-08 00:00 "jigdo"'],
      ['-rw-r--r--@  1 markuss  staff  0 May 17  2018 apple.csv', 'file 0 2018-05-17 00:00 "apple.csv"'],
      ['-rw-r--r--.  1 root root 5 May 17  2018 selinux', 'file 5 2018-05-17 00:00 "selinux"'],
      ['drwxr-x---+1464 chrism   chrism     41472 Feb 25 2009 glued', 'directory - 2009-02-25 00:00 "glued"'],
      ['drwxr-xr-x1732 266      111        90112 Jun 21  2001 .rda_2', 'directory - 2001-06-21 00:00 ".rda_2"'],
      ['-rw-r--r--   1 andrà    señor        27 Feb  3  2001 à', 'file 27 2001-02-03 00:00 "à"'],
      ['-rw-r--r--\t1\tann\tann\t27\tFeb\t3\t2001\ttabs', 'file 27 2001-02-03 00:00 "tabs"'],
      ['-rw-r--r--   1 1000     1000           27 Aug 12 2012 day', 'file 27 2012-08-12 00:00 "day"'],
    ]))

  test('sizes that are none are left out', () =>
    expectTable([
      ['-rw-r--r--   1 root     other  33.5k Feb  3  2001 rounded', 'file - 2001-02-03 00:00 "rounded"'],
      ['-rw-r--r--   1 ftp      ftp           -528 Nov 01  2007 negative', 'file - 2007-11-01 00:00 "negative"'],
      ['-rw-r--r-- 1 ftpadmin ftpadmin125435904 Apr  9  2008 glued', 'file - 2008-04-09 00:00 "glued"'],
      ['-rw-r--r-- 1 ftp ftp 99999999999999999999 Apr  9  2008 huge', 'file - 2008-04-09 00:00 "huge"'],
      ['-rw-r--r-- 1 ftp ftp 5000000000 Apr  9  2008 large', 'file 5000000000 2008-04-09 00:00 "large"'],
    ]))

  test('dates', () =>
    expectTable([
      ['-rw-r--r-- 1 a a 27 3 Feb 2001 day first', 'file 27 2001-02-03 00:00 "day first"'],
      ['-rw-r--r-- 1 a a 27 01 feb 2001 small', 'file 27 2001-02-01 00:00 "small"'],
      ['-rw-r--r-- 1 a a 27 2001-02-03 04:05 long-iso', 'file 27 2001-02-03 04:05 "long-iso"'],
      ['-rw-r--r-- 1 a a 27 2001-02-03 04:05:06.000000000 +0130 full', 'file 27 2001-02-03 02:35:06 "full"'],
      ['-rw-r--r-- 1 a a 27 2001-02-03 04:05:06 -0100 west', 'file 27 2001-02-03 05:05:06 "west"'],
      ['-rw-r--r-- 1 a a 27 2001-02-03 04:05:06.789000000 no zone', 'file 27 2001-02-03 04:05:06.789Z "no zone"'],
      ['-rw-r--r-- 1 a a 27 2001-02-03  iso', 'file 27 2001-02-03 00:00 "iso"'],
      ['-rw-r--r-- 1 a a 27 1999/10/12 17:12 slashes', 'file 27 1999-10-12 17:12 "slashes"'],
      ['-rw-r--r-- 1 a a 27 2004.07.15 dots', 'file 27 2004-07-15 00:00 "dots"'],
      ['-rw-r--r-- 1 a a 27 24-04-2003 17:12 day over 12', 'file 27 2003-04-24 17:12 "day over 12"'],
      ['-rw-r--r-- 1 a a 27 04-24-2003 17:12 month first', 'file 27 2003-04-24 17:12 "month first"'],
      ['-rw-r--r-- 1 a a 27 04-05-2003 17:12 nobody knows', 'file 27 - "nobody knows"'],
      ['-rw-r--r-- 1 a a 27 04-04-2003 17:12 the same', 'file 27 2003-04-04 17:12 "the same"'],
      ['-r-xr-xr-x 2 owner group 4512 01-jun-99 short', 'file 4512 1999-06-01 00:00 "short"'],
      ['-rwxr-xr-x 1 user group 9 Oct 08, 2002 09:47 VShell', 'file 9 2002-10-08 09:47 "VShell"'],
      ['-rw-r--r-- 1 a a 27 Jan 24 14:56:14 2025 ls -T', 'file 27 2025-01-24 14:56:14 "ls -T"'],
      ['-rw-r--r-- 1 a a 27 Feb 29  2004 leap', 'file 27 2004-02-29 00:00 "leap"'],
    ]))

  test('in the languages that are told apart', () =>
    expectTable([
      ['-r-xr-xr-x   2 root     other      2235 2.   Okt.  2003 de', 'file 2235 2003-10-02 00:00 "de"'],
      ['-rw-r--r-- 1 a a 27  3 Mär  2001 de', 'file 27 2001-03-03 00:00 "de"'],
      ['-rw-r--r-- 1 a a 27  3 févr. 2001 fr', 'file 27 2001-02-03 00:00 "fr"'],
      ['-rw-r--r-- 1 a a 27  3 déc.  2001 fr', 'file 27 2001-12-03 00:00 "fr"'],
      ['-rw-r--r-- 1 a a 27 ene  3  2001 es', 'file 27 2001-01-03 00:00 "es"'],
      ['-rwxrwxr-x 1 ftp ftp 123 23 май 2011 ru', 'file 123 2011-05-23 00:00 "ru"'],
      ['-rw-rw---- 1 ep1adm sapsys 0 6月 3日 2003年 試験.csv', 'file 0 2003-06-03 00:00 "試験.csv"'],
      ['-rwxr-xr-x 2 user group 4096 3월 2 2003 zxbox', 'file 4096 2003-03-02 00:00 "zxbox"'],
      // October in Croatian, November in Polish: the name is found, the month is not guessed.
      ['-rw-r--r-- 1 a a 27 lis 3 2001 hr or pl', 'file 27 - "hr or pl"'],
      ['-rw-r--r-- 1 14 staff 2000 lis 3 2001 numbers before it', 'file 2000 - "numbers before it"'],
      ['-rw-r--r-- 1 ann 27 3 lis 2001 without a group', 'file 27 - "without a group"'],
    ]))

  test('what has the shape of a date and is none is left out, and costs nothing else', () =>
    expectTable([
      ['-rw-r--r-- 1 a a 27 Feb 30 2001 day', 'file 27 - "day"'],
      ['-rw-r--r-- 1 a a 27 Feb 29 2001 no leap year', 'file 27 - "no leap year"'],
      ['-rw-r--r-- 1 a a 27 Aug 36 2001 36', 'file 27 - "36"'],
      ['-rw-r--r-- 1 a a 27 Feb 23 30:01 hour', 'file 27 - "hour"'],
      ['-rw-r--r-- 1 a a 27 Feb 23 10:61 minute', 'file 27 - "minute"'],
      ['-rw-r--r-- 1 a a 27 2012-30-07 00:31 month', 'file 27 - "month"'],
      ['-rw-r--r-- 1 a a 27 Feb 23 0099 year', 'file 27 - "year"'],
    ]))

  test('names', () =>
    expectTable([
      [
        '-rw-r--r--   1 ann      ann            27 Feb  3  2001 with spaces  .txt ',
        'file 27 2001-02-03 00:00 "with spaces  .txt "',
      ],
      [
        '-rw-r--r--   1 ann      ann            27 Feb  3  2001   two blanks',
        'file 27 2001-02-03 00:00 "  two blanks"',
      ],
      ['-rw-r--r--   1 ann      ann            27 2001-02-03 04:05  blank', 'file 27 2001-02-03 04:05 " blank"'],
      // A year as wide as a time: the blank is the column's.
      ['drwxr-xr-x 1 user01 ftp  512 Jan 29 1997  prog', 'directory - 1997-01-29 00:00 "prog"'],
      ['drwxr-xr-x 1 user01 ftp  512 Jan 29 1997   prog', 'directory - 1997-01-29 00:00 " prog"'],
      ['-rw-r--r--   1 ann      ann            27 Feb  3  2001 Feb 3 2001', 'file 27 2001-02-03 00:00 "Feb 3 2001"'],
      ['-rw-rw-rw-   1 user group 5840 Mar 19 2001 123 456 abc.csv', 'file 5840 2001-03-19 00:00 "123 456 abc.csv"'],
      ['-rw-r--r--   1 ann ann 27 Feb  3  2001 27 Mar 4 2002', 'file 27 2001-02-03 00:00 "27 Mar 4 2002"'],
      ['-rw-r--r--   1 ann ann 27 Feb  3  2001 04:05', 'file 27 2001-02-03 00:00 "04:05"'],
      ['-rw-r--r-- 1 ann ann 27 Feb 13 2001 5 Mar 12 2001 x', 'file 27 2001-02-13 00:00 "5 Mar 12 2001 x"'],
      ['-rw-r--r-- 1 ann 27 Feb 13 2001 5 Mar 12 2002 x', 'file 27 2001-02-13 00:00 "5 Mar 12 2002 x"'],
      ['-rw-r--r-- 1 ann ann 27 Feb  3  2001 a\rb', 'file 27 2001-02-03 00:00 "a\rb"'],
      ['-rw-r--r--   1 ann      ann            27 Feb  3  2001 a -> b', 'file 27 2001-02-03 00:00 "a -> b"'],
      ['-rw-r--r--   1 ann      ann            27 Feb  3  2001 NAME.EXT;1', 'file 27 2001-02-03 00:00 "NAME.EXT;1"'],
    ]))

  test('links, whose size is that of the target’s name', () =>
    expectTable([
      ['lrwxrwxrwx 1 0  0 3 Oct 12 2001 mirror -> pub', 'link - 2001-10-12 00:00 "mirror" -> "pub"'],
      ['lrwxrwxrwx 1 0  0 26 Sep 18 2008 pub', 'link - 2008-09-18 00:00 "pub"'],
      ['lrwxrwxrwx 1 0  0 6 Sep 18 2008 x -> a -> b', 'link - 2008-09-18 00:00 "x" -> "a -> b"'],
      ['lrwxrwxrwx 1 0  0 1 Sep 18 2008 x -> a -> b', 'link - 2008-09-18 00:00 "x -> a" -> "b"'],
      ['lrwxrwxrwx 1 0  0 99 Sep 18 2008 x -> a -> b', 'link - 2008-09-18 00:00 "x" -> "a -> b"'],
      ['lrwxrwxrwx 1 0  0 99 Sep 18  2008  -> x', 'link - 2008-09-18 00:00 " -> x"'],
    ]))

  test('devices have two numbers and no size', async () => {
    const lines = [
      'crw-rw-rw-   1 root     root       1,   3 Feb  3  2001 null',
      'crw-------   1 root     sys      109,767 Jul  2  2004 pci@1c,600000:devctl',
      'brw-r--r--   1 ftp      nogroup     83853 Jan 22  2001 odd',
      'srwxr-xr-x   1 root     root           0 Feb  3  2001 socket',
      '-rw-r--r--   1 root     root     109,767 Feb  3  2001 file',
    ]
    expect((await list(...lines)).map(({ name, kind, size, details }) => [name, kind, size, details?.device])).toEqual([
      ['null', 'other', undefined, '1,3'],
      ['pci@1c,600000:devctl', 'other', undefined, '109,767'],
      ['odd', 'other', undefined, undefined],
      ['socket', 'other', undefined, undefined],
      ['file', 'file', undefined, undefined],
    ])
  })

  test('the number of links that is glued to permissions is not part of them, also where eight columns come', async () => {
    const [entry] = await list('drwxr-xr-x1732 ann domain users 4096 Feb  3  2001 sub')
    expect(entry).toMatchObject({ name: 'sub', kind: 'directory', details: { permissions: 'drwxr-xr-x' } })
  })

  test('permissions and date as the server wrote them, since the zone is not known', async () => {
    const [entry] = await list('-rw-r--r--+  1 ann      ann            27 Feb  3  2001 x')
    expect(entry).toEqual({
      name: 'x',
      kind: 'file',
      url: 'ftp://HOST/pub/x',
      size: 27,
      modified: new Date('2001-02-03T00:00Z'),
      details: { permissions: '-rw-r--r--+', date: 'Feb 3 2001' },
    })
  })

  test.each([
    ['2026-08-15T12:00Z', 'Aug 15 11:59', '2026-08-15T11:59:00.000Z'],
    ['2026-08-15T12:00Z', 'Aug 14 23:59', '2026-08-14T23:59:00.000Z'],
    ['2026-08-15T12:00Z', 'Feb 20 04:05', '2026-02-20T04:05:00.000Z'],
    ['2026-08-15T12:00Z', 'Dec 24 04:05', '2025-12-24T04:05:00.000Z'],
    ['2026-08-15T12:00Z', '02-20 04:05', '2026-02-20T04:05:00.000Z'],
    ['2026-08-15T12:00Z', '26. Juli, 20:10', '2026-07-26T20:10:00.000Z'],
    ['2026-08-15T12:00Z', '8月 14日 20:10', '2026-08-14T20:10:00.000Z'],
    // Where the server is, it may be tomorrow, but not the day after.
    ['2026-08-15T12:00Z', 'Aug 16 11:59', '2026-08-16T11:59:00.000Z'],
    ['2026-08-15T12:00Z', 'Aug 16 12:01', '2025-08-16T12:01:00.000Z'],
    ['2027-01-01T00:30Z', 'Dec 31 23:59', '2026-12-31T23:59:00.000Z'],
    ['2027-01-01T00:30Z', 'Jan  1 14:20', '2027-01-01T14:20:00.000Z'],
    ['2027-01-01T00:30Z', 'Jan  3 04:05', '2026-01-03T04:05:00.000Z'],
    ['2026-12-31T20:00Z', 'Jan  1 05:59', '2027-01-01T05:59:00.000Z'],
    ['2026-08-15T12:00Z', 'Feb 29 04:05', '2024-02-29T04:05:00.000Z'],
    ['2028-03-01T12:00Z', 'Feb 29 04:05', '2028-02-29T04:05:00.000Z'],
    ['2103-08-15T12:00Z', 'Feb 29 04:05', '2096-02-29T04:05:00.000Z'],
    ['2026-08-15T12:00Z', 'Feb 30 04:05', undefined],
  ])('at %s, %s is %s: the last such time that has been', async (now, date, modified) => {
    const line = utf8(`-rw-r--r--   1 1000     1000            27 ${date} 2014 Invoices`)
    const [entry] = await at(now, () => list(line))
    expect(entry).toMatchObject({ name: '2014 Invoices', size: 27 })
    expect(entry?.modified?.toISOString()).toBe(modified)
  })

  test('a size that could be a day is none', async () => {
    const entries = await at('2026-09-15T12:00Z', () =>
      list(
        '-rw-r--r--   1 1000     1000           27 Aug 12 13:56 x',
        '-rw-r--r--   1 1000     1000           27 Aug 12  2001 x',
        '-rw-r--r--   1 1000     12             27 Aug 12 13:56 x',
        '-rw-r--r--   1 group domain 1000       27 Aug 12 13:56 x',
        '-rw-r--r--   1 14       may          2000 Aug 12  2001 x',
      ),
    )
    expect(entries.map(shown)).toEqual([
      'file 27 2026-08-12 13:56 "x"',
      'file 27 2001-08-12 00:00 "x"',
      'file 27 2026-08-12 13:56 "x"',
      'file 27 2026-08-12 13:56 "x"',
      'file 2000 2001-08-12 00:00 "x"',
    ])
  })
})
