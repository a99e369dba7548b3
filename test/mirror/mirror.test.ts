import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Client,
  createClient,
  type Entry,
  type MirrorOptions,
  type MirrorResult,
  type RetrievalEvent,
} from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { entryOf, type FakeFolder, fakeTree } from '../support/fake-tree.ts'

let jail = ''
let folder = ''
beforeEach(() => {
  jail = mkdtempSync(join(tmpdir(), 'mirror-'))
  folder = join(jail, 'Target')
})
afterEach(() => rmSync(jail, { recursive: true }))

/** The paths below a folder, those of folders with `/` at their end. Node 24's `recursive` would follow links. */
function treeOf(root: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
      const own = path + entry.name
      return entry.isDirectory() ? [`${own}/`, ...below(`${own}/`)] : [own]
    })
  return below('').sort()
}

/** Mirrors into the folder, and gives the results as `saved a/b.txt`. */
async function mirrored(client: Client, url: string, options: MirrorOptions = {}): Promise<string[]> {
  const results: string[] = []
  const tell = (result: MirrorResult): void => {
    const why =
      result.outcome === 'skipped' ? `: ${result.reason}` : result.outcome === 'failed' ? `: ${result.error.code}` : ''
    results.push(`${result.outcome} ${result.path}${why}`)
  }
  const summary = await client.mirror(url, folder, { ...options, onResult: tell })
  expect(summary.saved + summary.skipped + summary.deleted + summary.failed).toBe(results.length)
  return results.sort()
}

/** Mirrors folders given as an object: `/` -> names. The content of a file is its path. */
async function mirroredTree(folders: Record<string, FakeFolder>, options?: MirrorOptions): Promise<string[]> {
  await using client = createClient({ fetchers: [fakeTree((path) => folders[path] ?? null)] })
  return await mirrored(client, 'http://h/', options)
}

const files = {
  '/t/a.txt': 'first',
  '/t/b/c.txt': 'second',
  '/t/b/d/e.bin': new Uint8Array(70_000).fill(7),
  '/t/z/': '',
}

test.each(['ftp', 'http'] as const)(
  'a tree over %s comes once, with its dates, and what changes comes again',
  async (name) => {
    await using servers = await startServers({ [name]: true, files })
    await using client = createClient()
    const server = servers[name] ?? expect.fail(name)
    const url = `${server.url}t/`
    expect(await mirrored(client, url)).toEqual(['saved a.txt', 'saved b/c.txt', 'saved b/d/e.bin'])
    expect(treeOf(folder)).toEqual(['a.txt', 'b/', 'b/c.txt', 'b/d/', 'b/d/e.bin', 'z/'])
    expect(readFileSync(join(folder, 'b/d/e.bin'))).toEqual(Buffer.alloc(70_000, 7))
    const { modified } = await client.retrieve(`${url}a.txt`)
    expect(lstatSync(join(folder, 'a.txt')).mtime).toEqual(modified)

    expect((await mirrored(client, url)).map((result) => result.replace(/^skipped .*: /, ''))).toEqual(
      Array(3).fill('unchanged'),
    )

    // A local file of another date and another size is no copy.
    writeFileSync(join(folder, 'a.txt'), 'other words')
    utimesSync(join(folder, 'a.txt'), 0, 0)
    rmSync(join(folder, 'b/c.txt'))
    expect(await mirrored(client, url)).toEqual(['saved a.txt', 'saved b/c.txt', 'skipped b/d/e.bin: unchanged'])
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('first')
  },
)

test('a Gopher tree comes anew, as menus give neither sizes nor dates; articles come once', async () => {
  await using servers = await startServers({ gopher: true, nntp: true, files })
  await using client = createClient()
  const url = `${servers.gopher.url}1/t`
  for (const _run of [1, 2]) {
    const events: RetrievalEvent[] = []
    const onEvent = (event: RetrievalEvent): void => void events.push(event)
    const results = await mirrored(client, url, { onEvent })
    expect(results).toEqual(['saved a.txt', 'saved b/c.txt', 'saved b/d/e.bin'])
    expect(events.length).toBeGreaterThan(0)
    expect(events.filter(({ type }) => type === 'remark')).toEqual([])
  }
  const group = `${servers.nntp.url}retriever.announce`
  expect(await mirrored(client, group)).toEqual(['saved 41', 'saved 42'])
  expect(await mirrored(client, group)).toEqual(['skipped 41: unchanged', 'skipped 42: unchanged'])
  const refused = await failure(client.mirror(group, folder, { delete: true }))
  expect([refused.code, refused.message]).toEqual(['invalid-option', expect.stringContaining('delete')])
})

