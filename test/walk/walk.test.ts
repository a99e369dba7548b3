import { createClient, type Entry, type WalkedEntry, type WalkOptions } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { entryOf, type FakeFolder, fakeTree } from '../support/fake-tree.ts'

async function walked(source: AsyncIterable<WalkedEntry>): Promise<WalkedEntry[]> {
  const entries: WalkedEntry[] = []
  for await (const entry of source) entries.push(entry)
  return entries
}

/** The paths of a walk over folders given as an object: `/` -> names. */
async function pathsOf(folders: Record<string, readonly string[]>, options?: WalkOptions): Promise<string[]> {
  await using client = createClient({ fetchers: [fakeTree((path) => folders[path] ?? null)] })
  return (await walked(client.walk('http://h/', options))).map(({ path, error }) => (error ? `${path}!` : path))
}

const files = { '/a/b/c.txt': 'c', '/a/d.txt': 'd', '/e.txt': 'e', '/a/empty/': '' }

test.each(['ftp', 'http', 'gopher'] as const)('a tree over %s has the paths of its files', async (name) => {
  await using servers = await startServers({ [name]: true, files })
  await using client = createClient()
  const entries = await walked(client.walk(`${servers[name]?.url}${name === 'gopher' ? '1/a' : 'a/'}`))
  expect(entries.map(({ path, kind, depth }) => [path, kind, depth])).toEqual([
    ['b', 'directory', 1],
    ['d.txt', 'file', 1],
    ['empty', 'directory', 1],
    ['b/c.txt', 'file', 2],
  ])
  const { url } = entries[3] ?? expect.fail('no c.txt')
  expect(await (await client.retrieve(url)).text()).toMatch(/^c/)
})

test('a folder whose listing has lines, and none that can be read, is an error and not an empty folder', async () => {
  async function* foreign(...readable: readonly string[]): AsyncGenerator<Entry> {
    yield { name: 'Volume Unit  Referred Ext Dsname', kind: 'other', url: null }
    yield { name: 'MIG1   3390  2001/02/03  1 X.BIN', kind: 'other', url: null }
    for (const name of readable) yield entryOf(name, 'http://h/')
  }
  const walk = async (folders: Record<string, FakeFolder>): Promise<unknown[]> => {
    await using client = createClient({ fetchers: [fakeTree((path) => folders[path] ?? null)] })
    return (await walked(client.walk('http://h/'))).map(({ path, error }) => [path, error?.code ?? null])
  }
  const message = expect.stringContaining('one is "Volume Unit  Referred Ext Dsname"')
  expect(await failure(walk({ '/': foreign() }))).toMatchObject({ code: 'protocol-violation', message })
  expect(await walk({ '/': ['a/', 'b'], '/a/': foreign() })).toEqual([
    ['a', null],
    ['b', null],
    ['a', 'protocol-violation'],
  ])
  expect(await walk({ '/': foreign('b') })).toEqual([['b', null]])
  async function* link(): AsyncGenerator<Entry> {
    yield { name: 'A link that leads nowhere', kind: 'other', url: null, details: { line: 'link' } }
  }
  expect(await walk({ '/': link() })).toEqual([])
  async function* astray(): AsyncGenerator<Entry> {
    yield { name: '..%2Fx', kind: 'other', url: null, details: { leadsElsewhere: true } }
    yield* foreign()
  }
  expect(await walk({ '/': astray() })).toEqual([['..%2Fx', 'refused']])
})

test('the groups of a news server have their articles', async () => {
  await using servers = await startServers({ nntp: true })
  await using client = createClient()
  const paths = (await walked(client.walk(servers.nntp.url))).map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['retriever.test', 'retriever.test/1', 'retriever.announce/42']))
  const group = await walked(client.walk(`${servers.nntp.url}retriever.announce`, { limit: 1 }))
  expect(group.map(({ path, kind }) => [path, kind])).toEqual([['42', 'article']])
})

test('the password of the start is used for all of its folders', async () => {
  await using servers = await startServers({ ftp: true, files })
  await using client = createClient()
  const entries = await walked(client.walk(`${servers.ftp.url.replace('//', '//alice:secret@')}a/`))
  expect(entries.at(-1)?.path).toBe('b/c.txt')
  expect(entries.filter(({ url }) => url.includes('secret'))).toEqual([])
  expect(servers.ftp.received.filter((line) => line.startsWith('USER') && !line.includes('alice'))).toEqual([])
})

