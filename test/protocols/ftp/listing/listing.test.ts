import { createClient } from '@retriever/fetchers'
import { type FtpServerOptions, startFtpServer } from '@retriever/servers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { ftpMetadata } from '../../../support/metadata.ts'
import { runs } from '../../../support/runs.ts'
import { joined, list, listed, mlsd, names, nlst } from '../support/ftp-listed.ts'
import { type FtpPeer, type Script, scriptedFtp, sending } from '../support/scripted-ftp.ts'

async function embedded(options: FtpServerOptions, path: string) {
  await using server = await startFtpServer(options)
  await using client = createClient()
  const representation = await client.retrieve(`${server.url}${path}`)
  const entries = await entriesOf(representation)
  await client.close()
  await server.waitForConnections(0)
  return { entries, representation, received: server.received.filter((line) => line !== 'QUIT'), root: server.url }
}

describe('a directory of the embedded server', () => {
  test('MLSD has names, kinds, sizes, dates; each URL retrieves its entry', async () => {
    const { entries, representation, root } = await embedded({}, 'pub/')
    expect(representation).toMatchObject({ kind: 'listing', mediaType: 'text/plain', metadata: { format: 'mlsd' } })
    expect(names(entries)).toEqual([
      'a.bin',
      'a;type=d',
      'dots.txt',
      'empty.txt',
      'grüße.txt',
      'hello.txt',
      'name with spaces.txt',
      'nothing',
      'sub',
      'ÿ.txt',
    ])
    expect(entries[0]).toEqual({
      name: 'a.bin',
      kind: 'file',
      url: `${root}pub/a.bin`,
      size: 4096,
      modified: new Date('2001-02-03T04:05:06Z'),
      details: { 'unix.mode': '0644' },
    })
    expect(entries.at(-2)).toMatchObject({ kind: 'directory', url: `${root}pub/sub/` })
    expect(entries.at(-1)).toMatchObject({ url: `${root}pub/%FF.txt` })
  })

  test('each entry can be retrieved by its URL', async () => {
    await using server = await startFtpServer()
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(`${server.url}pub/`))
    for (const { url, kind, size } of entries) {
      const representation = await client.retrieve(url ?? '')
      expect(representation.kind).toBe(kind === 'directory' ? 'listing' : 'object')
      if (size !== undefined) expect(await representation.bytes()).toHaveLength(size)
      await representation.cancel()
    }
  })

  test('the body is the listing as text, with the line ends of this machine', async () => {
    await using server = await startFtpServer()
    await using client = createClient()
    const text = await (await client.retrieve(`${server.url}pub/;type=d`)).text()
    expect(text).toContain('a.bin\na;type=d\n')
    expect(text).not.toContain('\r')
  })

  test('MLSD unknown: LIST, then NLST, each with a data connection of its own', async () => {
    const withoutMlsd = { faults: { replies: { MLSD: '500 what?\r\n' } } }
    const first = await embedded(withoutMlsd, 'pub/')
    expect(first.received.slice(3)).toEqual(['TYPE A', 'EPSV', 'MLSD', 'EPSV', 'LIST'])
    expect(ftpMetadata(first.representation).format).toBe('list')
    expect(first.entries[0]).toMatchObject({
      name: 'a.bin',
      kind: 'file',
      size: 4096,
      modified: new Date('2001-02-03'),
    })
    expect(names(first.entries)).toContain('name with spaces.txt')
    const withoutBoth = { faults: { replies: { MLSD: '502 no\r\n', LIST: '504 no\r\n' } } }
    const second = await embedded(withoutBoth, 'pub/')
    expect(second.received.slice(3)).toEqual(['TYPE A', 'EPSV', 'MLSD', 'EPSV', 'LIST', 'EPSV', 'NLST'])
    expect(ftpMetadata(second.representation).format).toBe('nlst')
    expect(names(second.entries)).toEqual(names(first.entries))
  })

  test.each([
    ['pub;type=d', 'NLST pub'],
    ['pub/;type=d', 'NLST'],
  ])('%s is %s and nothing else; names are without their directory', async (path, command) => {
    const { entries, received, root } = await embedded({}, path)
    expect(received.at(-1)).toBe(command)
    expect(entries[0]).toEqual({ name: 'a.bin', kind: 'other', url: `${root}pub/a.bin` })
    expect(entries[1]?.url).toBe(`${root}pub/a%3Btype%3Dd`)
  })

  test.each(['pub/nothing/', 'pub/nothing;type=d', 'pub/nothing/;type=d'])('%s is empty', async (path) => {
    expect((await embedded({}, path)).entries).toEqual([])
  })

  test.each(['bytes', 'split-crlf'] as const)('chunks %s', async (chunking) => {
    expect((await embedded({ faults: { chunking } }, 'pub/')).entries).toHaveLength(10)
  })
})