test('case 9, the folder of this machine is mirrored, and its links are not', async () => {
  const source = join(jail, 'source')
  mkdirSync(join(source, 'sub'), { recursive: true })
  writeFileSync(join(source, 'sub/a.txt'), 'a')
  symlinkSync('/etc', join(source, 'link'))
  await using client = createClient()
  expect(await mirrored(client, `file://${source}/`)).toEqual(['saved sub/a.txt', 'skipped link: not-a-file'])
  expect(treeOf(folder)).toEqual(['sub/', 'sub/a.txt'])
})

test('cases 3 and 58, property 19: names stay within the folder, whatever they are', async () => {
  const names = [
    '..',
    '.',
    '../../x',
    '/etc/passwd',
    'a\\..\\b',
    '.bashrc',
    '-rf',
    'nul',
    'x.part',
    'x.part.json',
    'c\x00d',
    '...',
  ]
  async function* listing(): AsyncGenerator<Entry> {
    for (const [n, name] of names.entries()) yield { name, kind: 'file', url: `http://h/${n}` }
    yield { name: '..', kind: 'directory', url: 'http://h/up/' }
  }
  const results = await mirroredTree({ '/': listing(), '/up/': ['y'] })
  expect(results.filter((result) => !result.startsWith('saved'))).toEqual(['failed ...: write-failed'])
  expect(readdirSync(jail)).toEqual(['Target'])
  const written = treeOf(folder)
  expect(written).toHaveLength(13)
  expect(written.filter((name) => /^\.|^-|^nul$|\.part(\.json)?$|\\/.test(name))).toEqual([])
})

test('case 58, two entries whose names become one are both saved, in each run under the same names', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: '.a', kind: 'file', url: 'http://h/1' }
    yield { name: '_a', kind: 'file', url: 'http://h/2' }
    yield { name: '.a', kind: 'file', url: 'http://h/1' }
    yield { name: '-a', kind: 'directory', url: 'http://h/3/' }
    yield { name: 'é.txt', kind: 'file', url: 'http://h/4' }
    yield { name: 'e\u0301.txt', kind: 'file', url: 'http://h/5' }
  }
  const run = () => mirroredTree({ '/': listing(), '/3/': ['x'] })
  expect(await run()).toEqual(
    ['saved -a/x', 'saved .a', 'saved _a', 'saved é.txt', 'saved e\u0301.txt', 'skipped .a: repeated'].sort(),
  )
  const names = treeOf(folder)
  const shown = names.map((name) => name.replace(/~[\da-f]{8}/, '~SUM'))
  expect(shown.sort()).toEqual(['_a', '_a~SUM', '_a~SUM/', '_a~SUM/x', 'é.txt', 'é~SUM.txt'].sort())
  const texts = names.filter((name) => !name.endsWith('/')).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(texts.sort()).toEqual(['/1', '/2', '/3/x', '/4', '/5'])
  await run()
  expect(treeOf(folder)).toEqual(names)
})

test('names that differ in case are both kept, though a link has that of the folder in capitals', async () => {
  symlinkSync('Target', join(jail, 'target'))
  expect(await mirroredTree({ '/': ['README', 'readme'] })).toEqual(['saved README', 'saved readme'])
  expect(treeOf(folder)).toEqual(['README', 'readme'])
})

test('a repeated or third entry of one name is told of only if it is wanted', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: 'a', kind: 'file', url: 'http://h/1' }
    yield { name: 'a', kind: 'file', url: 'http://h/1' }
    yield { name: 'b', kind: 'file', url: 'http://h/2' }
  }
  expect(await mirroredTree({ '/': listing() }, { exclude: 'a' })).toEqual(['saved b'])
})

test('the second of two long names gets one that the file system takes, with its extension', async () => {
  const long = 'é'.repeat(95)
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: `${long}.html`, kind: 'file', url: 'http://h/1' }
    yield { name: `${long}.html`, kind: 'file', url: 'http://h/2' }
  }
  await mirroredTree({ '/': listing() })
  const [first = '', second = ''] = treeOf(folder)
  expect([first, second].map((name) => name.replace(/~[\da-f]{8}/, '~SUM')).sort()).toEqual(
    [`${long}.html`, `${'é'.repeat(92)}~SUM.html`].sort(),
  )
})

