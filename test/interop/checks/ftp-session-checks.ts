/**
 * Sessions that are kept, transfers that are taken up, what SIZE and MDTM tell: of every FTP server, through the
 * library.
 */
import { expect, test } from 'vitest'
import { errorOf, expectOctets, type ServerUnderTest } from '../suite.ts'
import { listed, paths, retrieveEach, seedNames, seedTime, watched } from './ftp-seed.ts'

interface Habits {
  /** Drops a transfer for the EPSV behind it, which is found out at the cost of one connection. */
  readonly dropsOnEpsv?: boolean
  readonly hidesDotFiles?: boolean
}

export function sessions(server: ServerUnderTest, habits: Habits = {}): void {
  reuse(server, habits)
  resumption(server)
  conditions(server)
  directories(server, habits)
}

function reuse(server: ServerUnderTest, { dropsOnEpsv = false }: Habits): void {
  const url = (user?: string) => (path: string) => server.url('ftp', path, user === undefined ? {} : { user })

  // needs: pooling
  test.each([undefined, 'alice:secret'])('file after file of one directory, one session; user %s', async (user) => {
    await using watch = watched()
    const files = ['bytes.bin', 'big.bin', 'hello.txt', 'empty.txt', 'big.bin', 'bytes.bin', 'crlf.txt', 'big.bin']
    await retrieveEach(
      watch.client,
      server,
      url(user),
      files.map((name) => `pub/${name}`),
    )
    expect(watch.connections(server.port())).toBe(dropsOnEpsv ? 2 : 1)
    expect(watch.events.filter(({ type }) => type === 'retried')).toHaveLength(dropsOnEpsv ? 1 : 0)
  })

  // needs: pooling
  test('a server that drops transfers is asked for no port behind RETR any more, by nobody', async () => {
    await using watch = watched()
    const files = ['big.bin', 'bytes.bin', 'big.bin', 'hello.txt']
    await retrieveEach(
      watch.client,
      server,
      url(),
      files.map((name) => `pub/${name}`),
    )
    const before = watch.events.length
    await retrieveEach(
      watch.client,
      server,
      url('alice:secret'),
      files.map((name) => `pub/${name}`),
    )
    expect(watch.events.slice(before).filter(({ type }) => type === 'retried')).toEqual([])
  })

  // needs: pooling
  test('files of several directories, back and forth', async () => {
    await using watch = watched()
    await retrieveEach(watch.client, server, url(), [...paths, ...paths])
    // One more where the way back was not asked for at first, and one where the server drops transfers.
    expect(watch.connections(server.port())).toBeLessThanOrEqual(dropsOnEpsv ? 3 : 2)
  })

  // needs: pooling
  test('files, listings and texts in turn', async () => {
    await using watch = watched()
    const { client } = watch
    for (let time = 0; time < 3; time++) {
      await retrieveEach(client, server, url(), ['pub/bytes.bin'])
      expect(await (await client.retrieve(server.url('ftp', '/pub/'))).text()).toContain('bytes.bin')
      expect(await (await client.retrieve(server.url('ftp', '/pub/hello.txt;type=a'))).text()).toBe(
        'Hello, world.\nSecond line.\n',
      )
    }
    expect(watch.connections(server.port())).toBeLessThanOrEqual(dropsOnEpsv ? 3 : 2)
  })

  test('after a refusal, a cancelled body and a range the next file is the next file', async () => {
    await using watch = watched()
    const { client } = watch
    await retrieveEach(client, server, url(), ['pub/bytes.bin'])
    expect(await errorOf(client.retrieve(server.url('ftp', '/pub/none.txt')))).toMatchObject({ code: 'not-found' })
    await retrieveEach(client, server, url(), ['pub/bytes.bin'])
    await (await client.retrieve(server.url('ftp', '/pub/big.bin'))).cancel()
    await retrieveEach(client, server, url(), ['pub/bytes.bin'])
    await (await client.retrieve(server.url('ftp', '/pub/big.bin'), { range: [5, 10] })).bytes()
    await retrieveEach(client, server, url(), ['pub/bytes.bin', 'pub/big.bin'])
  })

  // needs: pooling
  test('twenty files at a time, over four connections at most', async () => {
    await using watch = watched()
    const wanted = Array.from({ length: 20 }, (_, index) => paths[index % paths.length] ?? '')
    const byUrl = new Map(wanted.map((path) => [server.url('ftp', `/${encodeURI(path)}`), path]))
    let count = 0
    for await (const { url: each, representation, error } of watch.client.retrieveAll(
      wanted.map((path) => server.url('ftp', `/${encodeURI(path)}`)),
    )) {
      expect(error).toBe(null)
      expectOctets((await representation?.bytes()) ?? new Uint8Array(), await server.seed(`root/${byUrl.get(each)}`))
      count++
    }
    expect(count).toBe(20)
    const opened = watch.connections(server.port())
    // Each of the four may have to be opened anew: for the way back, and where the server drops transfers.
    expect(opened).toBeLessThanOrEqual(dropsOnEpsv ? 12 : 8)
  })
}