describe('nothing listed', () => {
  const empty = sending('')

  test.each([
    ['226 without a line', { NLST: empty }],
    ['550 No files found.', { NLST: '550 No files found.\r\n' }],
    ['450', { NLST: '450 none\r\n' }],
  ] satisfies [string, Script][])('%s, and CWD has succeeded: an empty directory', async (_, script) => {
    expect((await listed(script, 'pub/;type=d')).entries).toEqual([])
  })

  test.each([
    ['226 without a line', { NLST: empty }],
    ['550', { NLST: '550 none\r\n' }],
    ['450', { NLST: '450 none\r\n' }],
  ] satisfies [string, Script][])('%s of a name: CWD tells whether it is there', async (_, script) => {
    const there = await listed(script, 'pub;type=d')
    expect(there.entries).toEqual([])
    expect(there.received.slice(-2)).toEqual(['CWD pub', 'QUIT'])
    const missing = listed({ ...script, CWD: '550 no such directory\r\n' }, 'pub;type=d')
    await expect(missing).rejects.toMatchObject({ code: 'not-found', reply: '550 no such directory' })
  })

  test('no way to list is an error, not an empty directory', async () => {
    await expect(listed({})).rejects.toMatchObject({ code: 'server-refused', reply: '502 not known' })
    await expect(listed({ MLSD: '530 not you\r\n' })).rejects.toMatchObject({ code: 'auth-failed' })
  })

  test('a name that ls would read as options', async () => {
    const { received, entries } = await listed({ NLST: sending('./-la/x\r\n') }, '-la;type=d')
    expect(received).toContain('NLST ./-la')
    expect(entries).toMatchObject([{ name: 'x', url: 'ftp://HOST/-la/x' }])
  })
})