test('the headers of a mirror are sent for its listings and its files', async () => {
  await using servers = await startServers({ http: true, files: { '/t/a': 'a' } })
  await using client = createClient()
  await client.mirror(`${servers.http.url}t/`, folder, { headers: { 'X-Own': 'mine' } })
  expect(servers.http.requests.map(({ target, headers }) => [target, headers['x-own']])).toEqual([
    ['/t/', 'mine'],
    ['/t/a', 'mine'],
  ])
})

const turned = { '/': ['a/', 'b', 'c/'], '/a/': ['x'], '/c/': [] }
const before = { '/': ['a', 'b/', 'c'], '/b/': ['y', 'z/'], '/b/z/': ['w'] }

test('a file that became a folder, and the reverse: `delete` makes room, and without it a sentence says so', async () => {
  await mirroredTree(before)
  await using client = createClient({
    fetchers: [fakeTree((path) => (turned as Record<string, FakeFolder>)[path] ?? null)],
  })
  const { failures } = await client.mirror('http://h/', folder)
  expect(failures.map(({ path }) => path).sort()).toEqual(['a', 'a/x', 'b', 'c'])
  for (const { error } of failures) expect(error.message).toContain('remove it, or mirror with `delete: true`')
  expect(treeOf(folder)).toEqual(['a', 'b/', 'b/y', 'b/z/', 'b/z/w', 'c'])

  const told = ['deleted a', 'deleted b/y', 'deleted b/z/w', 'deleted c', 'saved a/x', 'saved b']
  expect(await mirroredTree(turned, { delete: true, dryRun: true })).toEqual(told)
  expect(treeOf(folder)).toEqual(['a', 'b/', 'b/y', 'b/z/', 'b/z/w', 'c'])
  expect(await mirroredTree(turned, { delete: true })).toEqual(told)
  expect(treeOf(folder)).toEqual(['a/', 'a/x', 'b', 'c/'])
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('/b')
})

test('a folder stays until the file for it has come', async () => {
  await using servers = await startServers({ http: true, files: { '/t/b': 'new' } })
  const reply = 'HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n'
  servers.http.setFaults({ replies: { '/t/b': reply } })
  mkdirSync(join(folder, 'b'), { recursive: true })
  writeFileSync(join(folder, 'b/y'), 'old')
  await using client = createClient()
  expect(await mirrored(client, `${servers.http.url}t/`, { delete: true })).toContain('failed b: not-found')
  expect(treeOf(folder)).toEqual(['b/', 'b/y'])
  servers.http.setFaults({ replies: {} })
  expect(await mirrored(client, `${servers.http.url}t/`, { delete: true })).toEqual(['deleted b/y', 'saved b'])
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('new')
  expect(treeOf(folder)).toEqual(['b'])
})

test('a file stays until the folder in its place is listed', async () => {
  await mirroredTree(before)
  await using servers = await startServers({ http: true, files: { '/t/a/x': 'new' } })
  servers.http.setFaults({ replies: { '/t/a/': 'HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n' } })
  await using client = createClient()
  expect(await mirrored(client, `${servers.http.url}t/`, { delete: true })).toEqual(['failed a: not-found'])
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('/a')
  servers.http.setFaults({ replies: {} })
  const told = await mirrored(client, `${servers.http.url}t/`, { delete: true })
  expect(told.filter((line) => line.includes(' a'))).toEqual(['deleted a', 'saved a/x'])
  expect(readFileSync(join(folder, 'a/x'), 'utf8')).toBe('new')
})

test("case 32, a folder that holds something of one's own is not removed for a file", async () => {
  await mirroredTree(before)
  writeFileSync(join(folder, 'b/.own'), 'own')
  await using client = createClient({
    fetchers: [fakeTree((path) => (turned as Record<string, FakeFolder>)[path] ?? null)],
  })
  const { failures } = await client.mirror('http://h/', folder, { delete: true })
  expect(failures).toMatchObject([{ path: 'b', error: { code: 'write-failed' } }])
  expect(failures[0]?.error.message).toContain('it is a folder, and the server has a file there now')
  expect(readFileSync(join(folder, 'b/.own'), 'utf8')).toBe('own')
})