test('property 20: the password of the start goes to no other server, nor to another user', async () => {
  const asked: (readonly [string, string | null])[] = []
  async function* links(): AsyncGenerator<Entry> {
    yield { name: 'same', kind: 'directory', url: 'http://alice@here.example/same/' }
    yield { name: 'host', kind: 'directory', url: 'http://alice@there.example/host/' }
    yield { name: 'port', kind: 'directory', url: 'http://alice@here.example:8080/port/' }
    yield { name: 'user', kind: 'directory', url: 'http://bob@here.example/user/' }
    yield { name: 'tls', kind: 'directory', url: 'https://alice@here.example:80/tls/' }
  }
  const server = fakeTree((path) => (path === '/' ? links() : []))
  const fetcher: typeof server = {
    ...server,
    retrieve: (plan, context) => {
      asked.push([plan.target, plan.password])
      return server.retrieve(plan, context)
    },
  }
  await using client = createClient({ fetchers: [fetcher] })
  await walked(client.walk('http://alice:secret@here.example/', { scope: 'any' }))
  expect(asked.sort()).toEqual([
    ['/', 'secret'],
    ['/host/', null],
    ['/port/', null],
    ['/same/', 'secret'],
    ['/tls/', null],
    ['/user/', null],
  ])
})

test('`/ab` is not below `/a`', async () => {
  const folders: Record<string, FakeFolder> = { '/a/': siblings() }
  async function* siblings(): AsyncGenerator<Entry> {
    for (const name of ['b/', '/b/', '.txt', '/x.txt']) yield entryOf(name, 'http://h/a')
  }
  const asked: string[] = []
  const tree = fakeTree((path) => {
    asked.push(path)
    return folders[path] ?? []
  })
  await using client = createClient({ fetchers: [tree] })
  const entries = await walked(client.walk('http://h/a/'))
  expect(entries.map(({ url, outside }) => [url, outside])).toEqual([
    ['http://h/ab/', true],
    ['http://h/a/b/', false],
    ['http://h/a.txt', true],
    ['http://h/a/x.txt', false],
  ])
  expect(asked).toEqual(['/a/', '/a/b/'])
})

test('the order is the same, whichever listing comes first', async () => {
  const folders: Record<string, readonly string[]> = { '/': ['1/', '2/', '3/'], '/1/': ['x/'], '/2/': ['y'] }
  const orders = await Promise.all(
    [0, 1, 2].map(async (slow) => {
      let release = (): void => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      const fetchers = [
        fakeTree(async (path) => {
          // One listing comes only after another one was asked for, or at once if none is.
          if (path === `/${slow}/`) await held
          else if (path === '/3/') release()
          return folders[path] ?? []
        }),
      ]
      await using client = createClient({ fetchers })
      return (await walked(client.walk('http://h/'))).map(({ path }) => path)
    }),
  )
  expect(orders).toEqual(orders.map(() => ['1', '2', '3', '1/x', '2/y']))
})

test('at most `concurrency` listings are read at a time', async () => {
  let running = 0
  let most = 0
  const names = Array.from({ length: 20 }, (_, n) => `${n}/`)
  const fetchers = [
    fakeTree(async (path): Promise<FakeFolder> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return path === '/' ? names : []
    }),
  ]
  await using client = createClient({ fetchers })
  expect(await walked(client.walk('http://h/', { concurrency: 3 }))).toHaveLength(20)
  expect(most).toBe(3)
})

test('include and exclude are globs, expressions or functions', async () => {
  const folders = { '/': ['a.txt', 'b.iso', 'old/', 'src/'], '/old/': ['c.txt'], '/src/': ['d.txt', '.e.txt', 'x/'] }
  expect(await pathsOf(folders, { include: '*.txt', exclude: 'old/' })).toEqual([
    'a.txt',
    'src/d.txt',
    'src/.e.txt',
    'src/x!',
  ])
  expect(await pathsOf(folders, { include: 'src/**' })).toEqual(['src', 'src/d.txt', 'src/.e.txt', 'src/x', 'src/x!'])
  expect(await pathsOf(folders, { include: [/^old\/c/g, (path) => path === 'b.iso'] })).toEqual([
    'b.iso',
    'old/c.txt',
    'src/x!',
  ])
  expect(await pathsOf(folders, { exclude: ['{old,src}', '*.iso'] })).toEqual(['a.txt'])
  expect(await pathsOf(folders, { exclude: ['old/', 'src/'] })).toEqual(['a.txt', 'b.iso'])
})