describe('MLSD (RFC 3659 7)', () => {
  test('facts in any case and order, fractions of seconds, names with blanks and semicolons', async () => {
    expect(
      await mlsd(
        'Type=cdir;Perm=el; .',
        'type=cdir; pub',
        'type=pdir;perm=el; /pub',
        'SIZE=3;Modify=20010203040506.789;TYPE=file;UNIX.mode=0644;  two  blanks; and more',
        'type=dir;sizd=4096; d',
        ' no facts',
      ),
    ).toEqual([
      {
        name: ' two  blanks; and more',
        kind: 'file',
        url: 'ftp://HOST/pub/%20two%20%20blanks%3B%20and%20more',
        size: 3,
        modified: new Date('2001-02-03T04:05:06.789Z'),
        details: { 'unix.mode': '0644' },
      },
      { name: 'd', kind: 'directory', url: 'ftp://HOST/pub/d/', details: { sizd: '4096' } },
      { name: 'no facts', kind: 'other', url: 'ftp://HOST/pub/no%20facts', details: {} },
    ])
  })

  test('names behind a tab, and without a semicolon before them', async () => {
    expect(
      await mlsd(
        'size=3;type=file;modify=20090722092510;\tadsl TV 2009',
        'type=file;size=2 c d',
        'modify=20080426135501;perm=;size=6;type=file;UNIX.mode=00; empty permissions',
        'type=file; a; b',
      ),
    ).toMatchObject([
      { name: 'adsl TV 2009', size: 3 },
      { name: 'c d', size: 2 },
      { name: 'empty permissions', size: 6, details: { perm: '', 'unix.mode': '00' } },
      { name: 'a; b' },
    ])
  })

  test('links', async () => {
    expect(
      await mlsd(
        'type=OS.unix=slink:/usr/my docs;size=3; a',
        'type=OS.unix=symlink;size=3; b',
        'type=OS.unix=chr-1/3; null',
      ),
    ).toMatchObject([
      { name: 'a', kind: 'link', details: { target: '/usr/my docs' } },
      { name: 'b', kind: 'link' },
      { name: 'null', kind: 'other' },
    ])
  })

  test('a bad line is one entry that leads nowhere; bad facts are left out; the rest is read', async () => {
    const entries = await mlsd(
      '__proto__=x;type=file;modify=20011303040506;size=-1; a',
      'what is this',
      'type=file;modify=yesterday;size=1e9;',
      'type=file;size=99999999999999999999; b',
      'type=file;size=2 c',
    )
    expect(entries).toMatchObject([
      { name: 'a', kind: 'file' },
      { name: 'what is this', kind: 'other', url: null },
      { name: 'type=file;modify=yesterday;size=1e9;', kind: 'other', url: null },
      { name: 'b' },
      { name: 'c', size: 2 },
    ])
    expect(entries[0]).not.toHaveProperty('modified')
    expect(entries[0]).not.toHaveProperty('size')
    expect(JSON.stringify(entries[0]?.details)).toBe('{"__proto__":"x"}')
    expect(entries[3]).not.toHaveProperty('size')
  })

  test('case 3, names that lead out of the directory have no URL', async () => {
    const line = (name: string): string => `type=file; ${name}`
    const entries = await mlsd(
      ...['../../.bashrc', '/etc/x', 'a/../../b', '.', '..', 'a\0b', '..\\x', 'C:x', 'ok'].map(line),
    )
    expect(entries.filter(({ url }) => url === null)).toHaveLength(4)
    expect(entries.flatMap(({ url }) => url ?? [])).toEqual([
      'ftp://HOST/pub/..%5Cx',
      'ftp://HOST/pub/C%3Ax',
      'ftp://HOST/pub/ok',
    ])
  })

  test('dates that are none are left out; a leap second and any fraction are taken', async () => {
    const times = [
      ['20010230040506', undefined],
      ['20010203250506', undefined],
      ['20010203046006', undefined],
      ['2001020304050', undefined],
      ['19101020304050', undefined],
      ['191010203040506', undefined],
      ['00990203040506', undefined],
      ['20010203040506.', undefined],
      ['20010203040506.5', '2001-02-03T04:05:06.500Z'],
      ['20010203040506.569', '2001-02-03T04:05:06.569Z'],
      ['20010203040506.123456789012', '2001-02-03T04:05:06.123Z'],
      ['19981231235960', '1999-01-01T00:00:00.000Z'],
      ['19681105165215', '1968-11-05T16:52:15.000Z'],
    ] as const
    const entries = await mlsd(...times.map(([time]) => `type=file;modify=${time}; x`))
    expect(entries.map(({ modified }) => modified?.toISOString())).toEqual(times.map(([, modified]) => modified))
  })

  test('octets that are no UTF-8 stay as they are in the URL', async () => {
    expect(await mlsd('type=file; caf\xe9', 'type=file; caf\xc3\xa9')).toMatchObject([
      { name: 'café', url: 'ftp://HOST/pub/caf%E9' },
      { name: 'café', url: 'ftp://HOST/pub/caf%C3%A9' },
    ])
  })
})