test('cases 9 and 31, a link planted in the folder leads no file out of it', async () => {
  const outside = join(jail, 'outside')
  mkdirSync(outside)
  mkdirSync(folder)
  writeFileSync(join(outside, 'kept.txt'), 'kept')
  symlinkSync(outside, join(folder, 'sub'))
  symlinkSync(join(outside, 'kept.txt'), join(folder, 'file.txt'))
  symlinkSync(join(outside, 'kept.txt'), join(folder, 'more.txt.part'))
  const tree = { '/': ['sub/', 'file.txt', 'more.txt'], '/sub/': ['x.txt', 'deep/'], '/sub/deep/': ['y.txt'] }
  const results = await mirroredTree(tree, { delete: true })
  expect(results).toEqual([
    'failed more.txt: write-failed',
    'failed sub/deep/y.txt: write-failed',
    'failed sub/deep: write-failed',
    'failed sub/x.txt: write-failed',
    'failed sub: write-failed',
    'saved file.txt',
  ])
  expect(treeOf(outside)).toEqual(['kept.txt'])
  expect(readFileSync(join(outside, 'kept.txt'), 'utf8')).toBe('kept')
  expect(lstatSync(join(folder, 'file.txt')).isFile()).toBe(true)
})

test('case 32, `delete` removes what the server no longer has, and nothing else', async () => {
  const outside = join(jail, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'kept.txt'), 'kept')
  mkdirSync(join(folder, 'gone/deep'), { recursive: true })
  mkdirSync(join(folder, 'a'))
  mkdirSync(join(folder, 'cache'))
  const local = [
    'old.txt',
    'a/old.txt',
    'gone/deep/old.txt',
    'x.txt.part',
    'a/y.txt.part.json',
    '.own',
    'note.md',
    'cache/c',
  ]
  for (const path of local) writeFileSync(join(folder, path), path)
  symlinkSync(outside, join(folder, 'link'))
  symlinkSync(join(outside, 'kept.txt'), join(folder, 'link.txt'))
  const tree = { '/': ['a/', 'x.txt'], '/a/': ['b.txt'] }
  expect(await mirroredTree(tree)).toEqual(['saved a/b.txt', 'saved x.txt'])
  expect(treeOf(folder)).toContain('gone/deep/old.txt')

  const options = { delete: true, exclude: ['*.md', 'cache'] }
  const deleted = (await mirroredTree(tree, options)).filter((result) => result.startsWith('deleted'))
  expect(deleted).toEqual(['deleted a/old.txt', 'deleted gone/deep/old.txt', 'deleted old.txt'])
  expect(treeOf(outside)).toEqual(['kept.txt'])
  expect(treeOf(folder)).toEqual(
    ['.own', 'a/', 'a/b.txt', 'a/y.txt.part.json', 'cache/', 'cache/c', 'link', 'link.txt', 'note.md', 'x.txt'].sort(),
  )
})

test('R44: nothing is deleted unless every listing was complete', async () => {
  mkdirSync(folder)
  writeFileSync(join(folder, 'old.txt'), 'old')
  async function* unreadable(): AsyncGenerator<Entry> {
    yield entryOf('a/', 'http://h/')
    yield { name: '?rwx 12 garbage', kind: 'other', url: null }
  }
  for (const folders of [
    { '/': ['a/', 'b/'], '/a/': [] },
    { '/': unreadable(), '/a/': [] },
  ]) {
    await using client = createClient({
      fetchers: [fakeTree((path) => (folders as Record<string, FakeFolder>)[path] ?? null)],
    })
    const summary = await client.mirror('http://h/', folder, { delete: true })
    expect(summary).toMatchObject({ deleted: 0, isComplete: false })
    expect(existsSync(join(folder, 'old.txt'))).toBe(true)
  }
  await using client = createClient({ fetchers: [fakeTree(() => ['a/'])] })
  const deep = await client.mirror('http://h/', folder, { delete: true, depth: 2 })
  expect(deep).toMatchObject({ deleted: 1, failed: 0, isComplete: true })
})

test.each([
  ['a listener that throws', 'my own'],
  ['an abort', 'aborted'],
])('%s while files are deleted keeps the next ones', async (what, message) => {
  mkdirSync(folder)
  for (const name of ['1', '2', '3']) writeFileSync(join(folder, name), name)
  const controller = new AbortController()
  const onResult = ({ outcome }: MirrorResult): void => {
    if (outcome !== 'deleted') return
    if (what === 'an abort') controller.abort()
    else throw new Error('my own')
  }
  await using client = createClient({ fetchers: [fakeTree((path) => (path === '/' ? ['a'] : null))] })
  const { signal } = controller
  await expect(client.mirror('http://h/', folder, { delete: true, onResult, signal })).rejects.toThrow(message)
  expect(treeOf(folder)).toHaveLength(3)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('my own')
    },
  ],
  ['gives a promise that rejects', async () => Promise.reject(new Error('my own'))],
])('a listener that %s hears nothing more, and what is under way is aborted', async (_, fail) => {
  const ended: string[] = []
  const tree = fakeTree((path) => (path === '/' ? ['a', 'b', 'c'] : null))
  const fetcher = fakeHttp(async (plan, context) => {
    if (plan.target === '/b' || plan.target === '/c') {
      await new Promise<void>((resolve) => context.deadline.onAbort(() => resolve()))
      ended.push(plan.target)
    }
    return await tree
      .retrieve(plan, context)
      .then((outcome) => (outcome.outcome === 'handoff' ? expect.fail() : outcome))
  })
  await using client = createClient({ fetchers: [fetcher] })
  let heard = 0
  const onResult = (): unknown => {
    heard++
    return fail()
  }
  await expect(client.mirror('http://h/', folder, { onResult })).rejects.toThrow('my own')
  expect(heard).toBe(1)
  expect(ended.sort()).toEqual(['/b', '/c'])
})