test('case 62, `depth` ends the walk, and a tree that is too deep without it says so', async () => {
  await using client = createClient({ fetchers: [fakeTree(() => ['a/'])] })
  expect(await walked(client.walk('http://h/', { depth: 2 }))).toHaveLength(2)
  const endless = await walked(client.walk('http://h/'))
  expect(endless.at(-1)).toMatchObject({ depth: 32, error: { code: 'limit-exceeded' } })
  expect(endless.at(-1)?.error?.message).toContain('`depth`')
})

test('case 62, a tree without end is given up at `maxEntries`', async () => {
  const options = { depth: Number.POSITIVE_INFINITY, maxEntries: 100 }
  await using client = createClient({ fetchers: [fakeTree(() => ['a/', 'b/'])] })
  const error = await failure(walked(client.walk('http://h/', options)))
  expect(error).toMatchObject({ code: 'limit-exceeded' })
  expect(error.message).toContain('100 entries')
})

test('cases 43 and 62, a listing that never ends is given up at `maxEntries`, even while it is listed ahead', async () => {
  let given = 0
  async function* endless(): AsyncGenerator<Entry> {
    for (;;) yield entryOf(`${given++}`, 'http://h/b/')
  }
  await using client = createClient({ fetchers: [fakeTree((path) => (path === '/' ? ['a/', 'b/'] : endless()))] })
  expect(await failure(walked(client.walk('http://h/', { maxEntries: 1000 })))).toMatchObject({
    code: 'limit-exceeded',
  })
  expect(given).toBeLessThan(1100)
})

test('a folder that cannot be listed comes again with its error, and the walk goes on', async () => {
  const paths = await pathsOf({ '/': ['a/', 'b/', 'c/'], '/a/': ['x'], '/c/': ['y'] })
  expect(paths).toEqual(['a', 'b', 'c', 'a/x', 'b!', 'c/y'])
})

test('a listing that breaks off is no complete one', async () => {
  async function* broken(): AsyncGenerator<Entry> {
    yield entryOf('x', 'http://h/a/')
    throw new Error('broken')
  }
  const listed = (path: string): FakeFolder => (path === '/' ? ['a/'] : broken())
  await using client = createClient({ fetchers: [fakeTree(listed)] })
  // An error that is no RetrievalError is a fault of the fetcher, and ends the walk.
  await expect(walked(client.walk('http://h/'))).rejects.toThrow('broken')
})

test('the failure of the start is that of the walk', async () => {
  await using servers = await startServers({ ftp: true })
  await using client = createClient()
  expect((await failure(walked(client.walk(`${servers.ftp.url}nowhere/`)))).code).toBe('not-found')
  const file = await failure(walked(client.walk(`${servers.ftp.url}readme.txt`)))
  expect(file.code).toBe('not-found')
})

test('an aborted walk ends with `aborted`, and leaving the loop ends its retrievals', async () => {
  await using servers = await startServers({ ftp: { faults: { stall: 'response' } } })
  await using client = createClient()
  const reason = new Error('enough')
  const controller = new AbortController()
  const walk = walked(client.walk(servers.ftp.url, { signal: controller.signal }))
  await servers.ftp.waitForConnections(2)
  controller.abort(reason)
  expect(await failure(walk)).toMatchObject({ code: 'aborted', cause: reason })
  servers.ftp.setFaults({})
  for await (const { name } of client.walk(servers.ftp.url)) {
    servers.ftp.setFaults({ stall: 'response' })
    expect(name).toBe('big')
    break
  }
  await client.close()
  await servers.ftp.waitForConnections(0)
})

test('closing the client ends a walk', async () => {
  await using client = createClient({
    fetchers: [fakeTree((path) => (path === '/' ? ['1/', '2/', '3/', '4/', '5/', '6/'] : []))],
  })
  const walk = walked(client.walk('http://h/', { concurrency: 1 }))
  await client.close()
  expect((await failure(walk)).code).toBe('aborted')
})

test('closing the client in the middle ends a walk, and fails no folder', async () => {
  const client = createClient({ fetchers: [fakeTree((path) => (path === '/' ? ['1/', '2/', '3/'] : []))] })
  const seen: string[] = []
  const walk = async (): Promise<void> => {
    for await (const { path, error } of client.walk('http://h/', { concurrency: 1 })) {
      seen.push(error === null ? path : `${path}!`)
      await client.close()
    }
  }
  expect((await failure(walk())).code).toBe('aborted')
  expect(seen).toEqual(['1', '2', '3'])
})

