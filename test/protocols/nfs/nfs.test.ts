import { createClient } from '@retriever/fetchers'
import { type NfsServerOptions, startNfsServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { list, retrieve } from './retrieve.ts'

const hello = 'Hello, world.\n'

/** The ways to a file, by the servers that leave no other. */
const ways: readonly (readonly [name: string, options: NfsServerOptions, version: number])[] = [
  ['the public filehandle of version 3', {}, 3],
  ['the public filehandle of version 2', { versions: [2] }, 2],
  ['MOUNT for version 3', { versions: [3], publicHandle: false }, 3],
  ['MOUNT for version 2', { versions: [2], publicHandle: false }, 2],
  ['MOUNT of a directory above', { versions: [3], publicHandle: false, exported: '/pub' }, 3],
  ['version 4', { versions: [4] }, 4],
  ['version 4 without a public filehandle', { versions: [4], publicHandle: false }, 4],
  ['version 4 where there is no MOUNT', { versions: [3, 4], publicHandle: false, mount: false }, 4],
  ['version 4 where MOUNT does not know the path', { versions: [3, 4], publicHandle: false, exported: '/etc' }, 4],
]

describe.each(ways)('%s', (_name, options, version) => {
  test('gives a file', async () => {
    const { representation, octets } = await retrieve('pub/hello.txt', options)
    expect(Buffer.from(octets).toString()).toBe(hello)
    expect(representation).toMatchObject({
      kind: 'object',
      size: 14,
      modified: new Date(Date.UTC(2001, 1, 3, 4, 5, 6)),
      completeness: 'verified',
      metadata: { version },
    })
  })

  test('gives names with escapes', async () => {
    expect(Buffer.from((await retrieve('pub/name%20with%20spaces.txt', options)).octets).toString()).toMatch(/spaces/)
    expect(Buffer.from((await retrieve('pub/%FF.txt', options)).octets).toString()).toMatch(/octet FF/)
  })

  test('gives a directory', async () => {
    const entries = await list('pub', { ...options, pageSize: 3 })
    expect(entries).toHaveLength(18)
    expect(entries).toContainEqual({
      name: 'hello.txt',
      kind: 'file',
      url: '/pub/hello.txt',
      size: 14,
      target: undefined,
    })
    expect(entries).toContainEqual({
      name: 'sub',
      kind: 'directory',
      url: '/pub/sub/',
      size: undefined,
      target: undefined,
    })
    expect(entries).toContainEqual({
      name: 'link',
      kind: 'link',
      url: '/pub/link',
      size: undefined,
      target: 'hello.txt',
    })
    expect(entries).toContainEqual({ name: 'ÿ.txt', kind: 'file', url: '/pub/%FF.txt', size: 39, target: undefined })
  })

  test('follows a link', async () => {
    const { representation, octets } = await retrieve('pub/link', options)
    expect(Buffer.from(octets).toString()).toBe(hello)
    expect(representation.url).toMatch(/\/pub\/hello\.txt$/)
    const spaces = await retrieve('pub/link%20with%20spaces', options)
    expect(spaces.representation.url).toMatch(/\/pub\/name%20with%20spaces\.txt$/)
  })

  test('refuses what is not there', async () => {
    await expect(retrieve('pub/nope', options)).rejects.toMatchObject({ code: 'not-found', reply: /NOENT/ })
    await expect(retrieve('pub/hello.txt/', options)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('gives a range, and the rest of a file', async () => {
    const part = await retrieve('pub/hello.txt', options, {}, { range: [7, 11] })
    expect(Buffer.from(part.octets).toString()).toBe('world')
    expect(part.representation).toMatchObject({ size: 5, offset: 7 })
    const rest = await retrieve('pub/hello.txt', options, {}, { resumeFrom: { offset: 7, tail: Buffer.from('lo, ') } })
    expect(Buffer.from(rest.octets).toString()).toBe('world.\n')
    const other = await retrieve('pub/hello.txt', options, {}, { resumeFrom: { offset: 7, tail: Buffer.from('xo, ') } })
    expect(other.representation.offset).toBe(0)
  })
})

describe('what is asked', () => {
  test('one LOOKUP for the whole path', async () => {
    expect((await retrieve('pub/sub/deep/file.txt')).received).toEqual([
      'LOOKUP pub/sub/deep/file.txt',
      'READ /pub/sub/deep/file.txt',
    ])
  })

  test('MOUNT: the portmapper, the longest directory, a LOOKUP for each name, and UMNT', async () => {
    const options = { versions: [3], publicHandle: false }
    expect((await retrieve('pub/sub/deep/file.txt', options)).received).toEqual([
      'LOOKUP pub/sub/deep/file.txt',
      'GETPORT 100005',
      'MNT /pub/sub/deep/file.txt',
      'MNT /pub/sub/deep',
      'GETATTR /pub/sub/deep',
      'LOOKUP file.txt',
      'UMNT /pub/sub/deep',
      'READ /pub/sub/deep/file.txt',
    ])
  })

  test('an absolute path, and a directory with a slash', async () => {
    expect((await retrieve('/pub/hello.txt')).received[0]).toBe('LOOKUP /pub/hello.txt')
    expect((await retrieve('pub/')).received[0]).toBe('LOOKUP pub')
    expect((await retrieve('')).received[0]).toBe('LOOKUP .')
  })

  test('nobody is named unless the server wants it', async () => {
    const sent: string[] = []
    const onEvent: NonNullable<Parameters<typeof createClient>[0]>['onEvent'] = (event) => {
      if (event.type === 'sent') sent.push(Buffer.from(event.octets, 'latin1').toString('hex'))
    }
    await retrieve('pub/hello.txt', {}, { onEvent })
    expect(sent.every((call) => call.slice(56, 72) === '0'.repeat(16))).toBe(true)
    sent.length = 0
    await retrieve('pub/hello.txt', { auth: 'sys' }, { onEvent })
    expect(sent[0]?.slice(56, 72)).toBe('0'.repeat(16))
    // AUTH_SYS: no time, no machine, user and group 65534, no further groups.
    const asNobody = '00000001000000140000000000000000 0000fffe 0000fffe 00000000'.replaceAll(' ', '')
    expect(sent[1]?.slice(56, 56 + asNobody.length)).toBe(asNobody)
    sent.length = 0
    await retrieve('pub/hello.txt', {}, { onEvent, nfs: { uid: 1000, gid: 100 } })
    expect(sent[0]).toContain('00000001000000140000000000000000000003e80000006400000000')
  })

  test('a caller who is named stays so, whatever the server wants', async () => {
    const calls: string[] = []
    const onEvent: NonNullable<Parameters<typeof createClient>[0]>['onEvent'] = (event) => {
      if (event.type === 'sent') calls.push(event.octets)
    }
    const nfs = { uid: 1000, gid: 100 }
    const refused = retrieve('misbehaviour/denied', {}, { onEvent, nfs })
    await expect(refused).rejects.toMatchObject({ code: 'access-denied' })
    expect(calls).toHaveLength(1)
  })

  test('a version 3 without READDIRPLUS', async () => {
    const entries = await list('pub/sub', { readdirplus: false })
    expect(entries).toEqual([
      { name: 'deep', kind: 'directory', url: '/pub/sub/deep/', size: undefined, target: undefined },
    ])
  })

  test('parts in flight: a large file, however many reads it takes', async () => {
    for (const versions of [[3], [2], [4]]) {
      const { octets } = await retrieve('big', { versions, bigSize: 3_000_001 })
      expect(octets.length).toBe(3_000_001)
      expect(octets.every((octet, at) => octet === at % 251)).toBe(true)
    }
  })
})

describe('a server that answers later', () => {
  test('is asked again within the file, after growing waits', async () => {
    const retries: number[] = []
    const { octets } = await retrieve(
      'misbehaviour/read-soon',
      {},
      {
        limits: { maxRetries: 3, retryDelay: 1, idleTimeout: 2000 },
        onEvent: (event) => void (event.type === 'retried' && retries.push(event.delay)),
      },
    )
    expect(Buffer.from(octets).toString()).toBe('abc')
    expect(retries).toHaveLength(2)
  })

  test('is given up at last', async () => {
    const outcome = retrieve('misbehaviour/read-soon', {}, { limits: { maxRetries: 1, retryDelay: 1 } })
    await expect(outcome).rejects.toMatchObject({
      code: 'partial',
      message: expect.stringMatching(/JUKEBOX.*tried 2 times/),
    })
  })
})

test.each([[2], [3], [4]])(
  'a server of version %i that is restarted within a file: the rest comes',
  async (version) => {
    const offsets: (number | undefined)[] = []
    const size = 9_000_001
    const { octets } = await retrieve(
      'big',
      { versions: [version], bigSize: size, faults: { resetAfter: 5_000_000, bodies: 1 } },
      {
        limits: { maxRetries: 2, retryDelay: 1, idleTimeout: 5000 },
        onEvent: (event) => void (event.type === 'retried' && offsets.push(event.offset)),
      },
    )
    expect(octets.length).toBe(size)
    expect(octets.every((octet, at) => octet === at % 251)).toBe(true)
    expect(offsets).toEqual([expect.any(Number)])
  },
)

test('a server without a public filehandle and without a portmapper', async () => {
  await using closed = await startNfsServer()
  const { port } = closed
  await closed.close()
  const outcome = retrieve('pub/hello.txt', { versions: [3], publicHandle: false }, { nfs: { portmapPort: port } })
  await expect(outcome).rejects.toMatchObject({
    code: 'connect-failed',
    message: expect.stringMatching(/no public filehandle, and no portmapper answers at port \d+.*nfs\.mountPort/),
  })
})

describe('links', () => {
  test.each([
    ['pub/up', /readme\.txt$/],
    ['pub/root', /\/etc\/motd$/],
    ['pub/sublink/deep/file.txt', /\/pub\/sub(?:link)?\/deep\/file\.txt$/],
  ])('%s', async (path, url) => {
    for (const options of [{}, { versions: [3], publicHandle: false }, { versions: [4] }]) {
      // The server evaluates links within a path of the public filehandle itself; this one does not.
      if (path.includes('sublink') && options.versions === undefined) continue
      const { representation } = await retrieve(path, options)
      expect(representation.url).toMatch(url)
    }
  })

  test.each([
    ['pub/loop', 'too-many-redirects'],
    ['pub/local', 'refused'],
    ['pub/web', 'refused'],
  ])('case 61, %s is %s', async (path, code) => {
    for (const options of [{}, { versions: [3], publicHandle: false }, { versions: [4] }]) {
      await expect(retrieve(path, options)).rejects.toMatchObject({ code })
    }
  })
})

describe('the policy', () => {
  test('holds for the portmapper and for MOUNT: all ports are at the host of the URL, through the proxy', async () => {
    await using server = await startNfsServer({ versions: [3], publicHandle: false })
    const ports: number[] = []
    await using client = createClient({
      nfs: { portmapPort: server.port },
      onEvent: (event) => void (event.type === 'connected' && ports.push(event.port)),
    })
    await (await client.retrieve(`${server.url}pub/hello.txt`)).bytes()
    expect(ports).toEqual([server.port, server.port, server.port])
    await using proxied = createClient({ proxy: 'socks5://127.0.0.1:9', limits: { maxRetries: 0 } })
    await expect(proxied.retrieve(`${server.url}pub/hello.txt`)).rejects.toMatchObject({ code: 'connect-failed' })
    await using open = createClient({ policy: { publicOnly: true } })
    await expect(open.retrieve(`${server.url}pub/hello.txt`)).rejects.toMatchObject({ code: 'refused' })
  })

  test.each([
    [{ uid: -1 }, /nfs\.uid/],
    [{ gid: 1.5 }, /nfs\.gid/],
    [{ mountPort: 0 }, /nfs\.mountPort/],
    [{ portmapPort: 65_536 }, /nfs\.portmapPort/],
    [{ gid: 5 }, /nfs\.gid/],
  ])('%j is no option', (nfs, message) => {
    expect(() => createClient({ nfs })).toThrow(message)
  })
})