test('nothing is deleted if the tree is empty, but a folder in it may be', async () => {
  expect(await mirroredTree({ '/': ['a', 'b/'], '/b/': ['c'] })).toEqual(['saved a', 'saved b/c'])
  expect(await mirroredTree({ '/': [] }, { delete: true })).toEqual([])
  expect(await mirroredTree({ '/': ['b/'], '/b/': [] }, { delete: true })).toEqual(['deleted a', 'deleted b/c'])
})

test('what a run does not look at is not deleted', async () => {
  mkdirSync(join(folder, 'a'), { recursive: true })
  for (const path of ['a/x.txt', 'old.iso', 'old.txt']) writeFileSync(join(folder, path), path)
  const tree = { '/': ['a/', 'y.iso', 'z.txt'], '/a/': ['b.txt'] }
  expect(await mirroredTree(tree, { delete: true, depth: 1, include: '*.iso' })).toEqual([
    'deleted old.iso',
    'saved y.iso',
  ])
  expect(treeOf(folder)).toEqual(['a/', 'a/x.txt', 'old.txt', 'y.iso'])
})

test('a glob with / at its end stands for a folder and all below it; a function is told which paths are folders', async () => {
  const tree = { '/': ['doc/', 'x'], '/doc/': ['a', 'sub/'], '/doc/sub/': ['b', 'doc'] }
  expect(await mirroredTree(tree, { include: 'doc/' })).toEqual(['saved doc/a', 'saved doc/sub/b', 'saved doc/sub/doc'])
  expect(await mirroredTree({ '/': ['x/'], '/x/': ['doc'] }, { include: 'doc/' })).toEqual([])
  expect(await mirroredTree({ '/': ['a', 'x/'], '/x/': ['a'] }, { include: '/a' })).toEqual(['saved a'])
  const asked: string[] = []
  const exclude = (path: string, isFolder: boolean): boolean => {
    asked.push(`${path}${isFolder ? '/' : ''}`)
    return isFolder
  }
  expect(await mirroredTree(tree, { exclude })).toEqual(['saved x'])
  expect(asked).toEqual(['doc/', 'x'])
})

