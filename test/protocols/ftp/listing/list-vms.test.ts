import { describe, expect, test } from 'vitest'
import { expectTable, list, shown } from '../support/ftp-listed.ts'

describe('VMS', () => {
  const ucx = [
    'Directory DISK$USER:[ANN]',
    '',
    'NAME.EXT;1               1/3           15-JAN-1997 12:34:56  [GROUP,OWNER]    (RWED,RWED,RE,)',
    'SUB.DIR;1                1/3            4-NOV-1996 04:09:01  [GROUP,OWNER]    (RWE,RWE,RE,RE)',
    '',
    'Total of 2 files, 2/6 blocks.',
  ]

  test('UCX: a size in blocks is no size; a directory is named as CWD wants it, a file with its version', async () => {
    expect(await list(...ucx)).toEqual([
      {
        name: 'NAME.EXT;1',
        kind: 'file',
        url: 'ftp://HOST/pub/NAME.EXT%3B1',
        modified: new Date('1997-01-15T12:34:56Z'),
        details: {
          blocks: 1,
          allocated: 3,
          date: '15-JAN-1997 12:34:56',
          owner: 'GROUP,OWNER',
          permissions: '(RWED,RWED,RE,)',
        },
      },
      {
        name: 'SUB',
        kind: 'directory',
        url: 'ftp://HOST/pub/SUB/',
        modified: new Date('1996-11-04T04:09:01Z'),
        details: {
          blocks: 1,
          allocated: 3,
          date: '4-NOV-1996 04:09:01',
          owner: 'GROUP,OWNER',
          permissions: '(RWE,RWE,RE,RE)',
        },
      },
    ])
  })

  test('MultiNet, TGV, TCPware, CMU, MadGoat', () =>
    expectTable([
      [
        'LOGIN.COM;2                 1   4-NOV-1994 04:09 [ANONYMOUS] (RWE,RWE,,)',
        'file - 1994-11-04 04:09 "LOGIN.COM;2"',
      ],
      [
        'PUB.DIR;1                   1  27-JAN-1994 14:46 [ANONYMOUS] (RWE,RWE,RE,RWE)',
        'directory - 1994-01-27 14:46 "PUB"',
      ],
      ['CAM-1.ZIP;1               299   4-SEP-1991 09:53', 'file - 1991-09-04 09:53 "CAM-1.ZIP;1"'],
      ['.WELCOME;1                 2  13-FEB-2002 23:32:40.47', 'file - 2002-02-13 23:32:40.470Z ".WELCOME;1"'],
      ['[VMSSERV.FILES]ALARM.DIR;1 1/3 5-MAR-1993 18:09', 'directory - 1993-03-05 18:09 "ALARM"'],
      ['DUA0:[ROHDATEN]1MECLH1.RAW;1     17/18         1-FEB-1994 15:14', 'file - 1994-02-01 15:14 "1MECLH1.RAW;1"'],
      [
        'VMS721.ISO;2 ******  6-MAY-2008 09:29 [ANONY,ANONYMOUS] (RE,RWED,RE,RE)',
        'file - 2008-05-06 09:29 "VMS721.ISO;2"',
      ],
      [
        '120196.TXT;1           118/126        14-APR-1997 12:45:27  [GROUP,OWNER]    (RWED,,RWED,RE)',
        'file - 1997-04-14 12:45:27 "120196.TXT;1"',
      ],
      [
        '1-JUN.LIS;1              9/9           2-jun-1998 07:32:04  [GROUP,OWNER]    (RWED,RWED,RWED,RE)',
        'file - 1998-06-02 07:32:04 "1-JUN.LIS;1"',
      ],
      [
        '00-INDEX.ALL;4        5-NOV-1992 14:43:39    18092/36     (RWED,RWED,R,R)',
        'file - 1992-11-05 14:43:39 "00-INDEX.ALL;4"',
      ],
      ['order;1   [SUMMARY]    1/3     2-AUG-2006 13:05  (RWE,RWE,RE,)', 'file - 2006-08-02 13:05 "order;1"'],
      ['notime.txt;1    2/8    15-JAN-2000    [IV2_XXX]   (RWED,RWED,RE,)', 'file - 2000-01-15 00:00 "notime.txt;1"'],
      ['month.txt;1    6/8    15-JUI-2002    PRONAS   (RWED,RWED,RE,)', 'file - - "month.txt;1"'],
      ['DIRBYDATE.ZIP;1      [USER,AI26]                      (RWED,RWED,RE,E)', 'file - - "DIRBYDATE.ZIP;1"'],
      ['.DIR;1                     2  13-FEB-2002 23:32', 'file - 2002-02-13 23:32 ".DIR;1"'],
      ['sub.dir;1                  2  13-FEB-2002 23:32', 'directory - 2002-02-13 23:32 "sub"'],
      ['NAME.ONLY;12', 'file - - "NAME.ONLY;12"'],
    ]))

  test('what stands beside the number of blocks does not pass for it', async () => {
    const entries = await list(
      'A.;1   4-NOV-1994 04:09 7/9 [1,1] (RE,,,)',
      'B.;1   [AP_HTTPD,APACHE$WWW       (RWE,RWE,RE,RE)',
      'C.;1   9223372036854775807/9223372036854775807  18-APR-2000 10:40:39.90',
    )
    expect(entries.map(({ details }) => details)).toEqual([
      { blocks: 7, allocated: 9, date: '4-NOV-1994 04:09', owner: '1,1', permissions: '(RE,,,)' },
      { owner: 'AP_HTTPD,APACHE$WWW', permissions: '(RWE,RWE,RE,RE)' },
      { date: '18-APR-2000 10:40:39.90' },
    ])
  })

  test('headlines and totals are no entries', async () => {
    const lines = [
      'Directory ANONYMOUS_ROOT:[000000]',
      'Directory A400$DKA300:[ANONYMOUS.PUB.MICHAEL]',
      'DISK$BIG1:[ANONYMOUS]',
      'SYS$SYSDEVICE:[FTP.KERBEROS_5]',
      'Total of 33 blocks in 12 files.',
      'Total of 1 block in 1 file.',
      'Total of 3 files, 5/9 blocks.',
      'Total of 5 Files, 8 Blocks.',
      'Total of 1 file.',
      'Total 14 files',
      'Grand total of 2 directories, 4 files, 30/40 blocks.',
    ]
    expect(await list(...lines)).toEqual([])
    const [entry] = await list('Total of my life.TXT;1  1  4-NOV-1994 04:09')
    expect(entry?.kind).toBe('other')
  })

  test('what may not be looked at is an entry all the same, with the server’s words', async () => {
    const violation = '%RMS-E-PRV, insufficient privilege or file protection violation'
    const entries = await list(
      `README.FTP;1        ${violation}`,
      'LOGIN.COM;2          no privilege for attempted operation',
      '1KBTEST.PTF;10\tNo privilege for attempted operation',
      `VMS.DIR;1          ${violation}`,
      'LONG_NAME_OF_A_FILE.TXT;1',
      `                      %${violation}`,
    )
    expect(entries.map(({ name, kind, details }) => [name, kind, details])).toEqual([
      ['README.FTP;1', 'file', { message: violation }],
      ['LOGIN.COM;2', 'file', { message: 'no privilege for attempted operation' }],
      ['1KBTEST.PTF;10', 'file', { message: 'No privilege for attempted operation' }],
      ['VMS', 'directory', { message: violation }],
      ['LONG_NAME_OF_A_FILE.TXT;1', 'file', { message: `%${violation}` }],
    ])
  })

  test('a long name has its fields on the next line, its protection perhaps on the third', async () => {
    const entries = await list(
      'UNZIP_AND_ATTACH_FILES.COM;12',
      '                        14/15         24-JUL-2002 14:35:40  [TRANSLATED]    (RWE,RWE,RWE,RE)',
      'INFO-EV-ARCHIVE.DIR;1',
      '                            1   8-NOV-1993 22:21 [ANONYMOUS] (RWE,RWE,RE,RE)',
      'DOCUMENTATION.DIR;1',
      '                           1   7-MAR-2002 12:19:37.45',
      'FILE123.DAT;1',
      '64   4-MAR-2019 00:04 [USR,USRGROUP] (RWED,RWED,RWED,R)',
      'A2PS.ZIP;1             111/117        17-MAY-1996 19:28:30  [USER,AI26]',
      '   (RWED,RWED,RE,RE)',
      'FREEWARE40.DIR;1        27/36',
      '         16-FEB-1999 10:01:46  [AP_HTTPD,APACHE$WWW]',
      '                               (RWE,RWE,RE,RE)',
      'LAST.ONE;1',
    )
    expect(entries.map((entry) => [shown(entry), entry.details?.blocks, entry.details?.permissions])).toEqual([
      ['file - 2002-07-24 14:35:40 "UNZIP_AND_ATTACH_FILES.COM;12"', 14, '(RWE,RWE,RWE,RE)'],
      ['directory - 1993-11-08 22:21 "INFO-EV-ARCHIVE"', 1, '(RWE,RWE,RE,RE)'],
      ['directory - 2002-03-07 12:19:37.450Z "DOCUMENTATION"', 1, undefined],
      ['file - 2019-03-04 00:04 "FILE123.DAT;1"', 64, '(RWED,RWED,RWED,R)'],
      ['file - 1996-05-17 19:28:30 "A2PS.ZIP;1"', 111, '(RWED,RWED,RE,RE)'],
      ['directory - 1999-02-16 10:01:46 "FREEWARE40"', 27, '(RWE,RWE,RE,RE)'],
      ['file - - "LAST.ONE;1"', undefined, undefined],
    ])
  })

  test('nothing but its own fields is joined to a name', async () => {
    const lines = [
      'NAME.ONE;1',
      'NAME.TWO;1',
      '     0           DIR   05-12-97   16:44  OS2',
      'NAME.THREE;1',
      '-rw-r--r--   1 ann      ann            27 Feb  3  2001 unix',
      'NAME.FOUR;1',
      '',
      '         1  8-NOV-1993 22:21',
      'NAME.FIVE;1',
      '[DIR]NAME.SIX;1   4  8-NOV-1993 22:21',
      'NAME.SEVEN;1   4  8-NOV-1993 22:21',
      '%DIRECT-W-NOFILES, no files found',
      'NAME.EIGHT;1   4  8-NOV-1993 22:21 [A] (RWE,RWE,RE,RE)',
      '         1  8-NOV-1993 22:21',
    ]
    expect((await list(...lines)).map(shown)).toEqual([
      'file - - "NAME.ONE;1"',
      'file - - "NAME.TWO;1"',
      'other - - "     0           DIR   05-12-97   16:44  OS2"',
      'file - - "NAME.THREE;1"',
      'file 27 2001-02-03 00:00 "unix"',
      'file - - "NAME.FOUR;1"',
      'other - - "         1  8-NOV-1993 22:21"',
      'file - - "NAME.FIVE;1"',
      'file - 1993-11-08 22:21 "NAME.SIX;1"',
      'file - 1993-11-08 22:21 "NAME.SEVEN;1"',
      'info - - "%DIRECT-W-NOFILES, no files found"',
      'file - 1993-11-08 22:21 "NAME.EIGHT;1"',
      'other - - "         1  8-NOV-1993 22:21"',
    ])
  })

  test('names that lead out of the directory are left out', async () => {
    const lines = ['../x;1', '...DIR;1', '..', '/x.DIR;1', ']..;1', '[A]/x;1', '..DIR;1', 'OK.;1']
    const entries = await list(...lines.map((name) => `${name}   1/3  15-JAN-1997 12:34`))
    expect(entries.filter(({ url }) => url !== null).map(({ url }) => url)).toEqual([
      'ftp://HOST/pub/..%3B1',
      'ftp://HOST/pub/OK.%3B1',
    ])
  })
})