describe('NLST', () => {
  test.each([
    ['pub;type=d', ['pub/a', 'b', './pub/c', 'pub/.', 'pub/..', 'other/d', '/etc/e']],
    ['pub/;type=d', ['a', 'b', './c', '.', '..', 'other/d', '/etc/e']],
  ])('case 14, %s: prefixes are stripped, foreign paths are left out', async (path, lines) => {
    expect(await nlst(path, ...lines)).toEqual(
      ['a', 'b', 'c'].map((name) => ({ name, kind: 'other', url: `ftp://HOST/pub/${name}` })),
    )
  })

  describe('of a file', () => {
    const isFile: Script = { CWD: (peer, line) => peer.say(line === 'CWD x' ? '550 no directory\r\n' : '250 -\r\n') }

    test.each(['x', './x', 'pub/../x'])('%s is the file itself, not one within it', async (line) => {
      const { entries, received } = await listed({ ...isFile, NLST: sending(`${line}\r\n`) }, 'pub/x;type=d')
      if (line === 'pub/../x') expect(entries).toEqual([])
      else expect(entries).toEqual([{ name: 'x', kind: 'other', url: 'ftp://HOST/pub/x' }])
      expect(received.includes('CWD x')).toBe(line !== 'pub/../x')
    })

    test('named by a path in one segment', async () => {
      const CWD = (peer: FtpPeer): void => peer.say('550 no directory\r\n')
      const { entries } = await listed({ CWD, NLST: sending('pub/x\r\n') }, 'pub%2Fx;type=d')
      expect(entries).toEqual([{ name: 'x', kind: 'other', url: 'ftp://HOST/pub%2Fx' }])
    })

    test('a directory that holds a file of its own name', async () => {
      const { entries } = await listed({ NLST: sending('x\r\n') }, 'pub/x;type=d')
      expect(entries).toEqual([{ name: 'x', kind: 'other', url: 'ftp://HOST/pub/x/x' }])
    })

    test('that the server does not list: what to leave out', async () => {
      const listing = listed({ ...isFile, NLST: '550 no\r\n' }, 'pub/x;type=d')
      await expect(listing).rejects.toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('for a file, leave ;type=d out'),
      })
    })

    test('of the embedded server: its URL retrieves it', async () => {
      const { entries, root } = await embedded({}, 'pub/hello.txt;type=d')
      expect(entries).toEqual([{ name: 'hello.txt', kind: 'other', url: `${root}pub/hello.txt` }])
    })
  })

  test('of the entry directory, by a URL without a path', async () => {
    expect((await nlst(';type=d', 'a'))[0]?.url).toBe('ftp://HOST/a')
    await using server = await scriptedFtp({ MLSD: sending('type=file; a\r\n') })
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(server.url.slice(0, -1)))
    expect(entries[0]?.url).toBe(`${server.url}a`)
  })

  test('the user stays in the URLs, the password and the fragment do not', async () => {
    await using server = await scriptedFtp({ MLSD: sending('type=file; a\r\n') })
    await using client = createClient()
    const listing = await client.retrieve(`${server.url.replace('//', '//u:secret@')}pub/#part`)
    expect((await entriesOf(listing))[0]?.url).toBe(`${server.url.replace('//', '//u@')}pub/a`)
  })
})

describe('any listing', () => {
  test('property 12: a transfer that breaks off is partial, not a short directory', async () => {
    const MLSD = sending('type=file; a\r\n', '150 -\r\n', '426 broken\r\n')
    await expect(listed({ MLSD })).rejects.toMatchObject({ code: 'partial' })
  })

  test('over limits.maxListing', async () => {
    const lines = joined(Array.from({ length: 100 }, (_, index) => `type=file; ${index}`))
    const limited = listed({ MLSD: sending(lines) }, 'pub/', { limits: { maxListing: 1000 } })
    await expect(limited).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  test('an object has no entries', async () => {
    await using server = await startFtpServer()
    await using client = createClient()
    const representation = await client.retrieve(`${server.url}pub/hello.txt`)
    expect(() => representation.entries()).toThrow(TypeError)
    await representation.cancel()
  })

  test('no line, however strange, throws, leads out of the directory, or costs another line its entry', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc
        .tuple(fc.constantFrom('type=', 'drwxr-xr-x 1 a ', '-rw-r--r-- 1 27 Feb ', '+', '02-03-01 '), fc.string())
        .map((parts) => parts.join('')),
    )
    const octets = fc.array(
      line.map((text) => text.replace(/[\r\n]|[^\0-\xFF]/g, '?')),
      { maxLength: 5 },
    )
    await fc.assert(
      fc.asyncProperty(octets, fc.boolean(), async (lines, hasMlsd) => {
        const good = hasMlsd ? 'type=file; good' : '-rw-r--r-- 1 a a 27 Feb 3 2001 good'
        const entries = hasMlsd ? await mlsd(...lines, good) : await list(...lines, good)
        expect(entries.at(-1)).toMatchObject({ name: 'good', kind: 'file' })
        for (const { url } of entries) expect(url ?? 'ftp://HOST/pub/x').toMatch(/^ftp:\/\/HOST\/pub\/[\w.%-]+\/?$/)
      }),
      { numRuns: runs(100) },
    )
  })
})