test('a file that fails is counted, and the others come', async () => {
  await using servers = await startServers({ http: true, files })
  servers.http.setFaults({ replies: { '/t/b/c.txt': 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n' } })
  await using client = createClient()
  const summary = await client.mirror(`${servers.http.url}t/`, folder)
  expect(summary).toMatchObject({ saved: 2, failed: 1, received: 70_005, isComplete: true })
  expect(summary.failures[0]).toMatchObject({ path: 'b/c.txt', error: { code: 'access-denied' } })
})

test('R44: an abort ends the mirroring, and the next run goes on from the part', async () => {
  await using servers = await startServers({ http: true, bigSize: 20_000_000 })
  const controller = new AbortController()
  const onEvent = ({ type, url }: RetrievalEvent): void => {
    if (type === 'progress' && url.endsWith('/big')) controller.abort(new Error('enough'))
  }
  await using client = createClient({ onEvent })
  const options = { include: 'big', depth: 1 }
  const aborted = await failure(client.mirror(servers.http.url, folder, { ...options, signal: controller.signal }))
  expect(aborted).toMatchObject({ code: 'aborted', cause: controller.signal.reason })
  expect(treeOf(folder)).toEqual(['big.part', 'big.part.json'])
  const results: MirrorResult[] = []
  const onResult = (result: MirrorResult): void => void results.push(result)
  const { received } = await client.mirror(servers.http.url, folder, { ...options, onResult })
  expect(received).toBeLessThan(20_000_000)
  expect(results).toMatchObject([{ outcome: 'saved', size: 20_000_000, resumedFrom: 20_000_000 - received }])
  expect(treeOf(folder)).toEqual(['big'])
})

const date = new Date('2001-02-03T04:05:06Z')
const size = 'content'.length

test.each([
  ['the date', { size, modified: date }, 'skipped', null],
  ['the date without seconds', { size, modified: new Date('2001-02-03T04:05:00Z') }, 'skipped', null],
  ['the day alone', { size, modified: new Date('2001-02-03T00:00:00Z') }, 'skipped', null],
  ['the date of another time zone', { size, modified: new Date('2001-02-03T05:05:00Z') }, 'skipped', date],
  ['no date', { size }, 'skipped', date],
  ['no size', { modified: date }, 'skipped', date],
  ['another size', { size: 8, modified: date }, 'saved', undefined],
  [
    'an earlier date that no time zone explains',
    { size, modified: new Date('2001-02-01T04:05:06Z') },
    'saved',
    undefined,
  ],
  [
    'an earlier minute that no time zone explains',
    { size, modified: new Date('2001-02-03T03:04:00Z') },
    'saved',
    undefined,
  ],
  ['no size and an earlier date', { modified: new Date('2001-02-01T00:00:00Z') }, 'saved', undefined],
  ['the day of another time zone', { size, modified: new Date('2001-02-02T00:00:00Z') }, 'skipped', date],
] as const)('a listing that tells %s', async (_what, facts, outcome, since) => {
  const asked: (Date | undefined)[] = []
  const fetchers = [
    fakeHttp((plan, context) => {
      async function* entries(): AsyncGenerator<Entry> {
        yield { name: 'a', kind: 'file', url: 'http://h/a', ...facts }
      }
      if (plan.target === '/') return retrieved(chunks(''), { kind: 'listing', entries })
      const { ifChangedSince } = context.request
      asked.push(ifChangedSince)
      if (ifChangedSince !== undefined) throw context.error('not-modified', 'It is the same.')
      return retrieved(chunks('content'), { size, modified: date })
    }),
  ]
  await using client = createClient({ fetchers })
  expect(await client.mirror('http://h/', folder)).toMatchObject({ saved: 1 })
  const { [outcome]: count } = await client.mirror('http://h/', folder)
  expect(count).toBe(1)
  // Undefined: an unconditional request. Null: none.
  expect(asked.slice(1)).toEqual(since === null ? [] : [since])
})

/** A folder that lists one file, which changes after its first retrieval. `asked`: the If-Modified-Since of each. */
function oneFile(listed: Date, modified: Date) {
  const asked: (Date | undefined)[] = []
  const fetcher = fakeHttp((plan, context) => {
    async function* entries(): AsyncGenerator<Entry> {
      yield { name: 'a', kind: 'file', url: 'http://h/a', size, modified: listed }
    }
    if (plan.target === '/') return retrieved(chunks(''), { kind: 'listing', entries })
    asked.push(context.request.ifChangedSince)
    return retrieved(chunks(asked.length === 1 ? 'content' : 'CONTENT'), { size, modified })
  })
  return { fetcher, asked }
}

test('a listing that tells the day alone proves nothing while that day lasts', async () => {
  const day = 24 * 3600 * 1000
  // The local file is written now, and its date is five minutes ago: more than a second or a minute.
  const modified = new Date(Date.now() - 5 * 60_000)
  const today = new Date(Math.floor(modified.getTime() / day) * day)
  const { fetcher, asked } = oneFile(today, modified)
  await using client = createClient({ fetchers: [fetcher] })
  await client.mirror('http://h/', folder)
  const isOver = Date.now() >= today.getTime() + day
  expect(await client.mirror('http://h/', folder)).toMatchObject(isOver ? { skipped: 1 } : { saved: 1 })
  expect(asked).toHaveLength(isOver ? 1 : 2)
})

test.each([
  ['second', 1000],
  ['minute', 60_000],
])('a file that is rewritten within the %s of its date, in the same size, comes again', async (_, precision) => {
  const listed = new Date(Math.floor(Date.now() / precision) * precision)
  const { fetcher, asked } = oneFile(listed, listed)
  await using client = createClient({ fetchers: [fetcher] })
  await client.mirror('http://h/', folder)
  expect(await client.mirror('http://h/', folder)).toMatchObject({ saved: 1 })
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('CONTENT')
  // A server whose dates have whole seconds would say that it has not changed.
  expect(asked).toEqual([undefined, undefined])
})

test('case 3, names that lead out of their folder are failures with a reason, and the listing is complete all the same', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: '..%2F..%2F.bashrc', kind: 'other', url: null, details: { leadsElsewhere: true } }
    yield { name: 'a', kind: 'file', url: 'http://h/sub/a' }
  }
  await using client = createClient({
    fetchers: [fakeTree((path) => ({ '/': ['sub/'], '/sub/': listing() })[path] ?? null)],
  })
  const summary = await client.mirror('http://h/', folder)
  expect(summary).toMatchObject({ saved: 1, failed: 1, isComplete: true })
  expect(summary.failures).toMatchObject([{ path: 'sub/..%2F..%2F.bashrc', error: { code: 'refused' } }])
  expect(summary.failures[0]?.error.message).toBe(
    'http://h/sub/: The name "..%2F..%2F.bashrc" leads out of its folder, so it is not retrieved.',
  )
  expect(treeOf(folder)).toEqual(['sub/', 'sub/a'])
  const walked: (string | undefined)[] = []
  async function* again(): AsyncGenerator<Entry> {
    yield* listing()
  }
  await using other = createClient({ fetchers: [fakeTree((path) => (path === '/' ? again() : null))] })
  for await (const { path, error } of other.walk('http://h/', { exclude: 'a' })) walked.push(path, error?.code)
  expect(walked).toEqual(['..%2F..%2F.bashrc', 'refused'])
})