const line = (type: string, name: string, selector: string, place: string): string =>
  `${type}${name}\t${selector}\t${place}\r\n`

test('cases 14 and 62, menus lead neither to other servers nor upwards, and each is entered once', async () => {
  await using other = await startServers({ gopher: true })
  const servers = await startServers({ gopher: true })
  const [here, there] = [servers.gopher, other.gopher].map(({ port }) => `127.0.0.1\t${port}`)
  const menu = (...lines: readonly string[]): string => `${lines.join('')}.\r\n`
  servers.gopher.setFaults({
    replies: {
      '/docs': menu(
        line('1', 'Itself', '/docs', `${here}`),
        line('1', 'Up', '/', `${here}`),
        line('1', 'Elsewhere', '/pub', `${there}`),
        line('1', 'Below', '/docs/sub', `${here}`),
        line('1', 'Tricky', '/docs/../pub', `${here}`),
        line('0', '../../.bashrc', '/docs/..', `${here}`),
        line('0', '..', '..', `${here}`),
        'iNo link\t\t(NULL)\t0\r\n',
      ),
      '/docs/sub': menu(line('1', 'Back', '/docs/', `${here}`), line('0', 'A text', '/docs/sub/a.txt', `${here}`)),
    },
  })
  await using client = createClient()
  const entries = await walked(client.walk(`${servers.gopher.url}1/docs`))
  expect(entries.map(({ path, outside }) => [path, outside])).toEqual([
    ['docs', false],
    ['Up', true],
    ['pub', true],
    ['sub', false],
    ['pub', true],
    ['__', true],
    ['__', true],
    ['sub/docs', false],
    ['sub/a.txt', false],
  ])
  expect(other.gopher.received).toEqual([])
  expect(servers.gopher.received).toEqual(['/docs', '/docs/sub'])
  const all = await walked(client.walk(`${servers.gopher.url}1/docs`, { scope: 'any', depth: 2 }))
  expect(all.filter(({ outside }) => outside)).toEqual([])
  expect(other.gopher.received).toEqual(['/pub'])
  await servers.close()
})

test('case 14, a redirect that leads out of the tree is an error of its folder', async () => {
  await using servers = await startServers({ http: true, files })
  servers.http.setFaults({
    replies: { '/a/b/': 'HTTP/1.1 302 Found\r\nLocation: /pub/\r\nContent-Length: 0\r\n\r\n' },
  })
  await using client = createClient()
  const entries = await walked(client.walk(`${servers.http.url}a`))
  expect(entries.map(({ path, error }) => [path, error?.code])).toEqual([
    ['b', undefined],
    ['d.txt', undefined],
    ['empty', undefined],
    ['b', 'refused'],
  ])
  const all = await walked(client.walk(`${servers.http.url}a/`, { scope: 'server' }))
  expect(all.map(({ path }) => path)).toContain('b/hello.txt')
})

test('the tree is that to which a redirect of the start leads', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: 'in', kind: 'file', url: 'http://h/new/in' }
    yield { name: 'out', kind: 'file', url: 'http://h/old/out' }
  }
  const fetcher = fakeHttp((plan) => {
    if (plan.target === '/old/') return { outcome: 'redirect', location: '/new/', status: 301 }
    return retrieved(chunks(''), { kind: 'listing', entries: listing })
  })
  await using client = createClient({ fetchers: [fetcher] })
  const entries = await walked(client.walk('http://h/old/'))
  expect(entries.map(({ name, outside }) => [name, outside])).toEqual([
    ['in', false],
    ['out', true],
  ])
})

test.each([
  [{ depth: 0 }, 'depth'],
  [{ include: '' }, 'include'],
  [{ exclude: [1] }, 'exclude'],
  [{ scope: 'here' }, 'scope'],
  [{ concurrency: 17 }, 'concurrency'],
  [{ resumeFrom: 3 }, 'resumeFrom'],
])('the options %o are refused by the name of %s', async (options, name) => {
  await using client = createClient()
  const error = await failure(walked(client.walk('http://h/', options as unknown as WalkOptions)))
  expect(error.code).toBe('invalid-option')
  expect(error.message).toContain(name)
})