function resumption(server: ServerUnderTest): void {
  const url = (): string => server.url('ftp', '/pub/big.bin')

  // needs: resumption
  test('resumeFrom: a number, and a file that is pinned by size and time', async () => {
    const whole = await server.seed('root/pub/big.bin')
    const pinned = { offset: 1_000_000, size: whole.length, modified: await seedTime(server, 'pub/big.bin') }
    await using watch = watched()
    for (const resumeFrom of [1_000_000, pinned]) {
      const representation = await watch.client.retrieve(url(), { resumeFrom })
      expect(representation).toMatchObject({ offset: 1_000_000, size: whole.length - 1_000_000 })
      expectOctets(await representation.bytes(), whole.subarray(1_000_000))
    }
    expect(watch.events.filter(({ type }) => type === 'remark')).toEqual([])
  })

  // needs: resumption
  test.each([
    ['another size', { offset: 1_000_000, size: 1 }],
    ['another time', { offset: 1_000_000, modified: new Date('2020-01-01T00:00:00Z') }],
    ['a tail of another file', { offset: 2 ** 19, tail: new Uint8Array(4096) }],
  ])('resumeFrom with %s: the whole, and a remark', async (_, resumeFrom) => {
    await using watch = watched()
    const representation = await watch.client.retrieve(url(), { resumeFrom })
    expect(representation.offset).toBe(0)
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
    expect(watch.events.filter(({ type }) => type === 'remark')).toHaveLength(1)
  })

  test('resumeFrom with a tail: the rest, also where there is none', async () => {
    const whole = await server.seed('root/pub/big.bin')
    await using watch = watched()
    for (const offset of [10, 1_000_000, whole.length]) {
      const resumeFrom = { offset, tail: whole.subarray(Math.max(0, offset - 5000), offset) }
      const representation = await watch.client.retrieve(url(), { resumeFrom })
      expect(representation).toMatchObject({ offset, size: whole.length - offset })
      expectOctets(await representation.bytes(), whole.subarray(offset))
    }
    expect(watch.events.filter(({ type }) => type === 'remark')).toEqual([])
  })

  test('resumeFrom beyond the end is an error', async () => {
    await using watch = watched()
    const beyond = watch.client.retrieve(url(), { resumeFrom: 2 ** 20 + 1 })
    expect(await errorOf(beyond)).toMatchObject({ code: 'resume-failed' })
    await retrieveEach(watch.client, server, (path) => server.url('ftp', path), ['pub/bytes.bin'])
    expect(watch.connections(server.port())).toBe(1)
  })

  test('ranges in one session: the first octets, the last, some in between', async () => {
    const whole = await server.seed('root/pub/big.bin')
    await using watch = watched()
    for (const [first, last] of [
      [0, 99],
      [1_048_000, null],
      [1000, 1999],
      [1, 1],
    ] as const) {
      const representation = await watch.client.retrieve(url(), { range: [first, last] })
      expectOctets(await representation.bytes(), whole.subarray(first, last === null ? whole.length : last + 1))
    }
  })
}

function conditions(server: ServerUnderTest): void {
  // needs: pipelining (SIZE and MDTM where they cost no round trip)
  test('size and time are those of the file', async () => {
    await using watch = watched()
    for (const path of ['pub/big.bin', 'pub/empty.txt', 'pub/sub/deep/file.txt']) {
      const representation = await watch.client.retrieve(server.url('ftp', `/${path}`))
      const octets = await server.seed(`root/${path}`)
      const modified = await seedTime(server, path)
      expect(representation).toMatchObject({ size: octets.length, modified, completeness: 'verified' })
      expectOctets(await representation.bytes(), octets)
    }
  })

  // needs: resumption (conditions)
  test('ifChangedSince: not-modified by its own time, and the file by an earlier one', async () => {
    await using watch = watched()
    const modified = await seedTime(server, 'pub/big.bin')
    const url = server.url('ftp', '/pub/big.bin')
    const unchanged = watch.client.retrieve(url, { ifChangedSince: modified })
    expect(await errorOf(unchanged)).toMatchObject({ code: 'not-modified' })
    const earlier = new Date(modified.getTime() - 1000)
    const representation = await watch.client.retrieve(url, { ifChangedSince: earlier })
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
  })
}

function directories(server: ServerUnderTest, { hidesDotFiles = false }: Habits): void {
  // needs: listings of directories found by RETR
  test('a directory named without a slash is listed, with a remark', async () => {
    await using watch = watched()
    const representation = await watch.client.retrieve(server.url('ftp', '/pub'))
    expect(representation.kind).toBe('listing')
    const names: string[] = []
    for await (const { name } of representation.entries()) names.push(name)
    const seeds = await seedNames(server, { format: 'list', hidesDotFiles })
    expect(names.sort()).toEqual(seeds)
    expect(watch.events.filter(({ type }) => type === 'remark')).toHaveLength(1)
    // From where the listing was asked, the next path begins at the beginning again.
    await retrieveEach(watch.client, server, (path) => server.url('ftp', path), [
      'pub/sub/deep/file.txt',
      'pub/hello.txt',
    ])
  })

  // needs: listings of directories found by RETR
  test('and by the command', async () => {
    const seeds = await seedNames(server, { format: 'list', hidesDotFiles })
    expect(await listed(server.url('ftp', '/pub'))).toEqual(seeds)
  })
}