test('limits, policy and events of one call hold for its listings and its files', async () => {
  await using servers = await startServers({ http: true, files })
  await using client = createClient()
  const url = `${servers.http.url}t/`
  const resolved: string[] = []
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type === 'resolved') resolved.push(event.url)
  }
  const summary = await client.mirror(url, folder, { onEvent, limits: { maxSize: 1000 }, depth: 2 })
  expect(summary).toMatchObject({ saved: 2, failed: 0 })
  expect(resolved.sort()).toEqual([url, `${url}a.txt`, `${url}b/`, `${url}b/c.txt`, `${url}z/`])
  const { failures } = await client.mirror(url, folder, { limits: { maxSize: 1000 } })
  expect(failures).toMatchObject([{ path: 'b/d/e.bin', error: { code: 'limit-exceeded' } }])
  const refused = await failure(client.mirror(url, folder, { policy: { schemes: ['ftp'] } }))
  expect(refused.code).toBe('refused')
})

test('the failure of the start, an error of `onResult` and a bad option are those of the mirroring', async () => {
  await using client = createClient({ fetchers: [fakeTree((path) => (path === '/' ? ['a', 'b'] : null))] })
  expect((await failure(client.mirror('http://h/none', folder))).code).toBe('not-found')
  const thrown = new Error('my own')
  const onResult = (): void => {
    throw thrown
  }
  await expect(client.mirror('http://h/', folder, { onResult })).rejects.toBe(thrown)
  const bad = await failure(client.mirror('http://h/', folder, { overwrite: false } as unknown as MirrorOptions))
  expect([bad.code, bad.message]).toEqual(['invalid-option', expect.stringContaining('concurrency')])
  writeFileSync(join(jail, 'file'), '')
  expect((await failure(client.mirror('http://h/', join(jail, 'file')))).code).toBe('write-failed')
})

test.each([[''], ['a\0b'], [undefined], [5]])('the folder %j is refused, and nothing is written', async (given) => {
  await using client = createClient({ fetchers: [fakeTree(() => ['a'])] })
  const refused = await failure(client.mirror('http://h/', given as string))
  expect([refused.code, refused.message]).toEqual([
    'invalid-option',
    expect.stringContaining('Expected `folder` to be'),
  ])
})

test.each([true, false])('a start that fails leaves no folder that it has made, with pages: %j', async (pages) => {
  await using servers = await startServers({ http: true, files: {} })
  await using client = createClient()
  const mirror = (to: string) => failure(client.mirror(`${servers.http.url}gone/`, to, pages ? { pages } : {}))
  expect((await mirror(join(folder, 'a/b'))).code).toBe('not-found')
  expect(treeOf(jail)).toEqual([])
  mkdirSync(folder)
  expect((await mirror(join(folder, 'a/b'))).code).toBe('not-found')
  expect((await mirror(folder)).code).toBe('not-found')
  expect(treeOf(jail)).toEqual(['Target/'])
})

test('a file that has the name of the folder is named as the reason', async () => {
  writeFileSync(folder, 'mine')
  await using client = createClient({ fetchers: [fakeTree(() => ['a'])] })
  const refused = await failure(client.mirror('http://h/', folder))
  expect(refused.message).toBe(`${folder} cannot be written: it is no folder, and one is needed.`)
})

