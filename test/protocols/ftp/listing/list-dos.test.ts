import { describe, expect, test } from 'vitest'
import { expectTable, list } from '../support/ftp-listed.ts'

describe('dir of DOS', () => {
  test('IIS and others', () =>
    expectTable([
      ['02-03-01  04:05AM       <DIR>          my dir', 'directory - 2001-02-03 04:05 "my dir"'],
      ['12-31-99  12:05PM                   27 hello world.txt', 'file 27 1999-12-31 12:05 "hello world.txt"'],
      ['12-25-10  12:00AM                    0 midnight', 'file 0 2010-12-25 00:00 "midnight"'],
      ['01-06-2009  02:42PM                  458 four digits', 'file 458 2009-01-06 14:42 "four digits"'],
      ['01-06-2009  02:42PM       <DIR>          four digits', 'directory - 2009-01-06 14:42 "four digits"'],
      ['12-05-96  17:03         <DIR>          24 hours', 'directory - 1996-12-05 17:03 "24 hours"'],
      ['02-03-2001  16:05                   27 24 hours', 'file 27 2001-02-03 16:05 "24 hours"'],
      ['2002-09-02  18:48       <DIR>          year first', 'directory - 2002-09-02 18:48 "year first"'],
      ['2002-09-02  19:06                9,730 year first', 'file 9730 2002-09-02 19:06 "year first"'],
      ['05/22/1997  08:08 AM               828 AUTOEXEC.BAK', 'file 828 1997-05-22 08:08 "AUTOEXEC.BAK"'],
      ['01-06-68  02:42AM                  458 century', 'file 458 2068-01-06 02:42 "century"'],
      ['01-06-69  02:42AM                  458 century', 'file 458 1969-01-06 02:42 "century"'],
      [
        '05-22-97  12:08                  5000000000 10 years and under',
        'file 5000000000 1997-05-22 12:08 "10 years and under"',
      ],
      ['02-03-01  04:05AM                   27 NAME.EXT;1', 'file 27 2001-02-03 04:05 "NAME.EXT;1"'],
    ]))

  test('links', () =>
    expectTable([
      ['01-01-00  01:00AM       <JUNCTION>     junction1 -> foo1', 'link - 2000-01-01 01:00 "junction1" -> "foo1"'],
      [
        '05-18-18  08:37AM       <SYMLINKD>     ..data [..2018_05_18]',
        'link - 2018-05-18 08:37 "..data" -> "..2018_05_18"',
      ],
      [
        '05-18-18  08:37AM       <SYMLINK>      labels [..data\\labels]',
        'link - 2018-05-18 08:37 "labels" -> "..data\\labels"',
      ],
      ['01-01-00  01:00AM       <JUNCTION>     a [b -> c', 'link - 2000-01-01 01:00 "a [b" -> "c"'],
      ['01-01-00  01:00AM       <JUNCTION>     no target', 'link - 2000-01-01 01:00 "no target"'],
      ['01-01-00  01:00AM                  458 a -> b [c]', 'file 458 2000-01-01 01:00 "a -> b [c]"'],
      ['11-02-09  05:32PM       <GARBAGE>      NT', 'other - 2009-11-02 17:32 "NT"'],
    ]))

  test('a name that begins with blanks, where the columns tell', () =>
    expectTable([
      ['01-01-00  01:00AM       <DIR>           dir2', 'directory - 2000-01-01 01:00 " dir2"'],
      ['01-01-00  01:00AM                95077  file2', 'file 95077 2000-01-01 01:00 " file2"'],
      ['01-01-00  01:00AM       <DIR>       dir1', 'directory - 2000-01-01 01:00 "dir1"'],
      ['01-01-00  01:00AM     <DIR>             dir2', 'directory - 2000-01-01 01:00 "dir2"'],
      ['01-01-00  01:00AM               95077  file1', 'file 95077 2000-01-01 01:00 "file1"'],
    ]))

  test('dates that are none are left out', () =>
    expectTable([
      ['13-05-97  01:00AM                  458 month', 'file 458 - "month"'],
      ['12-99-10  12:00AM                    0 day', 'file 0 - "day"'],
      ['12-25-10  99:00AM                    0 hour', 'file 0 - "hour"'],
      ['02-30-2001  12:00                    0 february', 'file 0 - "february"'],
    ]))

  test('the date as the server wrote it', async () => {
    const entries = await list('02-03-01  04:05AM       <DIR>          x')
    expect(entries.map(({ details }) => details)).toEqual([{ date: '02-03-01  04:05AM' }])
  })
})
