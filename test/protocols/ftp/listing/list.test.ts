import { describe, expect, test } from 'vitest'
import { expectTable, list, names } from '../support/ftp-listed.ts'

describe('EPLF', () => {
  test('facts, and a date that is exact', async () => {
    expect(await list('+i8388621.48594,m825718503,r,s280,up644,\tdjb.html', '+/,\t514', '+,\todd')).toEqual([
      {
        name: 'djb.html',
        kind: 'file',
        url: 'ftp://HOST/pub/djb.html',
        size: 280,
        modified: new Date(825_718_503_000),
      },
      { name: '514', kind: 'directory', url: 'ftp://HOST/pub/514/' },
      { name: 'odd', kind: 'other', url: 'ftp://HOST/pub/odd' },
    ])
  })

  test('numbers that are none are left out', () =>
    expectTable([
      ['+r,s-1,m825718503x,\ta', 'file - - "a"'],
      ['+r,s99999999999999999999,m999999999999999,\tb', 'file - - "b"'],
      ['+r,s1,\t a\tb', 'file 1 - " a\tb"'],
    ]))
})

describe('lines that are no entries', () => {
  test('the total is left out', async () => {
    expect(await list('total 0', 'total 12', 'Total 583', 'total: 0', 'total 4.0K')).toEqual([])
  })

  test('what the server’s program says to people leads nowhere', async () => {
    const lines = [
      'ls: x: Permission denied',
      '/bin/ls: bin: Permission denied',
      'ftpd: .: Permission denied',
      'ftpd-BSD: .: Permission denied',
      '%DIRECT-W-NOFILES, no files found',
      '*.*;               <%RMS-E-FNF, file not found>',
    ]
    expect(await list(...lines)).toEqual(lines.map((name) => ({ name, kind: 'info', url: null })))
  })

  test('a line of another kind is an entry that leads nowhere, and the lines around it are read', async () => {
    const good = '-rw-r--r--   1 ann      ann            27 Feb  3  2001 good'
    const bad = [
      '-rw-r--r-- broken',
      '-rw-r--r-- 1 ftp ftp 528 Feb 3',
      '-rw-r--r-- 1 ftp ftp 528 Feb 3 2001',
      '-rw-r--r-- 1 ftp ftp 528 Feb 3 2001 ',
      'zrwxr-xr-x   2 root     root         4096 Mar  2 2001 zxbox',
      'drwxr-xr-x 3 slopri devlab 512 dateless',
      '-rw-r--r-- 1 a a 27 lis 3 no year',
      '-rw-rw-rw- 1 noone nogroup 0 000 17 2025 no month',
      '+broken',
      '+r,s1,\t',
      '99 broken',
      '11-02-09  05:32PM                 -1   NT',
      '11-02-09  05:32PM       <DIR>',
      'README.TXT 2 18-APR-2000 10:40:39',
      'README.TXT;1 what is this',
      'PEP             36864 04/03/24 14:06:34 *DIR       dir1/',
      'SAVE01 3390   2004/06/23  1    1  FB     128  6144  PO    INCOMING.RPTBM024.D061704',
      'just words',
    ]
    const entries = await list(...bad.flatMap((line) => [line, good]))
    expect(entries).toHaveLength(2 * bad.length)
    bad.forEach((name, at) => {
      expect(entries[2 * at]).toEqual({ name, kind: 'other', url: null })
      expect(entries[2 * at + 1]).toMatchObject({ name: 'good', kind: 'file' })
    })
  })
})

describe('names that lead out of the directory have no URL, so that a walk knows of them, in every format', () => {
  const bad = ['../../.bashrc', '/etc/x', 'a/../../b', '..', '.', 'a\0b']
  const good = ['..\\x', 'C:x', 'a\x1b[2J', 'a\x7f', '...']

  test.each([
    ['ls', (name: string) => `-rw-r--r--   1 ann      ann            27 Feb  3  2001 ${name}`],
    ['dir', (name: string) => `02-03-01  04:05AM                   27 ${name}`],
    ['EPLF', (name: string) => `+r,s1,\t${name}`],
    ['a link', (name: string) => `lrwxrwxrwx   1 ann      ann            27 Feb  3  2001 ${name} -> x`],
  ])('%s', async (_, line) => {
    const entries = await list(...[...bad, ...good].map(line))
    expect(entries.filter(({ url }) => url === null)).toHaveLength(4)
    expect(entries.flatMap(({ url }) => url ?? [])).toEqual([
      'ftp://HOST/pub/..%5Cx',
      'ftp://HOST/pub/C%3Ax',
      'ftp://HOST/pub/a%1B%5B2J',
      'ftp://HOST/pub/a%7F',
      'ftp://HOST/pub/...',
    ])
  })

  test('the target of a link may be anything: it is not gone to', async () => {
    const entries = await list('lrwxrwxrwx   1 ann      ann            11 Feb  3  2001 x -> ../../../etc')
    expect(entries).toMatchObject([{ name: 'x', url: 'ftp://HOST/pub/x', details: { target: '../../../etc' } }])
    expect(names(entries)).toEqual(['x'])
  })
})