test('what is outside the tree is not retrieved', async () => {
  const asked: string[] = []
  const outside = async function* (): AsyncGenerator<Entry> {
    yield { name: 'other server', kind: 'file', url: 'http://other/x' }
    yield { name: 'above', kind: 'file', url: 'http://h/above' }
    yield { name: 'a', kind: 'file', url: 'http://h/t/a' }
  }
  const tree = fakeTree((path) => (path === '/t/' ? outside() : null))
  const fetcher = fakeHttp((plan, context) => {
    asked.push(`${plan.host}${plan.target}`)
    return tree.retrieve(plan, context).then((outcome) => (outcome.outcome === 'handoff' ? expect.fail() : outcome))
  })
  await using client = createClient({ fetchers: [fetcher] })
  const results = await mirrored(client, 'http://h/t/')
  expect(results).toEqual(['saved a', 'skipped above: outside', 'skipped other server: outside'])
  expect(asked).toEqual(['h/t/', 'h/t/a'])
})

test('a redirect of a file out of the tree is refused, and the other place is not asked', async () => {
  const folders: Record<string, FakeFolder> = { '/': ['away', 'a', 'near'] }
  const asked: string[] = []
  const tree = fakeTree((path) => folders[path] ?? null)
  const fetcher = fakeHttp((plan, context) => {
    asked.push(`${plan.host}${plan.target}`)
    if (plan.target === '/away') return { outcome: 'redirect', location: 'http://other/x', status: 302 }
    if (plan.target === '/near') return { outcome: 'redirect', location: '/a', status: 302 }
    return tree.retrieve(plan, context).then((outcome) => (outcome.outcome === 'handoff' ? expect.fail() : outcome))
  })
  await using client = createClient({ fetchers: [fetcher] })
  expect(await mirrored(client, 'http://h/')).toEqual(['failed away: refused', 'saved a', 'saved near'])
  expect(asked.filter((place) => place.startsWith('other'))).toEqual([])
  expect(await mirrored(client, 'http://h/', { scope: 'any' })).toContain('saved away')
})

test('a dry run leaves an empty folder where a file is to come, and beside it', async () => {
  mkdirSync(join(folder, 'a'), { recursive: true })
  mkdirSync(join(folder, 'b'))
  expect(await mirroredTree({ '/': ['a'] }, { dryRun: true, delete: true })).toEqual(['saved a'])
  expect(treeOf(folder)).toEqual(['a/', 'b/'])
  expect(await mirroredTree({ '/': ['a'] }, { delete: true })).toEqual(['saved a'])
  expect(treeOf(folder)).toEqual(['a'])
})

test('a dry run tells the sizes of the listing, and what is unchanged', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: 'a', kind: 'file', url: 'http://h/a', size, modified: date }
    yield { name: 'b', kind: 'file', url: 'http://h/b', size: 9, modified: date }
    yield { name: 'c', kind: 'file', url: 'http://h/c' }
  }
  mkdirSync(folder)
  for (const name of ['a', 'b']) {
    writeFileSync(join(folder, name), 'content')
    utimesSync(join(folder, name), date, date)
  }
  const told: unknown[] = []
  await using client = createClient({ fetchers: [fakeTree(() => listing())] })
  await client.mirror('http://h/', folder, {
    dryRun: true,
    onResult: (result) => told.push([result.path, result.outcome, 'size' in result ? result.size : result.outcome]),
  })
  expect(told).toEqual([
    ['a', 'skipped', 'skipped'],
    ['b', 'saved', 9],
    ['c', 'saved', 0],
  ])
})

test('a limit is no reason against delete where listings are whole, and pages know no beforeFile', async () => {
  await using client = createClient({ fetchers: [fakeTree((path) => (path === '/' ? ['a'] : null))] })
  expect(await client.mirror('http://h/', folder, { delete: true, limit: 5 })).toMatchObject({ saved: 1 })
  const refused = await failure(client.mirror('http://h/', folder, { pages: true, beforeFile: async () => null }))
  expect([refused.code, refused.message]).toEqual(['invalid-option', expect.stringContaining('beforeFile')])
})

test('dryRun tells what would be done', async () => {
  const folders = { '/': ['a', 'b/'], '/b/': ['c'] }
  expect(await mirroredTree(folders, { dryRun: true })).toEqual(['saved a', 'saved b/c'])
  expect(existsSync(folder)).toBe(false)
  await mirroredTree(folders)
  writeFileSync(join(folder, 'old'), '')
  expect(await mirroredTree(folders, { dryRun: true, delete: true })).toContain('deleted old')
  expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'old'])
})
